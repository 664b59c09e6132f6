/**
 * A wire to a port of loopback on which each round trip takes longer: `node slow-wire.ts PORT MICROSECONDS`. Prints the port
 * that it listens on. A process of its own: timers know only whole milliseconds, so it sleeps in between on its thread.
 */
import { connect, createServer, type Socket } from "node:net";

const [targetPort = 0, delayUs = 0] = process.argv.slice(2).map(Number);
const delayMs = delayUs / 1000;
const longestSleepMs = 0.05;

const queue: { readonly dueMs: number; readonly pass: () => void }[] = [];
const never = new Int32Array(new SharedArrayBuffer(4));
let isRunning = false;

function pump(): void {
  const nowMs = performance.now();
  for (let first = queue[0]; first !== undefined && first.dueMs <= nowMs; first = queue[0]) {
    queue.shift();
    first.pass();
  }
  isRunning = queue.length > 0;
  if (!isRunning) return;
  Atomics.wait(never, 0, 0, longestSleepMs);
  setImmediate(pump);
}

function later(pass: () => void): void {
  queue.push({ dueMs: performance.now() + delayMs, pass });
  if (!isRunning) pump();
}

function join(from: Socket, to: Socket, hasDelay: boolean): void {
  from.on("data", (chunk) => {
    if (hasDelay) later(() => to.write(chunk));
    else to.write(chunk);
  });
  from.on("close", () => to.destroy());
  from.on("error", () => {});
}

const server = createServer({ noDelay: true }, (client) => {
  const target = connect({ host: "127.0.0.1", port: targetPort, noDelay: true });
  join(client, target, delayMs > 0);
  join(target, client, false);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(address.port);
});
