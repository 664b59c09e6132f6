/**
 * The load, in a process of its own: it is told over IPC what to send (`Load`) and answers what it found (`LoadResult`),
 * or why it failed.
 */
import { performance } from "node:perf_hooks";
import { bodyOf, outputOf, pathOf } from "./calls.ts";
import { openGrpcJsConnection } from "./grpc-js-connection.ts";
import { openHttp1Connection } from "./http1-connection.ts";
import { type Connection, openHttp2Connection, type Requests } from "./http2-connection.ts";
import type { Load, LoadResult } from "./load.ts";

/** Streams on one connection of HTTP/2. */
const streamsPerConnection = 64;

const contentTypes = {
  gRPC: "application/grpc",
  "gRPC-web": "application/grpc-web+proto",
  JSON: "application/json",
} as const;

function requestsOf({ target, stock }: Load): Requests {
  const { url, authorization, lane, call } = target;
  const callers = call === "UpdateProjectAgain" ? (stock.callers ?? []) : [{ authorization }];
  const headers = [
    ["content-type", contentTypes[lane]],
    ...(lane === "gRPC" ? [["te", "trailers"] as const] : []),
    ["user-agent", "gatehouse-bench"],
  ] as const;
  return {
    url: new URL(url),
    path: pathOf(call),
    headers,
    authorizations: callers.map((caller) => caller.authorization),
    isFramed: lane !== "JSON",
  };
}

/** Returns as many connections as the calls in flight need, each as often as it may have calls. */
function openSlots(load: Load): { readonly slots: readonly Connection[]; close(): void } {
  const { target, inFlight } = load;
  const requests = requestsOf(load);
  const perConnection = target.http === "2" ? Math.min(streamsPerConnection, inFlight) : 1;
  const open = () => {
    if (target.client !== undefined) return openGrpcJsConnection(requests, outputOf(target.call));
    return target.http === "2" ? openHttp2Connection(requests) : openHttp1Connection(requests);
  };
  const connections = Array.from({ length: Math.ceil(inFlight / perConnection) }, open);
  const slots = Array.from({ length: inFlight }, (_, index) => connections[index % connections.length]);
  return {
    slots: slots.filter((slot) => slot !== undefined),
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

/** Sends a call after each answer, or at the times of `rate`, until the time is up; then waits for what is under way. */
function run(load: Load): Promise<LoadResult> {
  const { slots, close } = openSlots(load);
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>();
  const latenciesMs: number[] = [];
  const usedBefore = process.cpuUsage();
  const startedMs = performance.now();
  const untilMs = startedMs + load.seconds * 1000;
  let sent = 0;
  let underWay = 0;
  let result: LoadResult | undefined;

  const endIfIdle = (): void => {
    if (result === undefined || underWay > 0) return;
    close();
    resolve({ ...result, sent });
  };
  const endWindow = (): void => {
    const elapsedMs = performance.now() - startedMs;
    const used = process.cpuUsage(usedBefore);
    const sorted = latenciesMs.toSorted((left, right) => left - right);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    const busy = (used.user + used.system) / 1000 / elapsedMs;
    result = { count: sorted.length, sent, elapsedMs, p50Ms: at(0.5), p99Ms: at(0.99), busy };
    endIfIdle();
  };
  setTimeout(endWindow, load.seconds * 1000);
  const send = (slot: Connection, dueMs: number, next: () => void): void => {
    const { target, stock, from } = load;
    const index = from + sent;
    const body = bodyOf(target.call, target.lane, { stock, index });
    sent++;
    underWay++;
    const done = (isSuccess: boolean): void => {
      underWay--;
      if (!isSuccess) reject(new Error(`a call of ${target.call} over ${target.lane} was refused`));
      if (result === undefined) {
        latenciesMs.push(performance.now() - dueMs);
        next();
      } else endIfIdle();
    };
    slot.send(body, done, index);
  };
  if (load.rate === undefined) {
    const keepGoing = (slot: Connection): void => send(slot, performance.now(), () => keepGoing(slot));
    for (const slot of slots) keepGoing(slot);
  } else sendAtRate(slots, { rate: load.rate, startedMs, untilMs }, send);
  return promise;
}

/** Sends at fixed times. A slow answer does not put off later calls; how long they wait counts from the time they were due. */
function sendAtRate(
  slots: readonly Connection[],
  {
    rate,
    startedMs,
    untilMs,
  }: { readonly rate: number; readonly startedMs: number; readonly untilMs: number },
  send: (slot: Connection, dueMs: number, next: () => void) => void,
): void {
  const free = [...slots];
  let due = 0;
  const tick = (): void => {
    for (; ; due++) {
      const dueMs = startedMs + (1000 * due) / rate;
      if (dueMs > Math.min(performance.now(), untilMs)) break;
      const slot = free.pop();
      if (slot === undefined) break;
      send(slot, dueMs, () => void free.push(slot));
    }
    if (performance.now() < untilMs) setTimeout(tick, 1);
  };
  tick();
}

process.on("message", (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
