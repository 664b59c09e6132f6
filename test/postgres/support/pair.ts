import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createPostgresServer,
  findPostgres,
  makePostgresFolder,
  openPostgresServer,
  type PostgresFolder,
  type PostgresPrograms,
  type PostgresServer,
  type PostgresSettings,
} from "../../support/postgres-cluster.ts";
import { query, untilTrue } from "./sql.ts";

/** The database, and the role that owns it and may do nothing else. */
export const gatehouse = "gatehouse";

/** A primary with its synchronous standby. Which server is which changes with each promotion. */
export interface Pair {
  /** Both servers, in an order that does not change. */
  readonly servers: readonly [PostgresServer, PostgresServer];
  primary(): PostgresServer;
  standby(): PostgresServer;
  /**
   * Makes the standby the primary and waits until it takes writes. The old primary should be dead or cut off. Commits on the
   * new one wait for a standby, as the strict synchronous mode of Patroni has it, until `rejoin`.
   */
  promote(): Promise<void>;
  /** Makes the server that is not the primary the standby of the primary, with its own files or with new ones. */
  rejoin(how: "rewind" | "copy"): Promise<void>;
  remove(): Promise<void>;
}

/** A server without a standby. */
export interface Single {
  readonly server: PostgresServer;
  remove(): Promise<void>;
}

/** Starts a server with an empty database. */
export async function startSingle(settings: PostgresSettings = {}): Promise<Single> {
  return await inFolder(async (programs, folder) => {
    const server = await createPostgresServer(programs, folder, { settings });
    await createDatabase(server);
    return { server, remove: folder.remove };
  });
}

/** Starts a primary with an empty database, and its synchronous standby. */
export async function startPair(more: PostgresSettings = {}): Promise<Pair> {
  // Otherwise a standby without its primary rests for five seconds before it takes notice of its promotion.
  const settings = { wal_retrieve_retry_interval: "100ms", wal_keep_size: "256MB", ...more };
  return await inFolder(async (programs, folder) => {
    const first = await createPostgresServer(programs, folder, { name: "first", settings });
    await createDatabase(first);
    // Both servers have it, the first from its next reload on: until then its commits wait for nobody.
    await query(first.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
    const second = await openPostgresServer(programs, join(folder.path, "second"), settings);
    const pair = createPair(programs, [first, second], folder.remove);
    await pair.rejoin("copy");
    return pair;
  });
}

async function inFolder<T>(
  start: (programs: PostgresPrograms, folder: PostgresFolder) => Promise<T>,
): Promise<T> {
  const programs = findPostgres();
  const folder = makePostgresFolder(programs);
  try {
    return await start(programs, folder);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function createDatabase(server: PostgresServer): Promise<void> {
  await query(server.url(), `CREATE ROLE ${gatehouse} LOGIN`);
  await query(server.url(), `CREATE DATABASE ${gatehouse} OWNER ${gatehouse}`);
}

function createPair(
  programs: PostgresPrograms,
  servers: readonly [PostgresServer, PostgresServer],
  remove: () => Promise<void>,
): Pair {
  let [primary, standby] = servers;
  const copy = async () => {
    rmSync(standby.dataFolder, { recursive: true, force: true });
    const source = ["--dbname", primary.url(), "--checkpoint=fast", "--no-sync"];
    await programs.run("pg_basebackup", [...source, `--pgdata=${standby.dataFolder}`]);
  };
  const rewind = async () => {
    const source = [`--source-server=${primary.url()}`, "--no-sync"];
    await programs.run("pg_rewind", [...source, `--target-pgdata=${standby.dataFolder}`]);
  };
  return {
    servers,
    primary: () => primary,
    standby: () => standby,
    async promote() {
      await programs.run("pg_ctl", ["promote", "--wait", `--pgdata=${standby.dataFolder}`]);
      [primary, standby] = [standby, primary];
      await untilTrue(primary.url(), "SELECT NOT pg_is_in_recovery()");
      await query(primary.url(), "CHECKPOINT"); // pg_rewind looks for the new timeline in it
    },
    async rejoin(how) {
      await standby.stop("fast");
      await (how === "copy" ? copy() : rewind());
      writeFileSync(join(standby.dataFolder, "standby.signal"), "");
      const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
      await standby.start({ primary_conninfo: source });
      await query(primary.url(), "SELECT pg_reload_conf()");
      await untilTrue(
        primary.url(),
        "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')",
      );
      await query(primary.url(), "CHECKPOINT"); // the next pg_rewind needs one that both have
    },
    remove,
  };
}
