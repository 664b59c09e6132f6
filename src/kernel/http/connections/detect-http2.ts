import type { Socket } from "node:net";

/** RFC 9113 §3.4. No HTTP/1.1 request that starts with the first 14 bytes is ever answered. */
const preface = Buffer.from("PRI * HTTP/2.0");

/**
 * Waits for the first bytes of a paused connection, says whether they are those of HTTP/2, and puts them back. Closes a
 * connection that does not send enough of them in time.
 */
export function detectHttp2(socket: Socket, timeoutMs: number, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const onEnd = (): void => {
    socket.destroy();
  };
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isLikePreface = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isLikePreface && length < preface.length) return;
    stop();
    socket.pause();
    socket.unshift(seen);
    decided(isLikePreface);
  };
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("data", onData).off("end", onEnd).off("close", stop);
  };
  socket.on("data", onData).once("end", onEnd).once("close", stop).resume();
}
