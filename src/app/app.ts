import type { Logger } from "pino";
import type { Clock } from "../kernel/base/clock.ts";
import type { Random } from "../kernel/base/random.ts";
import type { Secret } from "../kernel/base/secret.ts";
import type { Tracing } from "../kernel/base/tracing/tracing.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Config } from "../config/config.ts";
import { issuerOf } from "../config/origins.ts";
import { readOpenFilesLimit, capConnections } from "../config/open-files.ts";
import { shareConnections, shareLimits } from "../config/shares.ts";
import { type Installation, type InstallationOptions, openInstallation } from "./installation.ts";
import { DataFolderError, makeDataFolder, writePrivateFile } from "../kernel/storage/data-folder.ts";
import { explainListenError, requireFreeAddress } from "../kernel/http/listen-address.ts";
import { createReportThrottle } from "../kernel/http/report-throttle.ts";
import type { Contract } from "../sites/rpc/endpoints/contract.ts";
import type { Emulation, ServicesSetup, SharedService } from "./setup.ts";

/**
 * Starts to trace, if traces are asked for; nothing of it is loaded otherwise. Throws ConfigError if a package for it is not
 * installed.
 */
export async function openTraces(
  { traces, traceHosts }: Config,
  { version, onFailure }: { readonly version: string; readonly onFailure: (count: number) => void },
): Promise<Tracing | undefined> {
  if (traces === undefined) return undefined;
  try {
    const { startTracing } = await import("./tracing/start-tracing.ts");
    return startTracing(traces, { version, hosts: traceHosts, onFailure: createReportThrottle(onFailure) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ConfigError(
      "traces need the packages @opentelemetry/api, @opentelemetry/sdk-trace, @opentelemetry/resources and " +
        "@opentelemetry/exporter-trace-otlp-proto beside gatehouse; install them, or set OTEL_SDK_DISABLED=true",
      { cause: error },
    );
  }
}

/** A running service. */
export interface App {
  readonly url: string;
  readonly port: number;
  readonly contract: Contract;
  /** What the commands of all features work with. */
  readonly context: Installation["context"];
  /** The link with which the first administrator signs up, if this was the first start and people can sign in. */
  readonly setupLink: Secret | undefined;
  /** Loads everything that the first calls would otherwise wait for. */
  warmUp(): Promise<void>;
  /**
   * Uses another certificate for new connections. Throws if the service runs without TLS or the certificate is not
   * usable.
   */
  reloadTls(tls: NonNullable<Config["tls"]>): void;
  /** As in the installation; undefined where only this process uses the keys, so that they cannot change. */
  readonly reloadKeys: Installation["reloadKeys"] | undefined;
  /**
   * Refuses new calls, lets calls and deliveries in progress end, at most for the configured time, and closes the
   * storage. A delivery that was given up may still hold its connection.
   */
  stop(): Promise<void>;
}

/** What the process gives to a service besides its configuration. */
export interface AppParts {
  readonly logger: Logger;
  readonly version: string;
  readonly onFatal: (error: Error) => void;
  readonly tracing?: Tracing | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** As in the options of the rpc site. */
  readonly isUnaryLaneOff?: boolean;
  /** Keeps the rows of removed organizations, for tests that nobody can find them. */
  readonly isSweepOff?: boolean | undefined;
  /** Puts something before the requests for URLs, for tests with providers whose addresses are fixed. */
  readonly wrapFetch?: ServicesSetup["wrapFetch"];
  /** What a hash of a password costs, for tests about something else. */
  readonly passwordCost?: ServicesSetup["passwordCost"];
  /** What is known of each type of event, for tests: today's catalogue when absent. */
  readonly definitions?: InstallationOptions["definitions"];
  /** The contract of an app of the same version that this process started before. */
  readonly contract?: Contract | undefined;
  /** Makes an emulator of it. */
  readonly emulation?: Emulation | undefined;
  /** What it shares with other processes of the service. */
  readonly shared?: SharedService | undefined;
}

/**
 * Opens the installation, makes the instance on the first start, and serves. Throws errors that `cli/explain` can
 * explain to a person.
 */
export async function startApp(config: Config, parts: AppParts): Promise<App> {
  const { logger, emulation, shared } = parts;
  const isFirst = shared?.isFirst ?? true;
  if (shared?.door === undefined) await requireFreeAddress(config);
  const installation = await openPlace(config, parts);
  for (const loose of isFirst ? installation.place.listLooseModes() : [])
    logger.warn({ file: loose.file, mode: loose.mode }, "data_folder.open_to_others");
  let end = installation.discard;
  try {
    const { id: instanceId, isNew } = await openInstance(installation, parts);
    end = installation.close;
    // After the checks of the folder, which are quick.
    const { createServices } = await import("./services.ts");
    const within = { ...config, limits: limitsOf(shareLimits(config), logger) };
    let { port } = config;
    const issuer = () => issuerOf(config, port); // a free port is known only once it is open
    const setup = { ...parts, instanceId, issuer };
    const services = createServices(within, installation, setup);
    const { server, contract, mailer, users, applications, refresh, sweep, outboxes, upkeep } = services;
    const address = await explainListenError(server.start(), config);
    ({ port } = address);
    if (isFirst) {
      logLocalDefaults(config, installation, logger);
      logIssuer(config, issuer(), logger);
    }
    const isServedFirst = isNew && emulation === undefined;
    const setupLink = isServedFirst ? writeSetupLink(installation, issuer(), logger) : undefined;
    refresh.start();
    upkeep.start();
    if (parts.isSweepOff !== true) sweep.start();
    for (const outbox of outboxes) outbox.start();
    return {
      url: urlOf(config, address),
      port,
      contract,
      context: installation.context,
      setupLink,
      warmUp: async () => void (await Promise.all([contract.fieldRules.warmUp(), applications.warmUp()])),
      reloadTls: (tls) => server.reloadTls(tls),
      reloadKeys: installation.place.isShared ? installation.reloadKeys : undefined,
      async stop() {
        const timeUp = createTimeout(config.limits.stopTimeoutMs);
        await Promise.all([server.stop(), refresh.stop(), sweep.stop(), upkeep.stop()]);
        await Promise.all([
          Promise.race([Promise.all([users.phones.texter.idle(), mailer.idle()]), timeUp.promise]),
          ...outboxes.map((outbox) => outbox.stop(timeUp.promise)), // what the last calls have left is still sent
        ]);
        timeUp.clear();
        await installation.close();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function openPlace(config: Config, parts: AppParts): Promise<Installation> {
  const { logger, emulation, shared } = parts;
  return await openInstallation(config, {
    ...parts,
    place: emulation?.place,
    isNewAllowed: true,
    seat: shared?.seat,
    maxWaitingWrites: shareLimits(config).maxCalls,
    maxReadConnections: shareConnections(config),
    onClockSkew: (skewMs) => logger.warn({ skew_ms: skewMs }, "database.clock_differs"),
    onUnreadable: ([first, ...others]) =>
      logger.error({ columns: 1 + others.length, first }, "events.unreadable"),
  });
}

function urlOf({ tls }: Config, { host, port }: { readonly host: string; readonly port: number }): string {
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Says that nobody can sign in, or under which URLs if the service has chosen them itself. */
function logIssuer(config: Config, issuer: string | undefined, logger: Logger): void {
  if (issuer === undefined) logger.info("login.off");
  else if (config.issuer === undefined) logger.info({ issuer }, "local.issuer");
}

function limitsOf(limits: Config["limits"], logger: Logger): Config["limits"] {
  const openFiles = readOpenFilesLimit();
  const within = capConnections(limits, openFiles);
  if (within.maxConnections < limits.maxConnections) {
    const fields = { max_connections: within.maxConnections, open_files: openFiles };
    logger.warn(fields, "limits.max_connections_lowered");
  }
  return within;
}

function createTimeout(ms: number) {
  let clear = () => {};
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    clear = () => clearTimeout(timer);
  });
  return { promise, clear };
}

type InstanceParts = Pick<AppParts, "logger" | "emulation">;

type CreatedInstance = Awaited<ReturnType<Installation["instance"]["create"]>>;

/** Returns the instance, which is created at the first start. */
async function openInstance(installation: Installation, parts: InstanceParts): Promise<CreatedInstance> {
  const { instance } = installation;
  const id = await instance.findId();
  if (id === undefined) return await makeInstance(installation, parts);
  await instance.checkMasterKeys(); // once more: another process may have created it since, with other keys
  await instance.limitProviderLogins();
  return { id, isNew: false };
}

/** Creates the instance, unless another process has done so since this one has looked for it. */
async function makeInstance(
  { instance, folder }: Installation,
  { logger, emulation }: InstanceParts,
): Promise<CreatedInstance> {
  const created = await instance.create((token) => {
    if (emulation !== undefined) return emulation.keepToken(token);
    makeDataFolder(folder);
    writePrivateFile(folder.adminToken, `${token.reveal()}\n`);
  });
  await instance.limitProviderLogins();
  if (created.isNew && emulation === undefined)
    logger.info({ admin_token_file: folder.adminToken }, "instance.created");
  return created;
}

/**
 * Makes the link with which the first administrator signs up, and writes it to the data folder. Undefined if nobody can sign
 * in, or if it cannot be written: `gatehouse setup link` makes another.
 */
function writeSetupLink(
  { instance, folder }: Installation,
  issuer: string | undefined,
  logger: Logger,
): Secret | undefined {
  if (issuer === undefined) return undefined;
  const link = instance.makeSetupLink(issuer);
  try {
    makeDataFolder(folder);
    writePrivateFile(folder.adminLink, `${link.reveal()}\n`);
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error;
    logger.error({ reason: error.message }, "setup.link_not_written");
    return undefined;
  }
  logger.info({ admin_link_file: folder.adminLink }, "setup.link_written");
  return link;
}

/** Logs each default that applies only in local mode, so that nobody uses it in production by mistake. */
function logLocalDefaults(config: Config, { folder }: Installation, logger: Logger): void {
  const { sms, mail } = config;
  if (sms.kind === "outbox" || mail.kind === "outbox") makeDataFolder(folder);
  if (sms.kind === "outbox") logger.info({ file: folder.smsOutbox }, "local.sms_outbox");
  if (mail.kind === "outbox") logger.info({ file: folder.mailOutbox }, "local.mail_outbox");
  if (!config.isLocal) return;
  if (config.relyingParties.some(({ origins }) => origins === "http-any-port")) {
    logger.info({ rp_id: "localhost" }, "local.u2f_on_localhost");
  }
  logger.info("local.metrics_open");
}
