import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A connection of bytes, and what came over it. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that was received so far. */
  received(): string;
  /** Resolves with all that was received when the connection is closed, by whomever. */
  readonly closed: Promise<string>;
  /** Resolves once the text was received. Rejects when the connection is closed before. */
  until(text: string | RegExp): Promise<void>;
}

/** Opens a connection and sends the bytes. */
export async function openRaw(
  port: number,
  bytes: string | Uint8Array = "",
  socket: Socket = connect(port, "127.0.0.1"),
): Promise<RawConnection> {
  let text = "";
  let look = (): void => {};
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    look();
  });
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => {
      resolve(text);
      look();
    });
  });
  if (socket.connecting) await once(socket, "connect").catch(() => {});
  if (bytes.length > 0) socket.write(bytes);
  return {
    socket,
    received: () => text,
    closed,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (text.search(wanted) >= 0) resolve();
          else if (socket.closed) reject(new Error(`closed before ${String(wanted)}: ${text}`));
        };
        look();
      }),
  };
}

/** Writes the bytes one by one, with a pause after each, until all are written or the connection is closed. */
export function trickle(socket: Socket, bytes: string, pauseMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at === bytes.length) clearInterval(timer);
    else socket.write(bytes[at++] ?? "");
  }, pauseMs);
}

/** Resolves when the condition holds; asks again and again. Rejects when it does not for a minute or more. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    if (await condition()) return;
    await sleep(10);
  }
  throw new Error("the condition never held");
}
