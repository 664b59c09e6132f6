import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";
import type {
  Database,
  SqlValue,
  WriteOptions,
  WriteTransaction,
} from "../../../src/kernel/base/database.ts";
import type { PostgresOptions } from "../../../src/kernel/storage/postgres/postgres-database.ts";
import { createTestClock, type TestClock } from "../../support/clock.ts";
import { shareServer, type TestDatabases } from "../connect/support/cluster.ts";
import { openProcess } from "./support.ts";

/** The database with families that others are copied from, which is quicker than to migrate each. */
const templates = new WeakMap<TestDatabases, Promise<string>>();

/** Opens a new database that also has parents, and children, which are deleted with their parents. */
export async function openFamilies(
  cluster: TestDatabases,
  options: Partial<PostgresOptions>,
): Promise<Database> {
  const template = templates.get(cluster) ?? layFamilies(cluster);
  templates.set(cluster, template);
  const url = await cluster.makeDatabase(`TEMPLATE ${await template}`);
  return await openProcess(url, options); // it learns of tables when it is opened
}

/** Returns the name of a database to which nothing is connected. */
async function layFamilies(cluster: TestDatabases): Promise<string> {
  const url = await cluster.makeDatabase();
  await (await openProcess(url)).close();
  const id = 'id TEXT COLLATE "C" NOT NULL PRIMARY KEY';
  await cluster.ask(
    `CREATE TABLE parents (${id}, value TEXT COLLATE "C" NOT NULL);
     CREATE TABLE children (${id}, parent TEXT COLLATE "C" NOT NULL REFERENCES parents (id) ON DELETE CASCADE,
       value TEXT COLLATE "C" NOT NULL);
     CREATE VIEW shown_parents AS SELECT id, value FROM parents;
     INSERT INTO parents VALUES ('p', '0'), ('q', '0');
     INSERT INTO children VALUES ('a', 'p', '0'), ('b', 'q', '0')`,
    url,
  );
  return new URL(url).pathname.slice(1);
}

export const insertParent = "INSERT INTO parents (id, value) VALUES (?, ?)";
export const insertChild = "INSERT INTO children (id, parent, value) VALUES (?, ?, ?)";
export const readParents = "SELECT id FROM parents ORDER BY id";

export type Work<T> = (tx: WriteTransaction) => Promise<T>;

/** Returns the ids of all parents as one text. */
export const parentsOf: Work<string> = async (tx) =>
  (await tx.all<{ id: string }>(readParents)).map(({ id }) => id).join("");

/** Makes work of one statement. */
export const run =
  (sql: string, parameters?: readonly SqlValue[]): Work<void> =>
  (tx) =>
    tx.run(sql, parameters);

export const nothing: Work<void> = async () => {};

/** Undoes the work that it ends. */
export const fail = () => Promise.reject(new Error("undone"));

/** Returns what the works return or throw. */
export async function settle(...works: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const all = await Promise.allSettled(works);
  return all.map((each): unknown => (each.status === "fulfilled" ? each.value : each.reason));
}

/** A database with families, new in each case. */
export interface Families {
  readonly cluster: TestDatabases;
  readonly clock: TestClock;
  readonly database: Database;
  /** Writes with a command that may be started early. */
  early<T>(work: Work<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
  /** Writes with a command whose first statement gives what is started early the time to ask. */
  first<T>(work: Work<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
}

/** Opens a database before each case. */
export function useFamilies(): Families {
  let cluster: TestDatabases;
  let clock: TestClock;
  let database: Database;
  beforeAll(async () => {
    cluster = shareServer();
  });
  afterAll(() => cluster.close());
  beforeEach(async () => {
    clock = createTestClock();
    database = await openFamilies(cluster, { clock });
  });
  afterEach(() => database.close());
  return {
    get cluster() {
      return cluster;
    },
    get clock() {
      return clock;
    },
    get database() {
      return database;
    },
    early: (work, options) => database.write(work, { ...options, mayStartEarly: true }),
    first: (work, options) =>
      database.write(async (tx) => {
        await tx.get("SELECT 1");
        return await work(tx);
      }, options),
  };
}
