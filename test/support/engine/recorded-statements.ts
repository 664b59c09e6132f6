import Sqlite from "better-sqlite3";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** The tests whose statements are recorded: what they say runs on any engine, and `.ci/run` runs few of them on PostgreSQL. */
const recorded =
  /\/test\/(?:api|sites|identity\/(?:applications\/saml|memberships|people\/passwords\/(?:commands|password-check)|signing-keys))/;
const isRecording = Symbol.for("statements are recorded");

/**
 * Writes down every statement that the service gives to SQLite, once for each process, in the folder that GATEHOUSE_STATEMENTS names:
 * `test/postgres/upgrade/recorded-statements.test.ts` asks PostgreSQL whether it takes them.
 */
export function recordStatements(): void {
  const { GATEHOUSE_STATEMENTS: folder } = process.env;
  const prototype = Sqlite.prototype as Sqlite.Database & { [isRecording]?: boolean };
  if (folder === undefined || prototype[isRecording] === true) return; // all files of a worker share the driver
  const { prepare } = prototype;
  const known = new Set<string>();
  Object.assign(prototype, {
    [isRecording]: true,
    prepare(this: Sqlite.Database, sql: string) {
      if (!known.has(sql) && recorded.test(testPath()) && isOfService(new Error("by whom").stack ?? "")) {
        known.add(sql);
        // As the repository has written it (`hideValues()`).
        appendFileSync(
          join(folder, `${process.pid}.jsonl`),
          `${JSON.stringify(sql.replaceAll("+?", "?"))}\n`,
        );
      }
      return prepare.call(this, sql);
    },
  });
}

/** As `.tools/environment.cjs` hands it over. */
function testPath(): string {
  return (globalThis as { readonly testPath?: string }).testPath ?? "";
}

function isOfService(stack: string): boolean {
  return stack.includes("/storage/sqlite/connection.ts");
}
