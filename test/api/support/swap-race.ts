import type { Operation, Version } from "../../support/linearizability.ts";
import type { Racer } from "./racer.ts";

/** An object of the service, taken for a register: its sequence, and one value of it that each update replaces. */
export interface Register {
  read(client: Racer): Promise<Version>;
  /** Updates with `if-match`, to a value that it never had before. */
  swap(client: Racer, expected: number): Promise<Swap>;
}

/** What came of an update: another version, or the sequence that stood against it. */
export type Swap =
  | { readonly kind: "swapped"; readonly version: Version }
  | { readonly kind: "refused"; readonly current: number };

/**
 * Has the clients, `atOnce` of them at the same time, update the register `updates` times in all, and returns what each did
 * and was told. Each reads before it updates; those who are hasty take, once refused, the sequence that they were told instead.
 */
export async function race(
  register: Register,
  clients: readonly Racer[],
  how: {
    readonly updates: number;
    readonly atOnce: number;
    readonly isHasty: (client: number) => boolean;
  },
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  const free = clients.map((client, index) =>
    createRunner({ register, client, operations }, how.isHasty(index)),
  );
  let left = how.updates;
  const run = async () => {
    while (left > 0) {
      left -= 1;
      const runner = free.shift();
      if (runner === undefined) throw new Error("fewer clients than are to run at once");
      await runner();
      free.push(runner);
    }
  };
  await Promise.all(Array.from({ length: how.atOnce }, run));
  return operations;
}

interface Run {
  readonly register: Register;
  readonly client: Racer;
  readonly operations: Operation[];
}

/** Returns what makes one update. */
function createRunner(run: Run, isHasty: boolean): () => Promise<void> {
  let told: number | undefined;
  return async () => {
    const expected = told ?? (await read(run));
    const current = await swap(run, expected);
    told = isHasty ? current : undefined;
  };
}

async function read({ register, client, operations }: Run): Promise<number> {
  const calledAt = performance.now();
  const version = await register.read(client);
  operations.push({ kind: "read", version, calledAt, answeredAt: performance.now() });
  return version.sequence;
}

/** Returns the sequence that stood against it; undefined when none did. */
async function swap({ register, client, operations }: Run, expected: number): Promise<number | undefined> {
  const calledAt = performance.now();
  const came = await register.swap(client, expected);
  operations.push({ ...came, expected, calledAt, answeredAt: performance.now() });
  return came.kind === "refused" ? came.current : undefined;
}
