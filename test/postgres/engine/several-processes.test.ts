import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import { shareServer, type TestDatabases } from "../connect/support/cluster.ts";
import { insertName, namesIn, openProcess } from "./support.ts";

let cluster: TestDatabases;
let url: string;
let one: Database;
let other: Database;

beforeAll(async () => {
  cluster = shareServer();
  url = await cluster.makeDatabase();
  [one, other] = await Promise.all([openProcess(url), openProcess(url)]);
});
afterAll(async () => {
  await one.close();
  await other.close();
  await cluster.close();
});

test("what one process has answered, another reads", async () => {
  for (let round = 0; round < 20; round++) {
    const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
    await writer.write((tx) => tx.run(insertName, [`read ${round}`]));
    expect(await namesIn(reader)).toContain(`read ${round}`);
  }
});

test("a refresh learns that another process has written to a watched table, and a read does too", async () => {
  const watch = other.watch(["secrets"]);
  await other.refresh();
  const store = (id: string) => one.write((tx) => putSecret(tx, id, { keyId: "", value: new Uint8Array(1) }));
  for (const learn of [() => other.refresh(), () => namesIn(other), () => other.write(async () => ({}))]) {
    const before = watch.committed();
    await store(`watched ${before}`);
    expect(watch.committed()).toBe(before);
    await learn();
    expect(watch.committed()).toBeGreaterThan(before);
  }
});

test("in a write, a watch counts what another process has committed while it waited for its turn", async () => {
  const watch = other.watch(["stored_organizations"]);
  await other.refresh();
  const before = watch.written();
  const both = await Promise.all([
    one.write((tx) => tx.run("DELETE FROM stored_organizations WHERE id = ''")).then(() => ({})),
    other.write(async (tx) => ({ seen: watch.written(), rows: await tx.all("SELECT 1") })),
  ]);
  await one.write((tx) => tx.run("DELETE FROM stored_organizations WHERE id = ''"));
  const seen = await other.write(async () => ({ written: watch.written() }));
  expect(both).toHaveLength(2);
  expect(seen.written).toBeGreaterThan(before);
});

test("of two that take a name after they have looked for it, one gets it", async () => {
  for (let round = 0; round < 20; round++) {
    const name = `taken ${round}`;
    const take = (database: Database) =>
      database.write(async (tx) => {
        const found = await tx.get("SELECT 1 FROM settings WHERE name = ?", [name]);
        if (found !== undefined) return { isTaken: true };
        await tx.run(insertName, [name]);
        return { isTaken: false };
      });
    const outcomes = await Promise.all([take(one), take(other), take(one), take(other)]);
    expect(outcomes.filter(({ isTaken }) => !isTaken)).toHaveLength(1);
  }
});

test("sequences are in the order of the commits, and ids are never given twice", async () => {
  const given: { sequence: number; id: bigint }[] = [];
  const give = (database: Database) =>
    database.write(async (tx) => {
      const sequence = await tx.reserveSequences(2);
      const id = BigInt(tx.nextId());
      await tx.run(insertName, [`given ${sequence}`]);
      given.push({ sequence, id }); // under the lock, so in the order of the sections
      return {};
    });
  await Promise.all(Array.from({ length: 200 }, (_, index) => give(index % 2 === 0 ? one : other)));
  for (const [index, { sequence, id }] of given.entries()) {
    const before = given[index - 1];
    if (before === undefined) continue;
    expect(sequence).toBeGreaterThanOrEqual(before.sequence + 2);
    expect(id > before.id).toBe(true);
  }
  await other.refresh();
  expect(other.lastSequence()).toBe(given.at(-1)?.sequence);
});

test("a listener hears of events of another process, of each at least once", async () => {
  let heard = Promise.withResolvers<void>();
  const end = other.onCommit(() => heard.resolve());
  for (let round = 0; round < 3; round++) {
    heard = Promise.withResolvers<void>();
    const sequence = await one.write(async (tx) => {
      const last = await tx.reserveSequences(1);
      await tx.run(insertName, [`heard ${last}`]);
      return last;
    });
    await heard.promise;
    expect(other.lastSequence()).toBe(sequence);
  }
  end();
});

test("the first change of a process removes the rows of processes that have changed nothing for a day", async () => {
  await cluster.ask("DELETE FROM writers", url);
  const day = 86_400_000;
  const rows = [
    ["gone", Date.now() - day - 60_000],
    ["there", Date.now() - day + 60_000],
  ];
  for (const [process, dateMs] of rows)
    await cluster.ask(
      `INSERT INTO writers (process, batch, date_ms) VALUES ('${process}', 7, ${dateMs})`,
      url,
    );
  const names = async () =>
    (await cluster.ask("SELECT process FROM writers ORDER BY batch DESC", url)).map(({ process }) => process);
  await one.write((tx) => tx.run(insertName, ["not the first"]));
  expect(await names()).toEqual(expect.arrayContaining(["gone", "there"]));
  const third = await openProcess(url);
  await third.write((tx) => tx.run(insertName, ["the first"]));
  const left = await names();
  expect(left).toHaveLength(3); // that one, the two that have changed something just now
  expect(left).toContain("there");
  expect(left).not.toContain("gone");
  await third.close();
});
