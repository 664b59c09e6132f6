import { join } from "node:path";
import { type Guard, guards } from "../../mutations/guards.ts";
import { createCopy } from "../../mutations/project-copy.ts";
import type { Launch } from "../../support/process.ts";

/** A change that takes something out of the service which the tests of faults must miss. */
export type Crippling = Pick<Guard, "name" | "file" | "changes">;

/** The builds that the controls run: each a copy of the project with one thing taken out. */
export interface CrippledBuilds {
  /** Takes that out, and whatever was taken out before in again. Returns how to start the copy. Throws when the text has moved. */
  build(crippling: Crippling): Launch;
  discard(): void;
}

/** Makes the copy with the first build. */
export function createCrippledBuilds(): CrippledBuilds {
  let copy: ReturnType<typeof createCopy> | undefined;
  let last: Guard | undefined;
  return {
    build(crippling) {
      copy ??= createCopy();
      if (last !== undefined) copy.restore(last);
      last = { ...crippling, in: "" };
      const moved = copy.findMoved(last);
      if (moved.length > 0) throw new Error(`not once in ${crippling.file}: ${moved.join("; ")}`);
      copy.remove(last);
      return { program: join(copy.path, "src/main.ts") };
    },
    discard: () => copy?.discard(),
  };
}

/** Answers, and commits 20 ms later. */
export const earlyAnswers: Crippling = {
  name: "answers before the commit",
  file: "src/kernel/storage/engine/write-queue.ts",
  changes: [
    [
      "    const committed = engine.commit();\n",
      `    for (const [index, waiting] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === "value") waiting.resolve(outcome.value);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    const committed = engine.commit();
`,
    ],
  ],
};

/** Commits every statement alone, a millisecond after the one before. */
export const noTransactions: Crippling = {
  name: "no transactions",
  file: "src/kernel/storage/sqlite/connection.ts",
  changes: [
    [
      "run: (sql, parameters) => ",
      "run: (sql, parameters) => /^(BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK)/.test(sql) ? 0 : " +
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1) && ",
    ],
  ],
};

export const noFsync: Crippling = {
  name: "synchronous = OFF",
  file: "src/kernel/storage/sqlite/connection.ts",
  changes: [['raw.pragma("synchronous = FULL");', 'raw.pragma("synchronous = OFF");']],
};

/** Takes an I/O error for one that passes. */
export const forgivenErrors: Crippling = {
  name: "goes on after an I/O error",
  file: "src/kernel/storage/sqlite/storage-error.ts",
  changes: [
    ["return isOneOf(error, /^SQLITE_(IOERR|CORRUPT|NOTADB)/);", "return false && isOneOf(error, /./);"],
  ],
};

/** Takes a checkpoint that was not confirmed for one that can be made again. */
export const forgivenCheckpoints: Crippling = {
  name: "goes on after a checkpoint that failed",
  file: "src/kernel/storage/sqlite/checkpoints.ts",
  changes: [["if (isLostWrite(error) || (isOfFile && isUnconfirmed(error))) onFatal(error);", ""]],
};

/** Takes a commit that failed for done. */
export const swallowedErrors: Crippling = {
  name: "acknowledges a commit that failed",
  file: "src/kernel/storage/sqlite/group-commit.ts",
  changes: [['    connection.run("COMMIT", []);\n', '    try { connection.run("COMMIT", []); } catch {}\n']],
};

/** Does not know a full disk. */
export const unknownFullDisk: Crippling = {
  name: "a full disk is a bug",
  file: "src/kernel/storage/sqlite/storage-error.ts",
  changes: [["/^SQLITE_(FULL|IOERR|NOMEM|CORRUPT", "/^SQLITE_(IOERR|NOMEM|CORRUPT"]],
};

export const sequencesOfTheWall: Crippling = {
  name: "sequences follow the clock back",
  file: "src/kernel/storage/engine/sequences.ts",
  changes: [["Math.max(clock.nowMs() * 1000, last + 1)", "clock.nowMs() * 1000"]],
};

export const noLock: Crippling = guardNamed("one process on a data folder");

export const noWaiting: Crippling = {
  name: "a stop waits for nobody",
  file: "src/cli/serve-until-stopped.ts",
  changes: [["  await app.stop();\n", ""]],
};

/** Keeps the account of a call whose caller is gone. */
export const leakedCalls: Crippling = {
  name: "a call whose caller is gone stays in the account",
  file: "src/kernel/http/dispatch.ts",
  changes: [
    [
      "options.metrics.open.calls--;",
      "if (exchange !== undefined && !exchange.isGone && !exchange.body.destroyed) options.metrics.open.calls--;",
    ],
  ],
};

function guardNamed(name: string): Crippling {
  const guard = guards.find((candidate) => candidate.name === name);
  if (guard === undefined) throw new Error(`there is no guard ${name}`);
  return guard;
}
