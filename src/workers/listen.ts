import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Address, explainListenError } from "../kernel/http/listen-address.ts";

/** A port that is open. */
export interface OpenPort extends Address {
  /** Calls it with each connection from now on; those that come before wait. Nothing of them is read. */
  take(take: (socket: Socket) => void): void;
  /** Accepts no more connections. */
  close(): void;
}

/** Listens. Throws what `explainListenError` does. */
export async function openPort(address: Address): Promise<OpenPort> {
  const waiting: Socket[] = [];
  let take = (socket: Socket): void => void waiting.push(socket);
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {}); // a broken connection is nobody's failure
    take(socket);
  });
  server.listen({ ...address });
  await explainListenError(once(server, "listening"), address);
  server.on("error", () => {}); // of accepting single connections, such as EMFILE
  const { address: host, port } = server.address() as AddressInfo; // it listens on TCP
  return {
    host,
    port,
    take(given) {
      take = given;
      waiting.splice(0).forEach(take);
    },
    close: () => void server.close(),
  };
}
