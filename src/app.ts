import pino, { type Logger } from "pino";
import { type Clock, systemClock } from "./base/clock.ts";
import { createIdGenerator, type InstanceId } from "./base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "./base/keyring.ts";
import { createLogOutput } from "./base/log-output.ts";
import { systemRandom } from "./base/random.ts";
import type { SmsProvider } from "./base/sms-provider.ts";
import type { Config, SmsConfig } from "./config/config.ts";
import { readOpenFilesLimit, withinOpenFiles } from "./config/open-files.ts";
import { createEventLog } from "./events/event-log.ts";
import { createPersonalData } from "./events/personal-data.ts";
import { createApplicationCommands } from "./features/applications/commands.ts";
import { createMetadataRefresh } from "./features/applications/metadata-refresh.ts";
import { createMetadataSource } from "./features/applications/metadata-source.ts";
import { createApplicationService } from "./features/applications/rpc.ts";
import type { FeatureContext } from "./features/context.ts";
import { createEventCommands } from "./features/events/commands.ts";
import { createEventService } from "./features/events/rpc.ts";
import { createIdentityProviderCommands } from "./features/identity-providers/commands.ts";
import { createIdentityProviderService } from "./features/identity-providers/rpc.ts";
import { createInstanceCommands, type InstanceCommands } from "./features/instance/commands.ts";
import { findInstanceId } from "./features/instance/repository.ts";
import { createMembershipCommands } from "./features/memberships/commands.ts";
import { createAccessControl, createMembershipService } from "./features/memberships/rpc.ts";
import { createOrganizationCommands } from "./features/organizations/commands.ts";
import { createOrganizationService } from "./features/organizations/rpc.ts";
import { projections } from "./features/projections.ts";
import { createProjectCommands } from "./features/projects/commands.ts";
import { createProjectService } from "./features/projects/rpc.ts";
import { createUserGrantCommands } from "./features/user-grants/commands.ts";
import { createUserGrantService } from "./features/user-grants/rpc.ts";
import { createUserCommands } from "./features/users/commands.ts";
import { createUserService } from "./features/users/rpc.ts";
import { createGuardedFetch } from "./outbound/guarded-fetch.ts";
import { createSmsOutbox } from "./outbound/sms-outbox.ts";
import { createSmsWebhook } from "./outbound/sms-webhook.ts";
import { createTwilio } from "./outbound/twilio.ts";
import {
  type DataFolder,
  DataFolderError,
  dataFolderAt,
  type FirstStart,
  listLooseModes,
  makeDataFolder,
  readMasterKeyText,
  rememberFolder,
  requireDatabase,
  requireUsableFolder,
  writePrivateFile,
} from "./storage/data-folder.ts";
import { lockDataFolder } from "./storage/sqlite/lock.ts";
import { openSqliteDatabase } from "./storage/sqlite/sqlite-database.ts";
import { advise, requireFreeAddress } from "./transport/address.ts";
import type { Contract } from "./transport/contract.ts";
import { createServer } from "./transport/server.ts";
import { protoComments } from "../gen/comments.ts";

/** An opened data folder, held for this process. */
export interface Installation {
  readonly folder: DataFolder;
  readonly context: FeatureContext;
  readonly instance: InstanceCommands;
  close(): Promise<void>;
  /** Closes, and removes what this process has made in the folder if there was no database before. */
  discard(): Promise<void>;
}

export interface InstallationOptions {
  /** Lets a first start make the folder; otherwise one without database is refused. */
  readonly isNewAllowed: boolean;
  /** Called when the disk did not confirm a commit; must end the process. */
  readonly onFatal?: (error: Error) => void;
  readonly clock?: Clock | undefined;
}

/**
 * Takes the data folder for this process and opens what is in it. Throws what `cli/explain` can
 * tell a person, and leaves nothing behind then that was not there.
 */
