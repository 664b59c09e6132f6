import { setFlagsFromString } from "node:v8";
import type { Logger } from "pino";
import type { App, AppParts } from "../app/app.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { type Config, parseTlsFiles } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { listUnknownVariables } from "../config/environment.ts";
import { requireUsableTls, validityOf } from "../config/tls.ts";
import { type Environment, type Flags, processEnvironment } from "../config/values.ts";
import { type OutputError, print } from "./terminal/print.ts";
import { createLogger } from "../kernel/base/logging/logger.ts";
import { releaseMemory } from "../kernel/base/memory/release-memory.ts";
import { readVersion } from "./terminal/version.ts";

/** Calls that waited for the start go first. */
const warmUpAfterMs = 1000;

/** What a process of a service is asked by: an operator, or the process that has begun it. */
export interface ServingParts {
  readonly config: Config;
  readonly flags: Flags;
  /** What it shares with other processes of the service. */
  readonly shared?: AppParts["shared"];
  /** Resolves with the reason for an orderly stop. */
  readonly stop: Promise<string>;
  isStopAsked(): boolean;
  /** Gets what reads files again. */
  onReload(reload: () => void): void;
  /** Says that the service can be used: `signUpUrl` is of the first start in local mode. */
  tellReady(url: string, signUpUrl: string | undefined, logger: Logger): Promise<void>;
  /** The exit code when the disk did not confirm a commit. */
  readonly lostWriteCode: number;
}

/** Prints that the service can be used. */
export async function printReady(url: string, signUpUrl: string | undefined, logger: Logger): Promise<void> {
  const signUp = signUpUrl === undefined ? "" : `\nSign up as the first administrator: ${signUpUrl}`;
  await print(`gatehouse ready on ${url}${signUp}`).catch(({ message }: OutputError) =>
    logger.warn({ reason: message, url }, "service.ready_not_printed"),
  );
}

/** Serves until the stop, then ends the process. */
export async function serveUntilStopped(parts: ServingParts): Promise<number> {
  const { config, flags, shared } = parts;
  const environment = processEnvironment();
  const { openTraces, startApp } = await import("../app/app.ts"); // after what can be wrong with the options, which is quick
  const version = readVersion();
  const onFailure = (count: number) => logger.warn({ batches: count }, "traces.not_sent");
  const tracing = await openTraces(config, { version, onFailure });
  const logger = createLogger(config.logLevel, tracing?.fields);
  if (shared?.isFirst !== false) warnOfSettings(config, logger);
  const app = await startApp(config, {
    logger,
    version,
    tracing,
    shared,
    onFatal: (error) => {
      logger.fatal({ err: error }, "storage.lost_write");
      process.exit(parts.lostWriteCode);
    },
  });
  parts.onReload(() => {
    reloadTls({ flags, environment, logger, app });
    void reloadKeyFile(app, logger);
  });
  setFlagsFromString("--semi-space-growth-factor=2"); // V8's own; main.ts has lowered it for the start
  // The one secret that is logged: in local mode nobody but the person at the console reads the log.
  const signUpUrl = config.isLocal ? app.setupLink?.reveal() : undefined;
  if (signUpUrl !== undefined) logger.info({ url: signUpUrl }, "local.setup_link");
  if (!parts.isStopAsked()) await parts.tellReady(app.url, signUpUrl, logger);
  const warmUp = () =>
    app
      .warmUp()
      .then(releaseMemory)
      .catch((error: unknown) => logger.error({ err: error }, "service.not_warm"));
  const warming = setTimeout(() => void warmUp(), warmUpAfterMs);
  const signal = await parts.stop;
  clearTimeout(warming);
  logger.info({ signal }, "service.stopping");
  await app.stop();
  await tracing?.stop();
  logger.info("service.stopped");
  return process.exit(0); // what was given up, such as a message to a provider that does not answer, holds nothing up
}

function warnOfSettings({ tls }: Config, logger: Logger): void {
  const unknown = listUnknownVariables(processEnvironment());
  if (unknown.length > 0) logger.warn({ variables: unknown }, "config.unknown_variables");
  warnOfValidity(tls, logger);
}

/** Reloads certificate and key from their files. If they are not usable, the previous ones stay in use. */
function reloadTls(setup: {
  readonly flags: Flags;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly app: Pick<App, "reloadTls">;
}): void {
  const { flags, environment, logger, app } = setup;
  try {
    const tls = parseTlsFiles(flags, environment);
    if (tls === undefined) {
      logger.info("service.nothing_to_reload");
      return;
    }
    requireUsableTls(tls);
    app.reloadTls(tls);
    logger.info("tls.reloaded");
    warnOfValidity(tls, logger);
  } catch (error) {
    const reason = error instanceof ConfigError ? { reason: error.message } : { err: error };
    logger.error(reason, "tls.not_reloaded");
  }
}

/** Reads the key file of a shared database again. If the keys are not usable, the previous ones stay in use. */
async function reloadKeyFile({ reloadKeys }: Pick<App, "reloadKeys">, logger: Logger): Promise<void> {
  if (reloadKeys === undefined) return;
  try {
    await reloadKeys();
    logger.info("keys.reloaded");
  } catch (error) {
    const { explain } = await import("./explain.ts");
    const message = explain(error)?.message;
    logger.error(message === undefined ? { err: error } : { reason: message }, "keys.not_reloaded");
  }
}

function warnOfValidity(tls: Config["tls"], logger: Logger): void {
  const validity = tls === undefined ? "valid" : validityOf(tls, systemClock.nowMs());
  if (validity !== "valid") logger.warn({ validity }, "tls.certificate_not_valid_now");
}
