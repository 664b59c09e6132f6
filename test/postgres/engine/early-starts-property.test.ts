import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Database, TableWatch, WriteTransaction } from "../../../src/kernel/base/database.ts";
import { createTestClock } from "../../support/clock.ts";
import { shareServer, type TestDatabases } from "../connect/support/cluster.ts";
import { insertChild, insertParent, openFamilies } from "./early-support.ts";

// Commands that are written at the same time, and started early or not, end as if they were written one after the other.

interface Side {
  readonly database: Database;
  readonly watch: TableWatch;
}

let cluster: TestDatabases;
let together: Side;
let inTurn: Side;

const open = async (): Promise<Side> => {
  const database = await openFamilies(cluster, { clock: createTestClock() });
  return { database, watch: database.watchOwn(["children"]) };
};
beforeAll(async () => {
  cluster = shareServer();
  [together, inTurn] = [await open(), await open()];
});
afterAll(async () => {
  await Promise.all([together, inTurn].map(({ database }) => database.close()));
  await cluster.close();
});

const parentIds = ["p", "q", "r"];
const reads = [
  "SELECT id, value FROM parents WHERE id = ?",
  "SELECT id, value FROM children WHERE parent = ? ORDER BY id",
  "SELECT COUNT(*) AS count, MIN(id) AS first, MAX(value) AS last FROM children WHERE parent = ?",
  "SELECT id, value FROM shown_parents WHERE value <> ? ORDER BY id",
  "SELECT (SELECT COUNT(*) FROM children WHERE parent = ?) AS count FROM parents",
  "SELECT c.id, p.value FROM children c JOIN parents p ON p.id = c.parent WHERE p.id = ? ORDER BY c.id",
  "SELECT (SELECT value FROM parents WHERE id = ?) AS value FOR SHARE",
];
const writes = [
  "UPDATE parents SET value = value || '1' WHERE id = ?",
  "UPDATE children SET value = value || '2' WHERE parent = ?",
  "DELETE FROM children WHERE parent = ?",
  "DELETE FROM parents WHERE id = ?",
  "DELETE FROM shown_parents WHERE id = ?",
];

type Step =
  | { readonly kind: "read"; readonly all: readonly string[]; readonly id: string }
  | { readonly kind: "run" | "change"; readonly sql: string; readonly id: string }
  | { readonly kind: "add parent" | "add child"; readonly id: string }
  | { readonly kind: "part"; readonly steps: readonly Step[]; readonly isUndone: boolean };

interface Command {
  readonly isEarly: boolean;
  readonly readsFirst: boolean;
  readonly steps: readonly Step[];
  readonly end: "value" | "throw";
}

const id = fc.constantFrom(...parentIds);
const simple: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("read" as const),
    all: fc.array(fc.constantFrom(...reads), { minLength: 1, maxLength: 2 }),
    id,
  }),
  fc.record({
    kind: fc.constantFrom("run" as const, "change" as const),
    sql: fc.constantFrom(...writes),
    id,
  }),
  fc.record({ kind: fc.constantFrom("add parent" as const, "add child" as const), id }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("part" as const),
      steps: fc.array(simple, { maxLength: 3 }),
      isUndone: fc.boolean(),
    }),
  },
);
const command: fc.Arbitrary<Command> = fc.record({
  isEarly: fc.oneof(fc.constant(true), fc.boolean()),
  readsFirst: fc.boolean(),
  steps: fc.array(step, { maxLength: 4 }),
  end: fc.constantFrom("value", "value", "value", "throw"),
});

/** Takes the steps, with ids that begin with `name`, and notes what it reads. */
async function take(tx: WriteTransaction, steps: readonly Step[], to: { name: string; seen: unknown[] }) {
  for (const [index, each] of steps.entries()) {
    const name = `${to.name}-${index}`;
    switch (each.kind) {
      case "read":
        to.seen.push(await Promise.all(each.all.map((sql) => tx.all(sql, [each.id]))));
        break;
      case "run":
        await tx.run(each.sql, [each.id]);
        break;
      case "change":
        to.seen.push(await tx.change(each.sql, [each.id]));
        break;
      case "add parent":
        // By what was read: a stale answer ends in a row that is there twice.
        if ((await tx.get(reads[0] ?? "", [each.id])) === undefined)
          await tx.run(insertParent, [each.id, name]);
        break;
      case "add child":
        // The same: in a parent that is gone.
        if ((await tx.get(reads[0] ?? "", [each.id])) !== undefined)
          await tx.run(insertChild, [name, each.id, "0"]);
        break;
      case "part":
        await tx
          .nested(async (part) => {
            await take(part, each.steps, { ...to, name });
            if (each.isUndone) throw new Error("a part");
          })
          .catch((error: unknown) => to.seen.push(error));
    }
  }
}

async function reset({ database }: Side): Promise<void> {
  await database.write(async (tx) => {
    await tx.run("DELETE FROM parents");
    await tx.run(insertParent, ["p", "0"]);
    await tx.run(insertParent, ["q", "0"]);
    await tx.run(insertChild, ["a", "p", "0"]);
  });
}

/** Writes the commands as `order` says, and returns what each has seen and how it ended, and what is stored then. */
async function outcomeOf(
  { database, watch }: Side,
  commands: readonly Command[],
  order: (works: readonly (() => Promise<unknown>)[]) => Promise<unknown>,
) {
  const outcomes: unknown[] = [];
  const before = watch.written();
  const works = commands.map(({ isEarly, readsFirst, steps, end }, index) => async () => {
    const work = async (tx: WriteTransaction) => {
      const seen: unknown[] = [watch.written() - before];
      if (readsFirst) seen.push(await tx.all("SELECT id FROM parents ORDER BY id"));
      await take(tx, steps, { name: `${index}`, seen });
      if (end === "throw") throw new Error(JSON.stringify(seen));
      return { seen };
    };
    const ended = await database
      .write(work, { mayStartEarly: isEarly })
      .catch((error: unknown) => ({ error: String(error) }));
    outcomes[index] = ended;
  });
  await order(works);
  const stored = await database.read(async (tx) => [
    await tx.all("SELECT * FROM parents ORDER BY id"),
    await tx.all("SELECT * FROM children ORDER BY id"),
  ]);
  return { outcomes, stored };
}

test("commands together end as one after the other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 40 }), async (commands) => {
      await Promise.all([reset(together), reset(inTurn)]);
      const [one, other] = await Promise.all([
        outcomeOf(together, commands, (works) => Promise.all(works.map((work) => work()))),
        outcomeOf(inTurn, commands, async (works) => {
          for (const work of works) await work();
        }),
      ]);
      expect(one).toEqual(other);
    }),
    { numRuns: 60 },
  );
}, 60_000);
