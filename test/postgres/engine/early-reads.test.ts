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

const children = ["SELECT id FROM children ORDER BY id"] as const;
const ofParent = (id: string) => ["SELECT id FROM children WHERE parent = ?", [id]] as const;
const add = run(insertChild, ["c", "p", ""]);

/** The last column: how often the read is sent. */
const cases: readonly (readonly [
  what: string,
  write: Work<unknown>,
  read: readonly [sql: string, parameters?: readonly SqlValue[]],
  found: string,
  asked: number,
])[] = [
  ["nothing", nothing, children, "ab", 1],
  ["an INSERT elsewhere", add, [readParents], "pq", 1],
  ["an INSERT", add, children, "abc", 2],
  ["an INSERT that a lookup finds", add, ofParent("p"), "ac", 2],
  ["an INSERT that a lookup does not find", add, ofParent("q"), "b", 1],
  ["an INSERT of a parent", run(insertParent, ["r", ""]), ofParent("q"), "b", 1],
  [
    "an INSERT of constants",
    run("INSERT INTO children (id, parent, value) VALUES (?, 'p', '')", ["c"]),
    ofParent("p"),
    "ac",
    2,
  ],
  [
    "an INSERT that returns its row",
    (tx) => tx.all(`${insertChild} RETURNING id`, ["c", "p", ""]),
    ofParent("p"),
    "ac",
    2,
  ],
  [
    "an INSERT of what a query finds",
    run("INSERT INTO children (id, parent, value) SELECT 'c', id, '' FROM parents WHERE id = ?", ["p"]),
    ofParent("p"),
    "ac",
    2,
  ],
  [
    "an INSERT that updates",
    run(`${insertChild} ON CONFLICT (id) DO UPDATE SET parent = 'p'`, ["b", "q", ""]),
    ofParent("p"),
    "ab",
    2,
  ],
  ["an UPDATE", (tx) => tx.change("UPDATE children SET parent = 'p'"), ofParent("p"), "ab", 2],
  ["a DELETE", (tx) => tx.change("DELETE FROM children WHERE id = 'a'"), ofParent("p"), "", 2],
  ["a DELETE of what it refers to", run("DELETE FROM parents WHERE id = 'p'"), ofParent("p"), "", 2],
  ["a DELETE through a view", run("DELETE FROM shown_parents WHERE id = 'p'"), ofParent("p"), "", 2],
  [
    "a write in a query",
    (tx) => tx.all("WITH gone AS (DELETE FROM children WHERE id = 'a' RETURNING id) SELECT id FROM gone"),
    children,
    "b",
    2,
  ],
  [
    "an UPDATE of a table behind a view",
    run(
      "UPDATE parents SET id = 'r' WHERE id = 'q' AND NOT EXISTS (SELECT 1 FROM children WHERE parent = 'q') OR id = 'none'",
    ),
    ["SELECT id FROM shown_parents ORDER BY id"],
    "pq",
    2,
  ],
  ["an INSERT in a part", (tx) => tx.nested(add), ofParent("p"), "ac", 2],
  [
    "a part that is undone",
    (tx) => tx.nested((part) => part.change("DELETE FROM children").then(fail)).catch(() => "undone"),
    children,
    "ab",
    2,
  ],
];

describe("an early read", () => {
  test.each(cases)(
    "that is followed by %s is asked as often as it must",
    async (_what, write, read, found, asked) => {
      const texts = await statementsOf(async () => {
        const [, rows] = await Promise.all([first(write), early((tx) => tx.all<{ id: string }>(...read))]);
        expect(
          rows
            .map(({ id }) => id)
            .toSorted()
            .join(""),
        ).toBe(found);
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
