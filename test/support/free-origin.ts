import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns `http://localhost:<port>` with a port of loopback that nobody listens on at this moment. */
export async function findFreeOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return `http://localhost:${port}`;
}
