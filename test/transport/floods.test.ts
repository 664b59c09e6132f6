import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { servedDuring } from "./support/callers.ts";
import {
  encodeFrame,
  encodeHeaders,
  encodeSettings,
  flag,
  number32,
  openRawSession,
  type RawSession,
  setting,
  type,
} from "./support/http2-frames.ts";
import { startTestServer, type TestServer, token } from "./support/server.ts";

// What a hostile peer can do with the frames of HTTP/2: his connection ends, and only his.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const head = { ":method": "POST", ":scheme": "http", ":path": "/v1/projects", ":authority": "a" };
const call = encodeHeaders({ ...head, authorization: token, "content-type": "application/json" });
const stranger = encodeHeaders(head);
const many = (frame: Uint8Array, count = 100) => Buffer.concat(Array.from({ length: count }, () => frame));
const opened = encodeFrame(type.headers, flag.endHeaders, 1, call);
const ping = encodeFrame(type.ping, flag.none, 0, Buffer.alloc(8));

/** Frames for 100 streams, from the given round on. */
function streams(round: number, framesOf: (id: number) => readonly Uint8Array[]): Buffer {
  const ids = Array.from({ length: 100 }, (_, index) => 2 * (100 * round + index) + 1);
  return Buffer.concat(ids.flatMap(framesOf));
}

/** Sends what `next` makes until the connection ends. Returns the code of GOAWAY, if one came. */
async function flood(
  session: RawSession,
  next: (round: number) => Uint8Array,
  first: Uint8Array = new Uint8Array(0),
): Promise<number | undefined> {
  await session.write(first);
  for (let round = 0; !session.socket.destroyed; round++) await session.write(next(round));
  await session.closed;
  return session.frames.find((frame) => frame.type === type.goAway)?.payload.readUInt32BE(4);
}

interface Attack {
  readonly first?: Uint8Array;
  readonly next: (round: number) => Uint8Array;
  /** The attacker reads nothing. */
  readonly isDeaf?: true;
}

const attacks: Readonly<Record<string, Attack>> = {
  "CONTINUATION without end": {
    first: encodeFrame(type.headers, flag.none, 1, call),
    next: () => many(encodeFrame(type.continuation, flag.none, 1, encodeHeaders({ "x-a": "b".repeat(100) }))),
  },
  "empty CONTINUATION without end": {
    first: encodeFrame(type.headers, flag.none, 1, call),
    next: () => many(encodeFrame(type.continuation, flag.none, 1)),
  },
  SETTINGS: { next: () => many(encodeSettings([[setting.initialWindowSize, 65_535]])) },
  "SETTINGS whose acknowledgements are not read": {
    next: () => many(encodeSettings([[setting.initialWindowSize, 65_535]])),
    isDeaf: true,
  },
  PING: { next: () => many(ping) },
  "PING whose answers are not read": { next: () => many(ping), isDeaf: true },
  "empty DATA": { first: opened, next: () => many(encodeFrame(type.data, flag.none, 1)) },
  "DATA of padding alone": {
    first: opened,
    next: () => many(encodeFrame(type.data, 8, 1, Buffer.of(0))),
  },
  "rapid reset": {
    next: (round) =>
      streams(round, (id) => [
        encodeFrame(type.headers, flag.endHeaders | flag.endStream, id, call),
        encodeFrame(type.resetStream, flag.none, id, number32(8)),
      ]),
  },
  "resets made by WINDOW_UPDATE of 0": {
    next: (round) =>
      streams(round, (id) => [
        encodeFrame(type.headers, flag.endHeaders, id, call),
        encodeFrame(type.windowUpdate, flag.none, id, number32(0)),
      ]),
  },
  "resets made by a window beyond 2^31": {
    next: (round) =>
      streams(round, (id) => [
        encodeFrame(type.headers, flag.endHeaders, id, call),
        encodeFrame(type.windowUpdate, flag.none, id, number32(0x7fff_ffff)),
      ]),
  },
  "streams beyond the limit": {
    next: (round) => streams(round, (id) => [encodeFrame(type.headers, flag.endHeaders, id, call)]),
  },
  PRIORITY: {
    next: (round) =>
      streams(round, (id) => [encodeFrame(type.priority, flag.none, id, Buffer.of(0, 0, 0, 0, 1))]),
  },
  "frames of an unknown type": { next: () => many(encodeFrame(0x42, flag.none, 0, Buffer.alloc(8))) },
  "WINDOW_UPDATE of 0": { next: () => encodeFrame(type.windowUpdate, flag.none, 0, number32(0)) },
  "WINDOW_UPDATE beyond 2^31": {
    next: () => encodeFrame(type.windowUpdate, flag.none, 0, number32(0x7fff_ffff)),
  },
  "a table of headers beyond what was allowed": {
    // RFC 7541 §6.3: a size of 2^28.
    first: encodeFrame(
      type.headers,
      flag.endHeaders | flag.endStream,
      1,
      Buffer.concat([Buffer.of(0x3f, 0xe1, 0xff, 0xff, 0x7f), stranger]),
    ),
    next: () => ping,
  },
};

