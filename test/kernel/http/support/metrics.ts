import { openRaw } from "./sockets.ts";
import type { TestServer } from "../../../sites/rpc/support/server.ts";

/** Returns the metrics without labels by their names; undefined when the server refuses the connection. */
export async function readMetrics(
  server: Pick<TestServer, "port">,
): Promise<ReadonlyMap<string, number> | undefined> {
  const { closed } = await openRaw(
    server.port,
    "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  const text = await closed;
  if (text === "") return undefined;
  return new Map([...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]));
}
