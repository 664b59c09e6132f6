import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import type { NewEvent, Parents, Projection, Taken } from "../../../src/kernel/events/event.ts";
import { createTakenCounter, maxTaken, maxWalked } from "../../../src/kernel/events/taken-along.ts";
import { openTestLog, type TestLog } from "./test-log.ts";

let log: TestLog;
beforeAll(async () => {
  log = await openTestLog();
});
afterAll(() => log.close());

const removal = (aggregateId: string): NewEvent => ({
  type: "user.token.removed",
  aggregateId,
  resourceOwner: "1",
  payload: { token_id: "2" },
});

/** Selects so many rows. */
const numbers = (upTo: number | string) =>
  `SELECT i FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${upTo}) SELECT i FROM n) AS n`;

function count(taken: readonly Taken[], ...removals: readonly NewEvent[]) {
  const projections: readonly Projection[] = taken.map((each) => ({
    tables: [],
    on: {},
    takenAlong: { "user.token.removed": [each] },
  }));
  const counter = createTakenCounter(projections);
  return log.database.write(async (tx) => (await counter.begin(tx, removals, 5)).end(tx));
}

test("counts objects of every projection, sorted by type, and leaves out types without any", async () => {
  const taken = await count(
    [
      { type: "user.token", rows: [numbers(3)] },
      { type: "session", rows: ["SELECT 1 WHERE 1 = 2"] },
      { type: "membership", rows: [numbers(2), numbers(5)] },
    ],
    removal("7"),
  );
  expect(taken).toEqual([
    { type: "membership", count: 7 },
    { type: "user.token", count: 2 }, // one of them is the token that is removed
  ]);
});

test("binds the object and the time, wherever they stand", async () => {
  const rows = ["SELECT 1 WHERE :now + 0 = 5 AND :id = '7'", "SELECT 1 WHERE :id = '7' AND :now + 0 = 5"];
  expect(await count([{ type: "session", rows }], removal("7"))).toEqual([{ type: "session", count: 2 }]);
  expect(await count([{ type: "session", rows }], removal("8"))).toEqual([]);
});

test("adds up several removals", async () => {
  const taken: Taken = { type: "session", rows: [numbers(4)] };
  expect(await count([taken], removal("7"), removal("8"))).toEqual([{ type: "session", count: 8 }]);
});

test.each([
  [maxTaken, maxTaken],
  [maxTaken + 1, maxTaken + 1],
  [maxTaken + 2, maxTaken + 1],
])("of %d objects counts %d", async (there, counted) => {
  const rows = [numbers(there)];
  expect(await count([{ type: "session", rows }], removal("7"))).toEqual([
    { type: "session", count: counted },
  ]);
  expect(await count([{ type: "session", rows }], removal("7"), removal("8"))).toEqual([
    { type: "session", count: maxTaken + 1 },
  ]);
});

describe("what hangs on many objects", () => {
  /** So many objects, whose ids are numbers. */
  const parents = (upTo: number): Parents => ({
    ids: `SELECT CAST(i AS TEXT) AS id FROM (${numbers(upTo)}) AS p`,
  });
  /** So many rows for each portion that is asked about. */
  const rows = (upTo: number) => `SELECT 1 FROM (${numbers(upTo)}) AS r WHERE '1' IN :ids OR TRUE`;

  /** Counts, and says how many ids each statement was about, and where other work got a turn. */
  async function watch(taken: readonly Taken[]) {
    const counter = createTakenCounter([{ tables: [], on: {}, takenAlong: { "user.token.removed": taken } }]);
    const steps: (string | number)[] = [];
    const found = await log.database.write(async (tx) => {
      const watched: WriteTransaction = {
        ...tx,
        get: async (sql, parameters = []) => {
          steps.push(new Set(parameters).size);
          return await tx.get(sql, parameters);
        },
        all: async (sql, parameters = []) => {
          steps.push("ids");
          return await tx.all(sql, parameters);
        },
        pause: async () => {
          steps.push("pause");
        },
      };
      return await (await counter.begin(watched, [removal("7")], 5)).end(tx);
    });
    return { steps, found };
  }

  test("is counted portion by portion, and other work gets a turn after each", async () => {
    const many = parents(130);
    const { steps, found } = await watch([
      { type: "session", ofEach: [{ parents: many, rows: rows(2) }] },
      { type: "authorization", ofEach: [{ parents: many, rows: rows(1) }] },
    ]);
    const each = [64, "pause", 64, "pause", 2, "pause"];
    expect(steps).toEqual(["ids", "pause", ...each, ...each]);
    expect(found).toEqual([
      { type: "authorization", count: 3 },
      { type: "session", count: 6 },
    ]);
  });

  test("is counted no further than to the limit", async () => {
    const { steps, found } = await watch([
      { type: "session", ofEach: [{ parents: parents(640), rows: rows(maxTaken / 2 + 1) }] },
    ]);
    expect(steps).toEqual(["ids", "pause", 64, "pause", 64]);
    expect(found).toEqual([{ type: "session", count: maxTaken + 1 }]);
  });

  test("counts once where the same object is found twice", async () => {
    const twice: Parents = { ids: "SELECT '3' AS id UNION ALL SELECT '3' UNION ALL SELECT '4'" };
    const { steps } = await watch([{ type: "session", ofEach: [{ parents: twice, rows: rows(1) }] }]);
    expect(steps).toEqual(["ids", "pause", 2, "pause"]);
  });

  test("is counted of no more objects than may be looked through", async () => {
    const of = parents(130);
    // Each has 100 others, so that two portions have more than enough.
    const ids = `SELECT p.id || '-' || CAST(n.i AS TEXT) AS id FROM (${of.ids}) AS p
      JOIN (${numbers(100)}) AS n ON TRUE WHERE p.id IN :ids`;
    const { steps } = await watch([{ type: "session", ofEach: [{ parents: { of, ids }, rows: rows(1) }] }]);
    expect(steps.slice(0, 5)).toEqual(["ids", "pause", "ids", "pause", "ids"]);
    const counted = steps.slice(5).filter((step) => typeof step === "number");
    expect(counted.reduce((sum, size) => sum + size, 0)).toBe(maxWalked);
  });
});

test("counts no object that is left", async () => {
  const part: Taken = { type: "session", rows: [numbers(maxTaken + 7)], isPart: true };
  expect(await count([part], removal("7"))).toEqual([]);
});

test("a removal of which no projection says anything runs no statement", async () => {
  const counter = createTakenCounter([]);
  const refuse = () => Promise.reject(new Error("a statement"));
  const taken = await log.database.write(async (tx) => {
    const refusing = { ...tx, get: refuse, all: refuse, run: refuse, change: refuse };
    return await (await counter.begin(refusing, [removal("7")], 5)).end(refusing);
  });
  expect(taken).toEqual([]);
});