describe.each(Object.entries(attacks))("a flood of %s", (_name, { first, next, isDeaf }) => {
  test("ends its connection, and nobody else notices", async () => {
    const before = process.memoryUsage().rss;
    const session = await openRawSession(server.port);
    if (isDeaf) session.socket.pause();
    const seen = await servedDuring(server, () => flood(session, next, first));
    expect(seen).toMatchObject({ failures: 0 });
    expect(seen.slowestMs).toBeLessThan(4000);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });
});

test("a flood of SETTINGS is told to calm down", async () => {
  const session = await openRawSession(server.port);
  expect(await flood(session, () => many(encodeSettings()))).toBe(11);
});

test("a client that measures the line with a PING for every answer is no flood", async () => {
  const session = await openRawSession(server.port);
  await session.write(
    encodeFrame(type.settings, flag.ack, 0),
    encodeFrame(type.windowUpdate, flag.none, 0, number32(2 ** 30)),
  );
  for (let round = 0; round < 40; round++) {
    await session.write(
      streams(round, (id) => [
        encodeFrame(type.headers, flag.endHeaders | flag.endStream, id, stranger),
        ping,
      ]),
    );
    const last = 2 * (100 * round + 99) + 1;
    await session.received(({ streamId, flags }) => streamId === last && (flags & flag.endStream) !== 0);
  }
  const count = (frameType: number) => session.frames.filter((frame) => frame.type === frameType).length;
  expect([count(type.headers), count(type.goAway)]).toEqual([4000, 0]);
  session.socket.destroy();
});

test("a header that unfolds to 60 MB is refused for its stream, and costs no memory", async () => {
  const session = await openRawSession(server.port);
  // RFC 7541 §6.2.1 puts 4 kB into the table; §6.1 names the entry with one byte, 15,000 times.
  const entry = encodeHeaders({ "x-b": "b".repeat(4000) }, 0x40);
  const last = flag.endHeaders | flag.endStream;
  await session.write(encodeFrame(type.headers, last, 1, Buffer.concat([stranger, entry])));
  const before = process.memoryUsage().rss;
  const seen = await servedDuring(server, async () => {
    for (let id = 3; id < 200; id += 2) {
      const block = Buffer.concat([stranger, Buffer.alloc(15_000, 0xbe)]);
      await session.write(encodeFrame(type.headers, last, id, block));
      await session.received(({ streamId }) => streamId === id);
    }
  });
  const resets = session.frames.filter((frame) => frame.type === type.resetStream);
  expect(resets.map(({ payload }) => payload.readUInt32BE(0))).toEqual(Array.from({ length: 99 }, () => 11));
  expect(seen).toMatchObject({ failures: 0 });
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  session.socket.destroy();
});
