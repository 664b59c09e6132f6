import pino, { type Logger } from "pino";
import type { Clock } from "./base/clock.ts";
import type { InstanceId } from "./base/ids.ts";
import { createLogOutput } from "./base/log-output.ts";
import type { Random } from "./base/random.ts";
import type { Config } from "./config/config.ts";
import { issuerOf } from "./config/origins.ts";
import { readOpenFilesLimit, capConnections } from "./config/open-files.ts";
import { type Installation, type InstallationOptions, openInstallation } from "./installation.ts";
import { makeDataFolder, writePrivateFile } from "./storage/data-folder.ts";
import { explainListenError, requireFreeAddress } from "./http/listen-address.ts";
import type { Contract } from "./rpc/endpoints/contract.ts";

/** Creates the logger: one JSON object per line on stderr, written at once so that no line is lost. */
export function createLogger(level: string): Logger {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, createLogOutput(2));
}

/** A running service. */
export interface App {
  readonly url: string;
  readonly port: number;
  readonly contract: Contract;
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
  readonly clock?: Clock;
  readonly random?: Random;
  /** As in the options of the rpc site. */
  readonly isUnaryLaneOff?: boolean;
  /** Keeps the rows of removed organizations, for tests that nobody can find them. */
  readonly isSweepOff?: boolean | undefined;
  /** What is known of each type of event, for tests: today's catalogue when absent. */
  readonly definitions?: InstallationOptions["definitions"];
  /** The contract of an app of the same version that this process started before. */
  readonly contract?: Contract | undefined;
}

/**
 * Opens the installation, makes the instance on the first start, and serves. Throws errors that `cli/explain` can
 * explain to a person.
 */
export async function startApp(config: Config, parts: AppParts): Promise<App> {
  const { logger } = parts;
  await requireFreeAddress(config);
  const installation = await openInstallation(config, {
    ...parts,
    isNewAllowed: true,
    maxWaitingWrites: config.limits.maxCalls,
    onClockSkew: (skewMs) => logger.warn({ skew_ms: skewMs }, "database.clock_differs"),
    onUnreadable: ([first, ...others]) =>
      logger.error({ columns: 1 + others.length, first }, "events.unreadable"),
  });
  for (const loose of installation.place.listLooseModes())
    logger.warn({ file: loose.file, mode: loose.mode }, "data_folder.open_to_others");
  let end = installation.discard;
  try {
    const instanceId = await openInstance(installation, logger);
    end = installation.close;
    // After the checks of the folder, which are quick.
    const { createServices } = await import("./services.ts");
    const within = { ...config, limits: limitsOf(config, logger) };
    let { port } = config;
    const issuer = () => issuerOf(config, port); // a free port is known only once it is open
    const setup = { ...parts, instanceId, issuer };
    const services = createServices(within, installation, setup);
    const { server, contract, users, applications, refresh, sweep, upkeep } = services;
    const address = await explainListenError(server.start(), config);
    ({ port } = address);
    logLocalDefaults(config, installation, logger);
    logIssuer(config, issuer(), logger);
    refresh.start();
    upkeep.start();
    if (parts.isSweepOff !== true) sweep.start();
    return {
      url: urlOf(config, address),
      port,
      contract,
      warmUp: async () => void (await Promise.all([users.u2f.warmUp(), applications.warmUp()])),
      reloadTls: (tls) => server.reloadTls(tls),
      reloadKeys: installation.place.isShared ? installation.reloadKeys : undefined,
      async stop() {
        const timeUp = createTimeout(config.limits.stopTimeoutMs);
        await Promise.all([server.stop(), refresh.stop(), sweep.stop(), upkeep.stop()]);
        await Promise.race([users.phones.idle(), timeUp.promise]);
        timeUp.clear();
        await installation.close();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function urlOf({ tls }: Config, { host, port }: { readonly host: string; readonly port: number }): string {
  return `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Says that nobody can sign in, or under which URLs if the service has chosen them itself. */
function logIssuer(config: Config, issuer: string | undefined, logger: Logger): void {
  if (issuer === undefined) logger.info("login.off");
  else if (config.issuer === undefined) logger.info({ issuer }, "local.issuer");
}

function limitsOf({ limits }: Config, logger: Logger): Config["limits"] {
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

/** Returns the id of the instance, which is created at the first start. */
async function openInstance(installation: Installation, logger: Logger): Promise<InstanceId> {
  const { instance } = installation;
  const id = await instance.findId();
  if (id === undefined) return await makeInstance(installation, logger);
  await instance.checkMasterKeys(); // once more: another process may have created it since, with other keys
  return id;
}

/** Creates the instance, unless another process has done so since this one has looked for it. */
async function makeInstance({ instance, folder }: Installation, logger: Logger): Promise<InstanceId> {
  const { id, isNew } = await instance.create((token) => {
    makeDataFolder(folder);
    writePrivateFile(folder.adminToken, `${token.reveal()}\n`);
  });
  if (isNew) logger.info({ admin_token_file: folder.adminToken }, "instance.created");
  return id;
}

/** Logs each default that applies only in local mode, so that nobody uses it in production by mistake. */
function logLocalDefaults(config: Config, { folder }: Installation, logger: Logger): void {
  if (config.sms.kind === "outbox") {
    makeDataFolder(folder);
    logger.info({ file: folder.smsOutbox }, "local.sms_outbox");
  }
  if (!config.isLocal) return;
  if (config.relyingParties.some(({ origins }) => origins === "http-any-port")) {
    logger.info({ rp_id: "localhost" }, "local.u2f_on_localhost");
  }
  logger.info("local.metrics_open");
}
