import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { gatehouse, type Pair, startPair } from "./pair.ts";
import { query, untilTrue } from "./sql.ts";

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await query(pair.primary().url(gatehouse, gatehouse), "CREATE TABLE things (id INTEGER)");
});
afterAll(async () => await pair.remove());

const add = async (id: number) =>
  await query(pair.primary().url(gatehouse, gatehouse), `INSERT INTO things VALUES (${id})`);
const ids = async () =>
  (await query<{ id: number }>(pair.primary().url(gatehouse), "SELECT id FROM things ORDER BY id")).map(
    ({ id }) => id,
  );

test("a commit waits for the standby", async () => {
  await pair.standby().stop("immediate");
  let isDone = false;
  const adding = add(1).then(() => {
    isDone = true;
  });
  await untilTrue(
    pair.primary().url(),
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')",
  );
  expect(isDone).toBe(false);
  await pair.standby().start();
  await adding;
  expect(await ids()).toEqual([1]);
});

test.each(["rewind", "copy", "rewind"] as const)(
  "a promoted standby has what was committed, and the old primary comes back as its standby: %s",
  async (how) => {
    const before = await ids();
    const old = pair.primary();
    await old.kill();
    await pair.promote();
    expect(pair.standby()).toBe(old);
    expect(await ids()).toEqual(before);
    await pair.rejoin(how);
    await add(before.length + 1);
    expect(await ids()).toEqual([...before, before.length + 1]);
    expect(await query(old.url(), "SELECT pg_is_in_recovery() AS is")).toEqual([{ is: true }]);
  },
);

test("an old primary that comes back by itself commits nothing", async () => {
  const old = pair.primary();
  await old.stop("immediate");
  await pair.promote();
  await old.start();
  let isDone = false;
  const adding = query(old.url(gatehouse, gatehouse), "INSERT INTO things VALUES (1000)").then(
    () => {
      isDone = true;
    },
    () => {},
  );
  await untilTrue(old.url(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')");
  expect(isDone).toBe(false);
  await old.kill();
  await adding;
  await pair.rejoin("rewind");
  expect(await ids()).not.toContain(1000);
});
