import { randomInt } from "node:crypto";
import { Client } from "pg";
import { systemClock } from "../../../../src/kernel/base/clock.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { parseAddress } from "../../../../src/kernel/storage/postgres/connect/address.ts";
import {
  type Connector,
  type ConnectorOptions,
  createConnector,
} from "../../../../src/kernel/storage/postgres/connect/connector.ts";
import {
  createPostgresServer,
  findPostgres,
  makePostgresFolder,
  type PostgresFolder,
  type PostgresPrograms,
  type PostgresServer,
  type PostgresSettings,
} from "../../../support/postgres-cluster.ts";
import { urlOf as urlOnServer } from "../../../support/engine/postgres-pool.ts";

/** Databases of a file of tests. */
export interface TestDatabases {
  /** Makes an empty database and returns its URL. `words` follow its name in CREATE DATABASE. */
  makeDatabase(words?: string): Promise<string>;
  /** Runs statements as the administrator, in the database of the URL or in `postgres`, and returns the rows of the last. */
  ask(sql: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends what was made. */
  close(): Promise<void>;
}

/** A server of its own for a file of tests, and what they ask of it. */
export interface TestCluster extends TestDatabases {
  readonly programs: PostgresPrograms;
  readonly folder: PostgresFolder;
  readonly server: PostgresServer;
  /** Changes a setting of the server. Returns when new connections have it. */
  configure(setting: string, value: string): Promise<void>;
}

/** Starts a server. What it loses in a crash does not matter, unless the settings say so. */
export async function startCluster(settings: PostgresSettings = {}): Promise<TestCluster> {
  const programs = findPostgres();
  const folder = makePostgresFolder(programs);
  const server = await createPostgresServer(programs, folder, { settings });
  const databases = databasesOn((database) => server.url(database));
  const { ask } = databases;
  return {
    ...databases,
    programs,
    folder,
    server,
    async configure(setting, value) {
      await ask(`ALTER SYSTEM SET ${setting} = '${value}'`);
      await ask("SELECT pg_reload_conf()");
      const shown = async () => (await ask(`SELECT current_setting('${setting}') AS value`))[0]?.["value"];
      while ((await shown()) !== value);
    },
    close: folder.remove,
  };
}

/** Uses the server of the tier, for tests that neither change nor look at more of it than their databases. */
export function shareServer(): TestDatabases {
  const { GATEHOUSE_TEST_DATABASE: server } = process.env;
  if (server === undefined) throw new Error("the tier `postgres` has a server");
  return databasesOn((database) => (database === undefined ? server : urlOnServer(server, database)));
}

function databasesOn(urlOfDatabase: (database?: string) => string): TestDatabases {
  const made: string[] = [];
  const ask: TestDatabases["ask"] = async (sql, url = urlOfDatabase()) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const answer = await client.query<Record<string, unknown>>(sql);
      return answer.rows;
    } finally {
      await client.end();
    }
  };
  return {
    ask,
    async makeDatabase(words = "") {
      const name = `test_${randomInt(2 ** 47)}`;
      await ask(`CREATE DATABASE ${name} ${words}`);
      made.push(name);
      return urlOfDatabase(name);
    },
    async close() {
      for (const name of made) await ask(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** What a test may set of a connector. */
export interface ConnectorChoices extends Partial<ConnectorOptions> {
  readonly environment?: Readonly<Record<string, string>>;
}

/** Makes a connector for a URL that asks for no standby. */
export function connectTo(url: string, choices: ConnectorChoices = {}): Connector {
  const { environment = {}, isDev = false } = choices;
  return createConnector({
    address: parseAddress(url, { environment, isDev }),
    isDev,
    isSynchronousRequired: false,
    clock: systemClock,
    random: systemRandom,
    onClockSkew: () => {},
    ...choices,
  });
}

/** Returns the URL of several servers. */
export function urlOf(servers: readonly PostgresServer[], database = "postgres"): string {
  return `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(",")}/${database}`;
}