export async function openInstallation(path: string, options: InstallationOptions): Promise<Installation> {
  const folder = dataFolderAt(path);
  if (!options.isNewAllowed) requireDatabase(folder);
  makeDataFolder(folder);
  requireUsableFolder(folder);
  const lock = lockDataFolder(folder);
  const before = rememberFolder(folder);
  let context: FeatureContext | undefined;
  const end = async (undo: FirstStart["undo"]) => {
    await context?.database.close();
    undo();
    lock.release();
  };
  const discard = () => end(() => before.undo());
  try {
    context = openContext(folder, options);
    const instance = createInstanceCommands(context);
    await instance.checkMasterKeys();
    return { folder, context, instance, close: () => end(() => {}), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function openContext(folder: DataFolder, options: InstallationOptions): FeatureContext {
  const { clock = systemClock, onFatal = rethrow } = options;
  const random = systemRandom;
  const keyring = createKeyring(readMasterKeys(folder), random);
  const database = openSqliteDatabase({ file: folder.database, clock, onFatal });
  const floorMs = Math.ceil(database.lastSequence() / 1000);
  return {
    database,
    log: createEventLog(projections, createPersonalData(keyring, random)),
    ids: createIdGenerator({ clock, random, floorMs }),
    clock,
    random,
    keyring,
  };
}

function readMasterKeys(folder: DataFolder) {
  const text = readMasterKeyText(folder, () => newMasterKeyText(systemRandom));
  try {
    return parseMasterKeys(text);
  } catch (error) {
    throw new DataFolderError(
      `${folder.masterKey} is damaged: ${error instanceof Error ? error.message : ""}`,
      { cause: error },
    );
  }
}

function rethrow(error: Error): never {
  throw error;
}

/** Returns the logger: one JSON object a line on stderr, written at once so that no line is lost. */
export function createLogger(level: string): Logger {
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, createLogOutput(2));
}

/** A running service. */
export interface App {
  readonly url: string;
  readonly port: number;
  readonly contract: Contract;
  /** Loads what the first calls would otherwise wait for. */
  warmUp(): Promise<void>;
  /** Takes another certificate for the connections from now on. Throws in clear text, and for one that is not usable. */
  reloadTls(tls: NonNullable<Config["tls"]>): void;
  /**
   * Lets calls in flight and deliveries under way end, at most for the configured time, refuses new calls, and closes the
   * storage. A delivery that was given up may still hold its connection.
   */
  stop(): Promise<void>;
}

export interface AppParts {
  readonly logger: Logger;
  readonly version: string;
  readonly onFatal: (error: Error) => void;
  readonly clock?: Clock;
  /** That of an app of the same version, which this process has started before. */
  readonly contract?: Contract | undefined;
}

/** Opens the data folder, on the first start makes the instance, and serves. Throws what `cli/explain` can tell a person. */
export async function startApp(config: Config, parts: AppParts): Promise<App> {
  const { logger } = parts;
  await requireFreeAddress(config);
  const installation = await openInstallation(config.dataFolder, { ...parts, isNewAllowed: true });
  for (const loose of listLooseModes(installation.folder))
    logger.warn({ file: loose.file, mode: loose.mode }, "data_folder.open_to_others");
  let end = installation.discard;
  try {
    const instanceId = (await installation.instance.findId()) ?? (await makeInstance(installation, logger));
    end = installation.close;
    const { services, users, applications, refresh } = createFeatures(config, installation, {
      instanceId,
      logger,
    });
    const { context } = installation;
    const server = createServer({
      ...config,
      limits: limitsOf(config, logger),
      services,
      accessControl: createAccessControl({ ...context, instanceId }),
      ready: () => context.database.read(findInstanceId).then((id) => id !== undefined),
      logger,
      clock: context.clock,
      comments: protoComments,
      version: parts.version,
      contract: parts.contract,
    });
    const { host, port } = await advise(server.start(), config);
    logLocalDefaults(config, installation, logger);
    refresh.start();
    return {
      url: `${config.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
      port,
      contract: server.contract,
      warmUp: async () => void (await Promise.all([users.u2f.warmUp(), applications.warmUp()])),
      reloadTls: (tls) => server.reloadTls(tls),
      async stop() {
        const timeUp = createTimeout(config.limits.stopTimeoutMs);
        await Promise.all([server.stop(), refresh.stop()]);
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

function limitsOf({ limits }: Config, logger: Logger): Config["limits"] {
  const openFiles = readOpenFilesLimit();
  const within = withinOpenFiles(limits, openFiles);
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

async function makeInstance({ instance, folder }: Installation, logger: Logger): Promise<InstanceId> {
  const id = await instance.create((token) => writePrivateFile(folder.adminToken, `${token.reveal()}\n`));
  logger.info({ admin_token_file: folder.adminToken }, "instance.created");
  return id;
}

function createFeatures(
  config: Config,
  { context, folder }: Installation,
  setup: { readonly instanceId: InstanceId; readonly logger: Logger },
) {
  const { clock } = context;
  const { instanceId, logger } = setup;
  const fetcher = createGuardedFetch({ dev: config.dev, allowedHosts: config.fetchAllowedHosts });
  const source = createMetadataSource({ fetcher, clock, dev: config.dev });
  const users = createUserCommands(context, {
    sms: {
      provider: createSmsProvider(config.sms, folder, clock),
      maxPerOrganization: config.limits.smsPerOrganization,
      onFailure: ({ userId, requestId, detail }) =>
        logger.warn({ user_id: userId, request_id: requestId, detail }, "sms.not_delivered"),
    },
    relyingParties: {
      list: config.relyingParties,
      allowSubdomains: config.relyingPartySubdomains,
      name: "Gatehouse",
    },
  });
  const refresh = createMetadataRefresh({
    context,
    source,
    timers: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) }, // made by the line before
    onError: (error, applicationId) =>
      logger.error({ err: error, application_id: applicationId }, "metadata.refresh_failed"),
  });
  const applications = createApplicationCommands(context, source);
  const services = [
    createOrganizationService(createOrganizationCommands(context, instanceId), context),
    createMembershipService(createMembershipCommands(context, instanceId), context),
    createIdentityProviderService(createIdentityProviderCommands(context), context),
    createUserService(users, context),
    createProjectService(createProjectCommands(context), context),
    createUserGrantService(createUserGrantCommands(context), context),
    createApplicationService(applications, context),
    createEventService(createEventCommands(context, config.limits), context),
  ];
  return { services, users, applications, refresh };
}

function createSmsProvider(config: SmsConfig, folder: DataFolder, clock: Clock): SmsProvider | undefined {
  switch (config.kind) {
    case "none":
      return undefined;
    case "outbox":
      return createSmsOutbox({ file: folder.smsOutbox, clock });
    case "webhook":
      return createSmsWebhook({ ...config, clock });
    case "twilio":
      return createTwilio(config);
  }
}

/** Names each default that holds only in local mode, so that nobody takes it along unseen. */
function logLocalDefaults(config: Config, { folder }: Installation, logger: Logger): void {
  if (config.sms.kind === "outbox") logger.info({ file: folder.smsOutbox }, "local.sms_outbox");
  if (!config.isLocal) return;
  if (config.relyingParties.some(({ origins }) => origins === "http-any-port")) {
    logger.info({ rp_id: "localhost" }, "local.u2f_on_localhost");
  }
  logger.info("local.metrics_open");
}
