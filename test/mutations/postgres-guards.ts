import type { Guard } from "./guards.ts";

const connect = "src/kernel/storage/postgres/connect";
const tests = "test/kernel/storage/postgres";

/** Which server is the database, and whether it may be trusted. */
export const postgresGuards: readonly Guard[] = [
  {
    name: "a standby is not taken for the primary",
    file: `${connect}/server-checks.ts`,
    change: ['  if (facts.isInRecovery) throw new ServerUnfitError("it is a standby");\n', ""],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "channel_binding=require: no password without SCRAM-SHA-256-PLUS",
    file: `${connect}/channel-binding.ts`,
    change: ["      if (!isBound) throw notBound();\n", ""],
    in: "test/postgres/connect/connector.test.ts",
    test: "require refuses",
  },
  {
    name: "commits wait for a standby where they must",
    file: `${connect}/server-checks.ts`,
    change: ["    requireSynchronousNames(facts.synchronousStandbyNames);\n", ""],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "a process does not go back to an old primary",
    file: `${connect}/fence.ts`,
    change: ["if (timeline < newest)", "if (timeline < 0)"],
    in: `${tests}/server-checks.test.ts`,
  },
  {
    name: "nothing is read once the standby does not answer",
    file: `${connect}/read-fence.ts`,
    change: ["<= limitMs", "<= Infinity"],
    in: `${tests}/read-fence.test.ts`,
  },
  {
    name: "another machine needs a verified certificate",
    file: `${connect}/address.ts`,
    change: [" && !isLocal && !isDev", " && !isLocal && isDev"],
    in: `${tests}/address.test.ts`,
  },
  {
    name: "a file of passwords that others can read is refused",
    file: `${connect}/passwords.ts`,
    change: ["& 0o007", "& 0"],
    in: `${tests}/passwords.test.ts`,
  },
  {
    name: "a migration locks first what it alters",
    file: "src/kernel/storage/postgres/migrations/migrate.ts",
    change: ["    await lockAltered(client, script);\n", ""],
    in: "test/postgres/connect/migrate.test.ts",
    test: "has locked every table",
  },
  {
    name: "every section locks the position",
    file: "src/kernel/storage/postgres/section-connection.ts",
    change: ["WHERE is_only = 1 FOR UPDATE`", "WHERE is_only = 1`"],
    in: "test/postgres/engine/several-processes.test.ts",
  },
  {
    name: "a section sees what was committed while it waited",
    file: "src/kernel/storage/postgres/section-connection.ts",
    change: ["ISOLATION LEVEL READ COMMITTED READ WRITE", "ISOLATION LEVEL REPEATABLE READ READ WRITE"],
    in: "test/postgres/engine/sections.test.ts",
    test: "begins once",
  },
  {
    name: "a write to a watched table raises the version",
    file: "src/kernel/storage/postgres/section-commits.ts",
    change: ["row.access_version + (hasTouchedAccess ? 1 : 0)", "row.access_version"],
    in: "test/postgres/engine/several-processes.test.ts",
    test: "watched table",
  },
  {
    name: "a section that was not committed has no version",
    file: "src/kernel/storage/postgres/section-commits.ts",
    change: [
      "const stored = this.#current?.stored;",
      "const stored = this.#current && newRow(this.#current);",
    ],
    in: "test/postgres/engine/access-version.test.ts",
  },
  {
    name: "a primary that was replaced answers no read",
    file: "src/kernel/storage/postgres/postgres-database.ts",
    change: ["newestTimeline: connector.fence.timeline", "newestTimeline: () => 0"],
    in: "test/postgres/engine/lost-reads.test.ts",
    test: "was replaced",
  },
  {
    name: "a warning at COMMIT leaves the outcome open",
    file: "src/kernel/storage/postgres/section-connection.ts",
    change: ["if (connection.warnings === warnings) return", "return"],
    in: "test/postgres/engine/unknown-outcome.test.ts",
    test: "cancelled",
  },
  {
    name: "a COMMIT that was answered with ROLLBACK has kept nothing",
    file: "src/kernel/storage/postgres/section-connection.ts",
    change: ['if (command !== "COMMIT") return { kind: "rolled back" };', ""],
    in: "test/postgres/engine/sections.test.ts",
    test: "the row of one is refused",
  },
  {
    name: "no command acts on an answer that an earlier one has made wrong",
    file: "src/kernel/storage/postgres/early-reads.ts",
    change: ["!mayChange(read, write, values)", "true"],
    in: "test/postgres/engine/early-reads.test.ts",
    test: "an early read",
  },
  {
    name: "a command that was started early sees what an earlier one has done to its access",
    file: "src/kernel/storage/postgres/early-starts.ts",
    change: ["return revision === this.#setup.revision();", "return revision >= 0;"],
    in: "test/postgres/engine/early-starts.test.ts",
    test: "is thrown away when",
  },
  {
    name: "a start that does not count leaves no steps",
    file: "src/identity/context.ts",
    change: ["    after.length = 0; // of an earlier call of this function, which does not count\n", ""],
    in: "test/identity/context.test.ts",
  },
  {
    name: "a leader does not go on by the lock of an old primary",
    file: "src/kernel/storage/postgres/session/session-locks.ts",
    change: ["current.timeline < newestTimeline()", "current.timeline < 0"],
    in: "test/postgres/connect/session-locks.test.ts",
    test: "has seen a later primary",
  },
  {
    name: "a row of writers that is gone says nothing after half a day",
    file: "src/kernel/storage/postgres/writer-row.ts",
    change: ["> trustMs)", "> Infinity)"],
    in: "test/postgres/engine/unknown-outcome.test.ts",
    test: "after half a day",
  },
  {
    name: "a password on the command line",
    file: "src/config/place.ts",
    change: ['flags["database"] !== undefined && hasPassword(url)', "false"],
    in: "test/config/place.test.ts",
  },
  {
    name: "a key file that serve creates for a database",
    file: "src/kernel/storage/places/database-place.ts",
    change: [
      "const keys = readSharedKeyFile(keyFile);",
      'const keys = "k1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\\n";',
    ],
    in: "test/postgres/cli/commands.test.ts",
    test: "none without",
  },
];
