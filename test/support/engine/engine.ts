import type { Clock } from "../../../src/kernel/base/clock.ts";
import type { Database, SqlValue } from "../../../src/kernel/base/database.ts";
import type { ListIndex } from "../../../src/kernel/base/list.ts";
import type { Random } from "../../../src/kernel/base/random.ts";
import type { Dump, Row } from "../../process/support/tables.ts";
import { sqliteEngine } from "./sqlite-engine.ts";

/** What a test needs of a storage engine beyond the port. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  /** Makes a place with an empty database. */
  makePlace(): Promise<TestPlace>;
  /** What the engine says in errors. */
  readonly words: {
    /** Returns what it says when two rows of the table would be equal in what is unique. */
    notUnique(table: string): RegExp;
    readonly brokenForeignKey: RegExp;
    readonly noSuchTable: RegExp;
  };
  /** A statement that lets its transaction break foreign keys up to its end. */
  readonly deferForeignKeys: string;
  /** Calls with the text of every statement that returns rows, on every connection of this process. Returns what ends this. */
  onStatement(listener: (sql: string) => void): () => void;
}

/** Where a database is, and what else a service keeps. */
export interface TestPlace {
  /** The data folder. */
  readonly folder: string;
  /** Options of `gatehouse serve` that name the place. */
  readonly flags: Readonly<Record<string, string>>;
  /** Lays an empty database that has been migrated, where that is quicker than what a service would do at its first start. */
  prepare(): void;
  /** Opens the database as a service does. */
  open(options: OpenOptions): Promise<Database>;
  /** A connection that belongs to the test, made at its first use. */
  readonly raw: RawConnection;
  /** Returns what is stored, byte by byte: all files of SQLite, all rows of PostgreSQL. Personal data must be sealed in it. */
  bytes(): Promise<Buffer>;
  /** Ends the connection of the test; the next use of `raw` makes another one. */
  disconnect(): Promise<void>;
  /** Copies everything that a service would find after a crash at this moment. */
  copy(): Promise<TestPlace>;
  remove(): Promise<void>;
}

/** As the options of the engine. */
export interface OpenOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly onFatal?: (error: Error) => void;
  readonly maxWaitingWrites?: number;
}

/** A connection past all code of ours. It sees what is committed. */
export interface RawConnection {
  peek<R extends object = Row>(sql: string, parameters?: readonly SqlValue[]): Promise<readonly R[]>;
  /** Runs a statement, also one that breaks a foreign key. */
  damage(sql: string, parameters?: readonly SqlValue[]): Promise<void>;
  /** Makes the statements of that kind fail on the table, if they meet a row. */
  breakWrites(kind: "INSERT" | "UPDATE", table: string): Promise<void>;
  /** Keeps everybody else from writing. Returns a function that ends this. */
  holdWrites(): Promise<() => Promise<void>>;
  /** Fills the tables, if the engine makes its plans by what they hold. The rows are not such as the service writes. */
  grow(): Promise<void>;
  /** Returns how the database goes through its tables for a statement. */
  explain(sql: string): Promise<readonly PlanStep[]>;
  /** Returns all rows of all tables, or of those. */
  dump(tables?: readonly string[]): Promise<Dump>;
  /** Returns the indexes that hold all rows of their table, or all that end: a list of those compares the column. */
  indexes(): Promise<readonly ListIndex[]>;
  /** Returns the names of the views. */
  views(): Promise<readonly string[]>;
}

/** What a database does for a statement, one after the other. */
export interface PlanStep {
  /** `walk`: every row of a table or of an index is looked at. `other`: no table is looked at. */
  readonly kind: "search" | "walk" | "sort" | "other";
  readonly table: string;
  /** The name of the index; empty for the table itself. */
  readonly index: string;
  /** What finds the rows: `id=`, `revision>` (for `>=` too), `(creation_date,id)>`, `<expr>=` for an expression. */
  readonly terms: readonly string[];
  /** The step in the words of the database. */
  readonly text: string;
}

const server = process.env["GATEHOUSE_TEST_DATABASE"];

/** The engine that the tests of this process run on: PostgreSQL in the tier `postgres`, otherwise SQLite. */
export const engine: Engine =
  server === undefined ? sqliteEngine : (await import("./postgres-engine.ts")).createPostgresEngine(server); // the driver is loaded only there
