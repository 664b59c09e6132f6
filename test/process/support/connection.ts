import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A TCP connection on which a test writes what it likes. */
export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** Resolves with all that was received, once the pattern is in it. Rejects when the connection closes before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all that was received, when the connection is closed. */
  readonly closed: Promise<string>;
}

/** Opens a connection to the host and port of a URL. Rejects when it is refused. */
export async function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
  });
  socket.on("error", () => {}); // what matters of it is in "close"
  const closed = once(socket, "close").then(() => received);
  return {
    socket,
    send: (text) => socket.write(text),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(received)) resolve(received);
        };
        socket.on("data", look);
        look();
        const never = () => reject(new Error(`closed without ${pattern}: ${received}`));
        closed.then(never, never);
      }),
    closed,
  };
}

/** Connects until that is refused; a service that was told to stop needs a moment. */
export async function untilRefused(url: string): Promise<void> {
  for (;;) {
    try {
      (await openConnection(url)).socket.destroy();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // of node:net
      if (code === "ECONNREFUSED") return;
      if (code !== "ECONNRESET") throw error; // that of a connection which nobody had accepted yet
    }
  }
}
