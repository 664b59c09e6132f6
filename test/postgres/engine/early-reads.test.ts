import { describe, expect, test } from "@jest/globals";
import type { SqlValue } from "../../../src/kernel/base/database.ts";
import {
  fail,
  insertChild,
  insertParent,
  nothing,
  parentsOf,
  readParents,
  run,
  settle,
  useFamilies,
  type Work,
} from "./early-support.ts";
import { openProcess, statementsOf } from "./support.ts";

const on = useFamilies();
const { early, first } = on;

/** `asked`: how often the read is sent. */
interface Case {
  readonly what: string;
  readonly write: Work<unknown>;
  readonly read: readonly [sql: string, parameters?: readonly SqlValue[]];
  readonly found: readonly string[];
  readonly asked: number;
}

const children = "SELECT id FROM children ORDER BY id";
const ofParent = "SELECT id FROM children WHERE parent = ?";
const cases: readonly Case[] = [
  { what: "nothing", write: nothing, read: [children], found: ["a", "b"], asked: 1 },
  {
    what: "an INSERT elsewhere",
    write: run(insertChild, ["c", "p", ""]),
    read: [readParents],
    found: ["p", "q"],
    asked: 1,
  },
  {
    what: "an INSERT",
    write: run(insertChild, ["c", "p", ""]),
    read: [children],
    found: ["a", "b", "c"],
    asked: 2,
  },
  {
    what: "an INSERT that a lookup finds",
    write: run(insertChild, ["c", "p", ""]),
    read: [ofParent, ["p"]],
    found: ["a", "c"],
    asked: 2,
  },
  {
    what: "an INSERT that a lookup does not find",
    write: run(insertChild, ["c", "p", ""]),
    read: [ofParent, ["q"]],
    found: ["b"],
    asked: 1,
  },
  {
    what: "an INSERT of a parent",
    write: run(insertParent, ["r", ""]),
    read: [ofParent, ["q"]],
    found: ["b"],
    asked: 1,
  },
  {
    what: "an INSERT of constants",
    write: run("INSERT INTO children (id, parent, value) VALUES (?, 'p', '')", ["c"]),
    read: [ofParent, ["p"]],
    found: ["a", "c"],
    asked: 2,
  },
  {
    what: "an INSERT that returns its row",
    write: (tx) => tx.all(`${insertChild} RETURNING id`, ["c", "p", ""]),
    read: [ofParent, ["p"]],
    found: ["a", "c"],
    asked: 2,
  },
  {
    what: "an INSERT of what a query finds",
    write: run("INSERT INTO children (id, parent, value) SELECT 'c', id, '' FROM parents WHERE id = ?", [
      "p",
    ]),
    read: [ofParent, ["p"]],
    found: ["a", "c"],
    asked: 2,
  },
  {
    what: "an INSERT that updates",
    write: run(`${insertChild} ON CONFLICT (id) DO UPDATE SET parent = 'p'`, ["b", "q", ""]),
    read: [ofParent, ["p"]],
    found: ["a", "b"],
    asked: 2,
  },
  {
    what: "an UPDATE",
    write: (tx) => tx.change("UPDATE children SET parent = 'p'"),
    read: [ofParent, ["p"]],
    found: ["a", "b"],
    asked: 2,
  },
  {
    what: "a DELETE",
    write: (tx) => tx.change("DELETE FROM children WHERE id = 'a'"),
    read: [ofParent, ["p"]],
    found: [],
    asked: 2,
  },
  {
    what: "a DELETE of what it refers to",
    write: run("DELETE FROM parents WHERE id = 'p'"),
    read: [ofParent, ["p"]],
    found: [],
    asked: 2,
  },
  {
    what: "a DELETE through a view",
    write: run("DELETE FROM shown_parents WHERE id = 'p'"),
    read: [ofParent, ["p"]],
    found: [],
    asked: 2,
  },
  {
    what: "a write in a query",
    write: (tx) =>
      tx.all("WITH gone AS (DELETE FROM children WHERE id = 'a' RETURNING id) SELECT id FROM gone"),
    read: [children],
    found: ["b"],
    asked: 2,
  },
  {
    what: "an UPDATE of a table behind a view",
    write: run(
      "UPDATE parents SET id = 'r' WHERE id = 'q' AND NOT EXISTS (SELECT 1 FROM children WHERE parent = 'q') OR id = 'none'",
    ),
    read: ["SELECT id FROM shown_parents ORDER BY id"],
    found: ["p", "q"],
    asked: 2,
  },
  {
    what: "an INSERT in a part",
    write: (tx) => tx.nested((part) => part.run(insertChild, ["c", "p", ""])),
    read: [ofParent, ["p"]],
    found: ["a", "c"],
    asked: 2,
  },
  {
    what: "a part that is undone",
    write: (tx) =>
      tx
        .nested(async (part) => {
          await part.change("DELETE FROM children");
          throw new Error("undone");
        })
        .catch(() => "undone"),
    read: [children],
    found: ["a", "b"],
    asked: 2,
  },
];

