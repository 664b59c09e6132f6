import type { Checkup, CopiedData, EngineCheck } from "../../place.ts";
import type { Finding } from "../../finding.ts";
import type { Connector, Session } from "../connect/connector.ts";
import { destroySession } from "../connect/open-session.ts";
import { ConnectionLostError, isPostgresFailure, PostgresError } from "../postgres-error.ts";
import { createLongTransaction, type LongTransaction } from "./long-transaction.ts";
import { checkPostgresReferences, checkServer, checkSettings, checkStandbys } from "./server-checks.ts";
import { coverTables } from "./shadow-tables.ts";

/** What a checkup of a database needs. */
export interface DatabaseCheckupOptions {
  /** To print. */
  readonly name: string;
  readonly connector: Connector;
  readonly giveUpAfterMs: number;
  readonly isSynchronousRequired: boolean;
  readonly isDev: boolean;
  readonly checkOutside: () => readonly Finding[];
  /** Says which version of the schema the database has. Throws for one that cannot be read. */
  readonly checkVersion: (session: Session) => Promise<VersionFinding>;
  /** Explains why there is no connection; undefined for a bug. */
  readonly explainOpening: (error: unknown) => string | undefined;
}

/** The version of the schema. */
export interface VersionFinding {
  readonly finding: Finding;
  /** As in CopiedData. */
  readonly whyOtherTables: string | undefined;
}

/**
 * Creates the checkup of a database. The copy is made of temporary tables, in one transaction that sees the data of one
 * instant, takes no lock that a process waits for, and is rolled back.
 */
export function createDatabaseCheckup(options: DatabaseCheckupOptions): Checkup {
  let session: Session | undefined;
  return {
    checkOutside: options.checkOutside,
    async openCopy() {
      try {
        session = await options.connector.connect("migration", options);
        const version = await options.checkVersion(session);
        await session.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        await coverTables(session.client);
        return {
          ...createCopy(session, [schemaCheck(version), ...checksOf(options)]),
          whyOtherTables: version.whyOtherTables,
        };
      } catch (error) {
        const detail = options.explainOpening(error);
        if (detail === undefined) throw error;
        return { state: "FAILED", check: "database", detail };
      }
    },
    dispose() {
      if (session !== undefined) destroySession(session.client); // the server rolls back
    },
  };
}

function schemaCheck({ finding }: VersionFinding): EngineCheck {
  return { check: finding.check, look: async () => finding };
}

function checksOf({ name, isDev, isSynchronousRequired }: DatabaseCheckupOptions): readonly EngineCheck[] {
  return [
    { check: "server", look: (tx) => checkServer(tx, name) },
    { check: "settings", look: (tx) => checkSettings(tx, isDev) },
    { check: "standbys", look: (tx) => checkStandbys(tx, isSynchronousRequired) },
    { check: "references", look: checkPostgresReferences },
  ];
}

function createCopy({ client }: Session, checks: readonly EngineCheck[]): CopiedData {
  const tx = createLongTransaction(client);
  // A part, so that a check which fails does not end the transaction of all.
  const run = <T>(fn: (part: LongTransaction) => Promise<T>) => tx.nested(() => fn(tx));
  return {
    database: {
      read: run,
      async write(fn) {
        const result = await run(fn);
        if (result instanceof Error) throw result;
        return result as Exclude<typeof result, Error>; // as the line before has found
      },
      isFailure: isPostgresFailure,
    },
    checks,
    explain: (error) =>
      error instanceof PostgresError || error instanceof ConnectionLostError ? error.message : undefined,
    async close() {
      await client.query("ROLLBACK");
    },
  };
}
