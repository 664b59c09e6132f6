import type { Guard } from "./guards.ts";

const connect = "src/storage/postgres/connect";
const tests = "test/storage/postgres";

/** Which server is the database, and whether it may be trusted. */
export const postgresGuards: readonly Guard[] = [
  {
    name: "a standby is not taken for the primary",
    file: `${connect}/server-checks.ts`,
    changes: [['  if (facts.isInRecovery) throw new ServerUnfitError("it is a standby");\n', ""]],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "commits wait for a standby where they must",
    file: `${connect}/server-checks.ts`,
    changes: [["    requireSynchronousNames(facts.synchronousStandbyNames);\n", ""]],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "a process does not go back to an old primary",
    file: `${connect}/fence.ts`,
    changes: [["if (timeline < newest)", "if (timeline < 0)"]],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "nothing is read once the standby does not answer",
    file: `${connect}/read-fence.ts`,
    changes: [["<= limitMs", "<= Infinity"]],
    in: `${tests}/read-fence.test.ts`,
  },
  {
    name: "another machine needs a verified certificate",
    file: `${connect}/address.ts`,
    changes: [[" && !isLocal && !isDev", " && !isLocal && isDev"]],
    in: `${tests}/address.test.ts`,
  },
  {
    name: "a file of passwords that others can read is refused",
    file: `${connect}/passwords.ts`,
    changes: [["& 0o007", "& 0"]],
    in: `${tests}/passwords.test.ts`,
  },
  {
    name: "a migration does not wait for readers while it keeps them waiting",
    file: "src/storage/postgres/migrations/lock-altered.ts",
    changes: [["export const readersTimeoutMs = 500;", "export const readersTimeoutMs = 5000;"]],
    in: "test/postgres/connect/migrate.test.ts",
    test: "without a deadlock",
  },
  {
    name: "a migration locks first what it alters",
    file: "src/storage/postgres/migrations/migrate.ts",
    changes: [["    await lockAltered(client, script);\n", ""]],
    in: "test/postgres/connect/migrate.test.ts",
    test: "has locked every table",
  },
  {
    name: "every section locks the position",
    file: "src/storage/postgres/section-connection.ts",
    changes: [["WHERE is_only = 1 FOR UPDATE`", "WHERE is_only = 1`"]],
    in: "test/postgres/engine/several-processes.test.ts",
  },
  {
    name: "a section sees what was committed while it waited",
    file: "src/storage/postgres/section-connection.ts",
    changes: [["ISOLATION LEVEL READ COMMITTED READ WRITE", "ISOLATION LEVEL REPEATABLE READ READ WRITE"]],
    in: "test/postgres/engine/sections.test.ts",
    test: "begins once",
  },
  {
    name: "a write to a watched table raises the version",
    file: "src/storage/postgres/section-commits.ts",
    changes: [["row.access_version + (hasTouchedAccess ? 1 : 0)", "row.access_version"]],
    in: "test/postgres/engine/several-processes.test.ts",
    test: "watched table",
  },
  {
    name: "a section that was not committed has no version",
    file: "src/storage/postgres/section-commits.ts",
    changes: [
      ["const stored = this.#current?.stored;", "const stored = this.#current && newRow(this.#current);"],
    ],
    in: "test/postgres/engine/access-version.test.ts",
  },
  {
    name: "a primary that was replaced answers no read",
    file: "src/storage/postgres/postgres-database.ts",
    changes: [["newestTimeline: connector.fence.timeline", "newestTimeline: () => 0"]],
    in: "test/postgres/engine/lost-reads.test.ts",
    test: "was replaced",
  },
  {
    name: "a warning at COMMIT leaves the outcome open",
    file: "src/storage/postgres/section-connection.ts",
    changes: [["if (connection.warnings === warnings) return", "return"]],
    in: "test/postgres/engine/unknown-outcome.test.ts",
    test: "cancelled",
  },
  {
    name: "a COMMIT that was answered with ROLLBACK has kept nothing",
    file: "src/storage/postgres/section-connection.ts",
    changes: [['if (command !== "COMMIT") return { kind: "rolled back" };', ""]],
    in: "test/postgres/engine/sections.test.ts",
    test: "the row of one is refused",
  },
  {
    name: "rows of other commands come before the savepoint",
    file: "src/storage/postgres/section.ts",
    changes: [["    this.#prepareToWrite(scope.parent);\n", ""]],
    in: "test/postgres/engine/sections.test.ts",
    test: "keep their rows",
  },
  {
    name: "a leader does not go on by the lock of an old primary",
    file: "src/storage/postgres/session/session-locks.ts",
    changes: [["current.timeline < newestTimeline()", "current.timeline < 0"]],
    in: "test/postgres/connect/session-locks.test.ts",
    test: "has seen a later primary",
  },
  {
    name: "a row of writers that is gone says nothing after half a day",
    file: "src/storage/postgres/writer-row.ts",
    changes: [["> trustMs)", "> Infinity)"]],
    in: "test/postgres/engine/unknown-outcome.test.ts",
    test: "after half a day",
  },
  {
    name: "a pooler in transaction mode is refused",
    file: `${connect}/pooler-check.ts`,
    changes: [["if (held.has(backend)) {", "if (false) {"]],
    in: "test/postgres/connect/pooler.test.ts",
    test: "in transaction mode",
  },
  {
    name: "files that gatehouse init finds",
    file: "src/cli/init.ts",
    changes: [["if (existsSync(file))", "if (false)"]],
    in: "test/postgres/cli/commands.test.ts",
    test: "overwrites no file",
  },
  {
    name: "processes beside a rebuild",
    file: "src/cli/rebuild.ts",
    changes: [["isAlone: !isForced", "isAlone: false"]],
    in: "test/postgres/cli/commands.test.ts",
    test: "a rebuild of a used database needs --force",
  },
  {
    name: "a password on the command line",
    file: "src/config/place.ts",
    changes: [['flags["database"] !== undefined && hasPassword(url)', "false"]],
    in: "test/config/place.test.ts",
  },
  {
    name: "a key file that serve creates for a database",
    file: "src/storage/places/database-place.ts",
    changes: [
      [
        "const keys = readSharedKeyFile(keyFile);",
        'const keys = "k1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\\n";',
      ],
    ],
    in: "test/postgres/cli/commands.test.ts",
    test: "none without",
  },
];