describe("an early read", () => {
  test.each(cases)(
    "that is followed by $what is asked $asked times",
    async ({ write, read, found, asked }) => {
      const texts = await statementsOf(async () => {
        const [, rows] = await Promise.all([first(write), early((tx) => tx.all<{ id: string }>(...read))]);
        expect(rows.map(({ id }) => id).toSorted()).toEqual(found);
      });
      const text = read[0].replace("?", "$1");
      expect(texts.filter((each) => each === text)).toHaveLength(asked);
    },
  );

  test.each([
    ["that has read before", first],
    ["that writes at once", (work: Work<unknown>) => on.database.write(work)],
  ])("sees nothing of a command %s and was undone", async (_what, write) => {
    const [, seen] = await settle(
      write(async (tx) => {
        await tx.change("DELETE FROM children");
        await tx.get("SELECT 1");
        return await fail();
      }),
      early((tx) => tx.all("SELECT id FROM children WHERE parent = ?", ["p"])),
    );
    expect(seen).toEqual([{ id: "a" }]);
  });

  test("that is stale is asked again together with others", async () => {
    const ask = (index: number) => early(async (tx) => [await parentsOf(tx), index]);
    const texts = await statementsOf(async () => {
      const [, ...seen] = await Promise.all([
        first((tx) => tx.run(insertParent, ["r", ""])),
        ...[1, 2, 3, 4].map(ask),
      ]);
      expect(seen.map((each) => each[0])).toEqual(["pqr", "pqr", "pqr", "pqr"]);
    });
    expect(texts.filter((text) => text === readParents)).toHaveLength(8);
    expect(texts.filter((text) => text.startsWith("INSERT INTO parents"))).toHaveLength(1);
  });

  test("is hardly asked any more where commands change what the next ones need, until it is of use again", async () => {
    let last = 0;
    const change: Work<unknown> = async (tx) => {
      await parentsOf(tx);
      await tx.run(insertParent, [`added ${++last}`, ""]);
    };
    const round = (count: number, work: Work<unknown>) =>
      Promise.all(Array.from({ length: count }, () => early(work)));
    /** Returns how often it was asked beyond once for each command. */
    const repeatsIn = async (rounds: number) => {
      const texts = await statementsOf(async () => {
        for (let index = 0; index < rounds; index += 1) await round(10, change);
      });
      return texts.filter((text) => text === readParents).length - rounds * 10;
    };
    expect(await repeatsIn(1)).toBe(16);
    expect(await repeatsIn(5)).toBe(5);
    await round(100, parentsOf);
    expect(await repeatsIn(1)).toBeGreaterThan(16);
  });
});

test("no table of the schema has a trigger, which could write to others", async () => {
  const url = await on.cluster.makeDatabase();
  await (await openProcess(url)).close();
  const rows = await on.cluster.ask("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal", url);
  expect(rows).toEqual([]);
});
