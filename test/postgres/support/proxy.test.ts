import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { createMessageReader } from "./messages.ts";
import { gatehouse, type Single, startSingle } from "./pair.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { query } from "./sql.ts";

let single: Single;
let proxy: Proxy;
const clients: Client[] = [];

beforeAll(async () => {
  single = await startSingle({ fsync: "off" });
  proxy = await startProxy(single.server.port);
  await query(single.server.url(gatehouse, gatehouse), "CREATE TABLE things (id INTEGER)");
});
afterEach(async () => {
  proxy.mend();
  proxy.delay(0);
  await Promise.all(clients.splice(0).map((client) => client.end().catch(() => {})));
});
afterAll(async () => {
  await proxy.close();
  await single.remove();
});

async function connect(): Promise<Client> {
  const client = new Client({ host: "127.0.0.1", port: proxy.port, user: gatehouse, database: gatehouse });
  client.on("error", () => {});
  clients.push(client);
  await client.connect();
  return client;
}

const isThere = async (id: number) =>
  (await query(single.server.url(gatehouse), `SELECT FROM things WHERE id = ${id}`)).length === 1;

test("passes statements and their answers, however large", async () => {
  const { rows } = await (await connect()).query("SELECT repeat('x', 3000000) AS text, 1 AS one");
  expect([rows[0].text.length, rows[0].one]).toEqual([3_000_000, 1]);
});

test("a cut closes what is open and refuses what is new, until it is mended", async () => {
  const client = await connect();
  proxy.cut();
  await expect(client.query("SELECT 1")).rejects.toThrow();
  await expect(connect()).rejects.toThrow();
  proxy.mend();
  expect((await (await connect()).query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
});

test("a freeze holds everything back, and a mend passes it on in order", async () => {
  const client = await connect();
  proxy.freeze();
  let isAnswered = false;
  const answers = Promise.all([
    client.query("INSERT INTO things VALUES (1)").then(() => {
      isAnswered = true;
    }),
    client.query("SELECT id FROM things WHERE id = 1"),
  ]);
  expect(await isThere(1)).toBe(false);
  expect(isAnswered).toBe(false);
  proxy.mend();
  expect((await answers)[1].rows).toEqual([{ id: 1 }]);
});

test("a delay lengthens each round trip, and what is sent together waits together", async () => {
  const client = await connect();
  proxy.delay(60);
  const startMs = performance.now();
  await client.query("SELECT 1; SELECT 2");
  const tookMs = performance.now() - startMs;
  expect(tookMs).toBeGreaterThanOrEqual(59);
  await client.query("SELECT 1");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(tookMs + 59);
});

test("counts the round trips that a client waits for", async () => {
  const client = await connect();
  const before = proxy.roundTrips();
  for (let index = 0; index < 5; index += 1) await client.query("SELECT 1");
  expect(proxy.roundTrips() - before).toBe(5);
});

test("swallows the answer of a COMMIT that has changed something, and no other one", async () => {
  const client = await connect();
  const swallowed = proxy.swallowCommit();
  await client.query("BEGIN");
  await client.query("INSERT INTO things VALUES (2)");
  await client.query("ROLLBACK");
  await client.query("BEGIN");
  await client.query("COMMIT");
  await client.query("BEGIN");
  await client.query("INSERT INTO things VALUES (3)");
  await expect(client.query("COMMIT")).rejects.toThrow();
  await swallowed;
  expect([await isThere(2), await isThere(3)]).toEqual([false, true]);
});

test("finds a COMMIT wherever the bytes are parted", () => {
  const message = (type: string, body: string) => {
    const bytes = Buffer.alloc(5 + body.length);
    bytes.write(type, "latin1");
    bytes.writeInt32BE(4 + body.length, 1);
    bytes.write(body, 5, "latin1");
    return bytes;
  };
  const before = Buffer.concat([message("D", "C".repeat(40)), message("C", "INSERT 0 1\0")]);
  const stream = Buffer.concat([before, message("C", "COMMIT\0"), message("Z", "I")]);
  for (let first = 0; first <= stream.length; first += 1)
    for (let second = first; second <= stream.length; second += 1) {
      const reader = createMessageReader();
      const found = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)].map(
        (chunk, index) => {
          const at = reader.findCommit(chunk);
          return at === undefined ? undefined : [0, first, second].map((start) => start + at)[index];
        },
      );
      const at = found.find((each) => each !== undefined);
      // What was held of its beginning has passed already: the answer is not whole before this.
      expect(at).toBeGreaterThanOrEqual(before.length);
      expect(at).toBeLessThan(before.length + 12);
    }
});
