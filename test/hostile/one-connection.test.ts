import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ServingProcess, serveGatehouse } from "../support/process.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import {
  encodeFrame,
  encodeHeaders,
  flag,
  number32,
  openRawSession,
  setting,
  type,
} from "../kernel/http/support/http2-frames.ts";
import { sized } from "../support/size.ts";

// 300 callers on one connection, while others of it are refused early, cancelled, over-long, timed out or without a good token.

const seconds = sized({ small: 4, full: 30 });
const callers = 300;
const addProject = "/gatehouse.v1.ProjectService/AddProject";
const folder = makeTemporaryFolder();
let serving: ServingProcess;
let token = "";

beforeAll(async () => {
  serving = await serveGatehouse(["--data", folder.path, "--log-level", "warn"]);
  token = `Bearer ${readFileSync(join(folder.path, "admin.token"), "utf8").trim()}`;
});
afterAll(async () => {
  await serving.stop();
  folder.remove();
});

let names = 0;
/** A project with a name of its own. */
function project(): Buffer {
  const name = Buffer.from(`project ${names++}`);
  return Buffer.concat([Buffer.of(0x0a, name.length), name]);
}

/** What the process says of itself: bytes of memory, and how many samples of its loop's delay were over 250 ms. */
async function condition(): Promise<string> {
  const text = await (await fetch(`${serving.url}/metrics`)).text();
  const value = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const all = value(/^gatehouse_loop_delay_seconds_count (\S+)$/m);
  const within = (bound: string) =>
    `${value(new RegExp(`^gatehouse_loop_delay_seconds_bucket\\{le="${bound}"\\} (\\S+)$`, "m"))} of ${all} delays of the loop under ${bound} s`;
  const megabytes = value(/^process_resident_memory_bytes (\S+)$/m) / 1024 ** 2;
  return `${megabytes.toFixed(0)} MB, ${within("0.05")}, ${within("0.25")}`;
}

/** Counts by what they are. */
function createTally() {
  const counts: Record<string, number> = {};
  return { counts, add: (what: string) => void (counts[what] = (counts[what] ?? 0) + 1) };
}

const untilMs = () => performance.now() + seconds * 1000;
const after = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

test("innocent calls of a client of @grpc/grpc-js are all answered", async () => {
  const client = new Client(serving.url.replace("http://", ""), credentials.createInsecure());
  const end = untilMs();
  const innocent = createTally();
  const others = createTally();
  const call = (
    path: string,
    body: Buffer,
    options: { authorization?: string; deadlineMs?: number } = {},
  ) => {
    const metadata = new Metadata();
    metadata.set("authorization", options.authorization ?? token);
    const deadline = options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs };
    return new Promise<number>((resolve) => {
      const done = (error: ServiceError | null) => resolve(error?.code ?? 0);
      client.makeUnaryRequest(
        path,
        (each: Buffer) => each,
        (each) => each,
        body,
        metadata,
        deadline,
        done,
      );
    });
  };
  const again = async (everyMs: number, work: () => void) => {
    for (; performance.now() < end; await after(everyMs)) work();
  };
  const other = (name: string, path: string, ...rest: [Buffer, Parameters<typeof call>[2]?]) =>
    void call(path, ...rest).then((code) => others.add(`${name} ${code}`));
  const cancelled = () => {
    const metadata = new Metadata();
    metadata.set("authorization", token);
    const path = "/gatehouse.v1.EventService/WatchEvents";
    const watch = client.makeServerStreamRequest(
      path,
      (each: Buffer) => each,
      (each) => each,
      Buffer.alloc(0),
      metadata,
    );
    watch.on("error", (error: ServiceError) => others.add(`cancelled ${error.code}`));
    watch.resume();
    setTimeout(() => watch.cancel(), 20);
  };
  const long = Buffer.alloc(200_000, "x");
  const saml = "/gatehouse.v1.ApplicationService/CreateSamlApplication";
  await Promise.all([
    ...Array.from({ length: callers }, async () => {
      while (performance.now() < end) innocent.add(String(await call(addProject, project())));
    }),
    again(200, () => other("refused", saml, long, { authorization: "" })),
    again(100, () => other("bad token", addProject, project(), { authorization: "Bearer bad" })),
    again(1000, () => other("over-long", addProject, Buffer.alloc(9_000_000))),
    again(50, () => other("timed out", addProject, project(), { deadlineMs: 3 })),
    again(20, cancelled),
  ]);
  await after(500);
  console.log(JSON.stringify({ innocent: innocent.counts, others: others.counts }), await condition());
  client.close();
  expect(Object.keys(innocent.counts)).toEqual(["0"]);
  expect(innocent.counts["0"]).toBeGreaterThan(callers);
  for (const code of ["refused 16", "bad token 16", "over-long 8", "cancelled 1"])
    expect(others.counts[code]).toBeGreaterThan(0);
});

