import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { ServerRefusedError } from "../../../src/kernel/storage/postgres/connect/errors.ts";
import { connectTo, startCluster, type TestCluster } from "./support/cluster.ts";
import { type Pooler, startPooler } from "./support/pooler.ts";

let cluster: TestCluster;
let pooler: Pooler;

beforeAll(async () => {
  cluster = await startCluster();
});
afterEach(() => pooler.close());
afterAll(() => cluster.folder.remove());

const quickly = { giveUpAfterMs: 5000 };

test("a pooler in transaction mode is refused at the second connection", async () => {
  pooler = await startPooler(cluster.server.port, "transaction");
  const connector = connectTo(`postgres://postgres@127.0.0.1:${pooler.port}/postgres`);
  await connector.connect("locks", quickly);
  const second = connector.connect("migration", quickly);
  await expect(second).rejects.toThrow(ServerRefusedError);
  await expect(second).rejects.toThrow("it is a pooler in transaction mode; connect to PostgreSQL itself");
});

test("a pooler in session mode is used", async () => {
  pooler = await startPooler(cluster.server.port, "session");
  const connector = connectTo(`postgres://postgres@127.0.0.1:${pooler.port}/postgres`);
  const sessions = [await connector.connect("locks", quickly), await connector.connect("read", quickly)];
  const pids = await Promise.all(
    sessions.map(async ({ client }) => (await client.query("SELECT pg_backend_pid() AS pid")).rows[0]),
  );
  expect(new Set(pids.map((row) => JSON.stringify(row))).size).toBe(2);
});
