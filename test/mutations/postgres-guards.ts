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
];
