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

/** A server of its own for a file of tests, and what they ask of it. */
export interface TestCluster {
  readonly programs: PostgresPrograms;
  readonly folder: PostgresFolder;
  readonly server: PostgresServer;
  /** Makes an empty database and returns its URL. `words` follow its name in CREATE DATABASE. */
  makeDatabase(words?: string): Promise<string>;
  /** Runs statements as the administrator, in the database of the URL or in `postgres`, and returns the rows of the last. */
  ask(sql: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** Changes a setting of the server. Returns when new connections have it. */
  configure(setting: string, value: string): Promise<void>;
}

/** Starts a server. What it loses in a crash does not matter, unless the settings say so. */
export async function startCluster(settings: PostgresSettings = {}): Promise<TestCluster> {
  const programs = findPostgres();
  const folder = makePostgresFolder(programs);
  const server = await createPostgresServer(programs, folder, { settings });
  let databases = 0;
  const ask: TestCluster["ask"] = async (sql, url = server.url()) => {
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
    programs,
    folder,
    server,
    ask,
    async configure(setting, value) {
      await ask(`ALTER SYSTEM SET ${setting} = '${value}'`);
      await ask("SELECT pg_reload_conf()");
      const shown = async () => (await ask(`SELECT current_setting('${setting}') AS value`))[0]?.["value"];
      while ((await shown()) !== value);
    },
    async makeDatabase(words = "") {
      const name = `test_${++databases}`;
      await ask(`CREATE DATABASE ${name} ${words}`);
      return server.url(name);
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
