import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Database } from "../../../src/kernel/base/database.ts";
import { startCluster, type TestCluster } from "../connect/support/cluster.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { insertName, namesIn, openProcess } from "./support.ts";

// Nothing comes back, and nobody says so: a firewall, a cable, a machine that is gone.

let cluster: TestCluster;
let proxy: Proxy;
let database: Database;

beforeAll(async () => {
  cluster = await startCluster();
  proxy = await startProxy(cluster.server.port);
});
afterAll(async () => {
  await proxy.close();
  await cluster.folder.remove();
});
beforeEach(async () => {
  const url = await cluster.makeDatabase();
  database = await openProcess(url.replace(String(cluster.server.port), String(proxy.port)), {
    maxReadConnections: 2,
  });
});
afterEach(async () => {
  proxy.mend();
  await database.close();
});

/** Returns how the work ended, and after how long. */
async function timed(work: Promise<unknown>): Promise<{ readonly end: unknown; readonly ms: number }> {
  const startMs = performance.now();
  const [end] = await Promise.allSettled([work]);
  return { end, ms: performance.now() - startMs };
}

const refused = { status: "rejected", reason: { kind: "unavailable", reason: "OVERLOADED" } };

test("no read or write waits for longer than 6 s, not even one that waits for a connection", async () => {
  await Promise.all([namesIn(database), database.write((tx) => tx.run(insertName, ["before"]))]);
  proxy.freeze();
  const { signal } = new AbortController();
  const works: Promise<{ readonly end: unknown; readonly ms: number }>[] = [];
  for (let turn = 0; turn < 4; turn++) {
    works.push(timed(namesIn(database)));
    await new Promise(setImmediate); // each on a snapshot of its own
  }
  works.push(timed(database.write((tx) => tx.run(insertName, ["frozen"]), { signal })));
  for (const { end, ms } of await Promise.all(works)) {
    expect(end).toMatchObject(refused);
    expect(ms).toBeLessThan(6500); // the machine of the test is slower than the limit is exact
  }
  proxy.mend();
  expect(await namesIn(database)).toEqual(["before"]);
});
