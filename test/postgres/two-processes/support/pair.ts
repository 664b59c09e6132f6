import pino from "pino";
import { systemClock } from "../../../../src/base/clock.ts";
import type { Database } from "../../../../src/base/database.ts";
import type { InstanceId } from "../../../../src/base/ids.ts";
import {
  createKeyring,
  type Keyring,
  newMasterKeyText,
  parseMasterKeys,
} from "../../../../src/base/keyring.ts";
import { systemRandom } from "../../../../src/base/random.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import { createEventLog } from "../../../../src/events/event-log.ts";
import { createPersonalData } from "../../../../src/events/personal-data.ts";
import { createInstanceCommands } from "../../../../src/features/instance/commands.ts";
import { projections } from "../../../../src/installation.ts";
import { createServices } from "../../../../src/services.ts";
import { dataFolderAt } from "../../../../src/storage/data-folder.ts";
import { openPostgresDatabase } from "../../../../src/storage/postgres/postgres-database.ts";
import { openSessionLocks } from "../../../../src/storage/postgres/session/session-locks.ts";
import { postgresTypes } from "../../../../src/storage/postgres/types.ts";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../../support/clients.ts";
import { answerOf, type CallableService } from "../../../support/service.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { connectTo, startCluster } from "../../connect/support/cluster.ts";

/** A service that shares its database with others. */
export interface Process extends CallableService {
  readonly url: string;
  readonly database: Database;
  /** Whether it is the one that works in the background. */
  leads(): boolean;
  stop(): Promise<void>;
}

/** Services on one database. They have their own connections and share nothing else, as if they were processes. */
export interface Pair {
  readonly one: Process;
  readonly other: Process;
  /** Ends everything and removes the database. */
  close(): Promise<void>;
}

interface Shared {
  readonly url: string;
  readonly keyring: () => Keyring;
  readonly folder: string;
  instance: { readonly id: InstanceId; readonly adminToken: string } | undefined;
}

/** Starts two services on a new database, on a server of their own. */
export async function startPair(): Promise<Pair> {
  const cluster = await startCluster();
  const folder = makeTemporaryFolder();
  const keys = parseMasterKeys(newMasterKeyText(systemRandom));
  const shared: Shared = {
    url: await cluster.makeDatabase(),
    keyring: () => createKeyring(keys, systemRandom),
    folder: folder.path,
    instance: undefined,
  };
  const [one, other] = [await startProcess(shared), await startProcess(shared)];
  return {
    one,
    other,
    async close() {
      await Promise.all([one.stop(), other.stop()]);
      await cluster.folder.remove();
      folder.remove();
    },
  };
}

async function startProcess(shared: Shared): Promise<Process> {
  const [clock, random, keyring] = [systemClock, systemRandom, shared.keyring()];
  const connector = connectTo(shared.url, { isDev: true, types: postgresTypes });
  const locks = await openSessionLocks({ connector, isAlone: false, giveUpAfterMs: 5000, heartbeatMs: 100 });
  const database = await openPostgresDatabase({ connector, clock, random, isSynchronousRequired: false });
  const personalData = createPersonalData(keyring, random, database);
  const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
  const context = { database, log, clock, random, keyring };
  const instance = createInstanceCommands(context);
  if (shared.instance === undefined) {
    let adminToken = "";
    const id = await instance.create((token) => void (adminToken = token.reveal()));
    shared.instance = { id, adminToken };
  }
  const { adminToken, id: instanceId } = shared.instance;
  const config = parseConfig({ listen: "127.0.0.1:0", data: shared.folder }, {});
  const { leadership } = locks;
  const none = async () => {};
  const { server, refresh, sweep } = createServices(
    config,
    { folder: dataFolderAt(shared.folder), context, instance, leadership, close: none, discard: none },
    { instanceId, logger: pino({ level: "silent" }), version: "0.0.0-test" },
  );
  const { port } = await server.start();
  refresh.start();
  sweep.start();
  const url = `http://127.0.0.1:${port}`;
  const clients = Object.fromEntries(lanes.map((lane) => [lane, createLaneClient(lane, url)])) as Record<
    Lane,
    LaneClient
  >; // one for each lane
  return {
    url,
    adminToken,
    clients,
    database,
    leads: () => leadership.term() !== undefined,
    call: async (method, request, token = adminToken) =>
      answerOf(await clients.json.call(method, request, { token })),
    async stop() {
      for (const client of Object.values(clients)) client.close();
      await Promise.all([server.stop(), refresh.stop(), sweep.stop()]);
      await database.close();
      await locks.close();
    },
  };
}
