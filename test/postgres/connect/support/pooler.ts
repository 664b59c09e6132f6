import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between clients and a server of PostgreSQL as pgbouncer does, in one of its modes. */
export interface Pooler {
  readonly port: number;
  close(): Promise<void>;
}

/** The end of an answer behind which no transaction is open: ReadyForQuery, idle (PostgreSQL §55.7). */
const readyAndIdle = Buffer.from("Z\0\0\0\x05I", "latin1");

/** AuthenticationOk, and BackendKeyData with a number that is no process of the server. */
const greeting = Buffer.concat([
  Buffer.from("R\0\0\0\x08\0\0\0\0", "latin1"),
  Buffer.from("K\0\0\0\x0c\x7f\xff\xff\xff\0\0\0\0", "latin1"),
  readyAndIdle,
]);

/** Starts it. In mode `transaction` a connection to the server is lent until the end of each transaction, the last one first. */
export async function startPooler(targetPort: number, mode: "session" | "transaction"): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const idle: Socket[] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return socket;
  };
  const openBackend = async (startup: Buffer): Promise<Socket> => {
    const backend = keep(connect(targetPort, "127.0.0.1"));
    backend.write(startup);
    for (let answer = Buffer.alloc(0); !answer.subarray(-readyAndIdle.length).equals(readyAndIdle); ) {
      const [chunk] = (await once(backend, "data")) as [Buffer]; // the argument of "data"
      answer = Buffer.concat([answer, chunk]);
    }
    return backend;
  };
  const serve = async (client: Socket) => {
    const [startup] = (await once(client, "data")) as [Buffer];
    let backend: Socket | undefined;
    const pass = async (chunk: Buffer) => {
      if (backend === undefined) {
        const lent = idle.pop() ?? (await openBackend(startup));
        backend = lent;
        lent.on("data", (answer: Buffer) => {
          client.write(answer);
          if (mode === "session" || !answer.subarray(-readyAndIdle.length).equals(readyAndIdle)) return;
          lent.removeAllListeners("data");
          idle.push(lent);
          backend = undefined;
        });
        client.once("close", () => backend?.destroy());
      }
      backend.write(chunk);
    };
    client.on("data", (chunk: Buffer) => void pass(chunk));
    client.write(greeting);
  };
  const server = createServer((socket) => void serve(keep(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