test("innocent calls of a client that is done with a call at END_STREAM are all answered", async () => {
  const session = await openRawSession(Number(new URL(serving.url).port), [
    [setting.initialWindowSize, 2 ** 31 - 1],
  ]);
  const ack = encodeFrame(type.settings, flag.ack, 0);
  await session.write(ack, encodeFrame(type.windowUpdate, flag.none, 0, number32(2 ** 31 - 65_536)));
  const open = new Map<number, (how: string) => void>();
  const windows = { connection: 65_535 };
  const waiting: (() => void)[] = [];
  // What came is looked at as it comes, and forgotten.
  session.socket.on("data", () => {
    for (const { type: of, flags, streamId, payload } of session.frames.splice(0)) {
      if (of === type.windowUpdate && streamId === 0) {
        windows.connection += payload.readUInt32BE(0);
        for (const go of waiting.splice(0)) go();
      }
      const done = open.get(streamId);
      if (of === type.goAway) for (const each of open.values()) each(`GOAWAY ${payload.readUInt32BE(4)}`);
      else if (of === type.resetStream) done?.(`RST_STREAM ${payload.readUInt32BE(0)}`);
      else if (of === type.data && payload.length > 5) answered.add(streamId);
      else if ((flags & flag.endStream) !== 0) done?.(answered.delete(streamId) ? "answered" : "refused");
    }
  });
  void session.closed.then(() => {
    for (const each of open.values()) each("closed");
    for (const go of waiting.splice(0)) go();
  });
  const answered = new Set<number>();
  let next = 1;
  /** Makes a call, and forgets it at its end: neither the rest of its body is sent then, nor RST_STREAM. */
  const call = async (path: string, authorization: string, body: Buffer): Promise<string> => {
    const id = next;
    next += 2;
    const ended = new Promise<string>((resolve) => {
      open.set(id, (how) => {
        open.delete(id);
        resolve(how);
      });
    });
    const pseudo = { ":method": "POST", ":scheme": "http", ":authority": "a", ":path": path };
    const block = encodeHeaders({
      ...pseudo,
      authorization,
      "content-type": "application/grpc",
      te: "trailers",
    });
    session.socket.write(encodeFrame(type.headers, flag.endHeaders, id, block));
    const head = Buffer.concat([Buffer.of(0), number32(body.length)]);
    const message = Buffer.concat([head, body]);
    for (let at = 0; at < message.length && open.has(id); ) {
      const length = Math.min(16_384, message.length - at, windows.connection);
      if (length === 0) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
        continue;
      }
      windows.connection -= length;
      const isLast = at + length === message.length;
      const payload = message.subarray(at, at + length);
      session.socket.write(encodeFrame(type.data, isLast ? flag.endStream : flag.none, id, payload));
      at += length;
    }
    return await ended;
  };
  const end = untilMs();
  const innocent = createTally();
  const others = createTally();
  const saml = "/gatehouse.v1.ApplicationService/CreateSamlApplication";
  await Promise.all([
    ...Array.from({ length: callers }, async () => {
      while (performance.now() < end && !session.socket.destroyed)
        innocent.add(await call(addProject, token, project()));
    }),
    ...Array.from({ length: 5 }, async () => {
      while (performance.now() < end && !session.socket.destroyed) {
        others.add(await call(saml, "Bearer bad", Buffer.alloc(200_000)));
        await after(100);
      }
    }),
  ]);
  console.log(JSON.stringify({ innocent: innocent.counts, others: others.counts }), await condition());
  session.socket.destroy();
  expect(Object.keys(innocent.counts)).toEqual(["answered"]);
  expect(Object.keys(others.counts)).toEqual(["refused"]);
});
