import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { NoPrimaryError } from "../../../src/kernel/storage/postgres/connect/errors.ts";
import type { Connector } from "../../../src/kernel/storage/postgres/connect/connector.ts";
import { connectTo, startCluster, type TestCluster } from "./support/cluster.ts";

let cluster: TestCluster;
let silent: Server;
let connector: Connector;

beforeAll(async () => {
  cluster = await startCluster();
  silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const silentPort = typeof address === "object" ? address?.port : undefined;
  const hosts = [silentPort, cluster.server.port].map((port) => `127.0.0.1:${port}`);
  connector = connectTo(`postgres://postgres@${hosts.join(",")}/postgres?connect_timeout=30`);
});
afterAll(async () => {
  silent.close();
  await cluster.folder.remove();
});

test("a search ends in time at a server that does not answer, and the next one goes on behind it", async () => {
  const first = connector.connect("read", { giveUpAfterMs: 200 });
  await expect(first).rejects.toThrow(NoPrimaryError);
  await expect(first).rejects.toThrow("did not answer");
  const { client } = await connector.connect("read", { giveUpAfterMs: 5000 });
  await client.end();
});
