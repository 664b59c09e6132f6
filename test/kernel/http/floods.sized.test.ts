import { afterAll, describe, expect, test } from "@jest/globals";
import { servedDuring } from "./support/callers.ts";
import {
  dataOf,
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
import { startTestServer, token } from "../../sites/rpc/support/server.ts";
import { eventually, openRaw } from "./support/sockets.ts";
import { someOf } from "../../support/size.ts";

// What a hostile peer can do with the frames of HTTP/2: its connection ends, and no other.

// Without a pause, which test/kernel/http/connections/flood-pace.test.ts is about.
const server = await startTestServer({ limits: { floodPauseMs: 0 } });
afterAll(() => server.stop());

const head = { ":method": "POST", ":scheme": "http", ":path": "/v1/projects", ":authority": "a" };
const call = encodeHeaders({ ...head, authorization: token, "content-type": "application/json" });
const stranger = encodeHeaders(head);
const wrong = encodeHeaders({ ...head, authorization: "Bearer wrong", "content-type": "application/grpc" });
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

/** A byte for each of 100 streams, 30 times. */
const bytes = many(
  streams(0, (id) => [encodeFrame(type.data, flag.none, id, Buffer.of(0x20))]),
  30,
);
const streamsOf = (headers: Uint8Array) =>
  streams(0, (id) => [encodeFrame(type.headers, flag.endHeaders, id, headers)]);
// RFC 7541 §6.2.1 puts 4 kB into the table; §6.1 names the entry with one byte, 15,000 times.
const entry = encodeHeaders({ "x-b": "b".repeat(4000) }, 0x40);
const whole = flag.endHeaders | flag.endStream;
const filled = encodeFrame(type.headers, whole, 1, Buffer.concat([stranger, entry]));
const bomb = Buffer.concat([stranger, Buffer.alloc(15_000, 0xbe)]);

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
  "one-byte DATA on 100 streams": { first: streamsOf(call), next: () => bytes },
  "one-byte DATA with a wrong token": { first: streamsOf(wrong), next: () => bytes },
  "one-byte DATA without a token": { first: streamsOf(stranger), next: () => bytes },
  "headers that unfold to 60 MB": {
    first: filled,
    next: (round) => encodeFrame(type.headers, whole, 2 * round + 3, bomb),
  },
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

describe.each(someOf(Object.entries(attacks)))("a flood of %s", (_name, { first, next, isDeaf }) => {
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

/** Returns what connections were cut for since the given line of the log. */
const cutsSince = (line: number) =>
  server.logLines
    .slice(line)
    .filter(({ msg }) => msg === "connection.cut")
    .map((cut) => cut["flood"]);

test.each([
  ["SETTINGS", { next: () => many(encodeSettings()) }, "control-frames"],
  ["one-byte DATA", attacks["one-byte DATA on 100 streams"], "small-pieces"],
  ["one-byte DATA with a wrong token", attacks["one-byte DATA with a wrong token"], "small-pieces"],
  ["one-byte DATA without a token", attacks["one-byte DATA without a token"], "small-pieces"],
  ["headers that unfold", attacks["headers that unfold to 60 MB"], "refused-headers"],
] as [string, Attack | undefined, string][])(
  "a flood of %s is told to calm down, with one line in the log",
  async (_name, attack, name) => {
    const line = server.logLines.length;
    const session = await openRawSession(server.port);
    expect(await flood(session, attack?.next ?? (() => ping), attack?.first)).toBe(11);
    expect(cutsSince(line)).toEqual([name]);
  },
);

test("among hundreds of connections that do nothing, one whose headers unfold is told to calm down", async () => {
  const idle = await Promise.all(Array.from({ length: 300 }, () => openRawSession(server.port)));
  const session = await openRawSession(server.port);
  const attack = attacks["headers that unfold to 60 MB"];
  expect(await flood(session, attack?.next ?? (() => ping), attack?.first)).toBe(11);
  for (const { socket } of idle) socket.destroy();
});

test("what nghttp2 ends a connection for by itself is one line in the log, too", async () => {
  const line = server.logLines.length;
  const session = await openRawSession(server.port);
  await flood(session, () => encodeFrame(type.windowUpdate, flag.none, 0, number32(0)));
  await eventually(() => cutsSince(line).length > 0);
  expect(cutsSince(line)).toEqual(["protocol"]);
});

test("a body in 1,000 pieces of a byte is served on HTTP/2", async () => {
  const session = await openRawSession(server.port);
  const pieces = [...Buffer.from(`{"name":"x"}${" ".repeat(988)}`)].map((byte) =>
    encodeFrame(type.data, flag.none, 1, Buffer.of(byte)),
  );
  await session.write(opened, ...pieces, encodeFrame(type.data, flag.endStream, 1));
  expect(JSON.parse(await dataOf(session, 1))).toHaveProperty("id");
  session.socket.destroy();
});

describe("on HTTP/1.1, chunks of a byte", () => {
  const chunked = (authorization: string) =>
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const known = chunked(`Authorization: ${token}\r\n`);
  const chunks = "1\r\n \r\n".repeat(1000);

  /** Sends chunks until the connection ends, and returns what came. */
  async function send(first: string): Promise<string> {
    const { socket, closed } = await openRaw(server.port, first);
    while (!socket.readableEnded && !socket.destroyed) {
      socket.write(chunks);
      await new Promise(setImmediate);
    }
    socket.end();
    return await closed;
  }

  test("end the connection with 400, and with one line in the log", async () => {
    const line = server.logLines.length;
    const seen = await servedDuring(server, async () => {
      expect(await send(known)).toMatch(/^HTTP\/1\.1 400 [^]*connection: close[^]*INVALID_REQUEST/);
    });
    expect(seen).toMatchObject({ failures: 0 });
    expect(cutsSince(line)).toEqual(["small-pieces"]);
  });

  test.each([
    ["a wrong token", "Authorization: Bearer wrong\r\n"],
    ["no token", ""],
  ])("and %s end the connection, with one answer", async (_what, authorization) => {
    const line = server.logLines.length;
    const text = await send(chunked(authorization));
    expect(text).toMatch(/^HTTP\/1\.1 40[01] /); // the token is judged meanwhile
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(cutsSince(line)).toEqual(["small-pieces"]);
  });

  test("in the middle of an answer end the connection without another one", async () => {
    const answer = Promise.withResolvers<object>();
    server.answers.set("addProject", () => answer.promise);
    const body = '{"name":"x"}';
    const first = `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await send(`${first}${known}`)).toBe("");
    answer.resolve({});
    server.answers.delete("addProject");
  });

  test("are served when they are 1,000", async () => {
    const { socket, until, received } = await openRaw(server.port, `${known}${chunks.slice(0, 988 * 6)}`);
    socket.write('{"name":"x"}'.replaceAll(/./g, "1\r\n$&\r\n"));
    socket.write("0\r\n\r\n");
    await until(/^HTTP\/1\.1 \d+ /);
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
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
  await session.write(filled);
  const before = process.memoryUsage().rss;
  const seen = await servedDuring(server, async () => {
    for (let id = 3; id < 200; id += 2) {
      await session.write(encodeFrame(type.headers, whole, id, bomb));
      await session.received(({ streamId }) => streamId === id);
    }
  });
  const resets = session.frames.filter((frame) => frame.type === type.resetStream);
  expect(resets.map(({ payload }) => payload.readUInt32BE(0))).toEqual(Array.from({ length: 99 }, () => 11));
  expect(seen).toMatchObject({ failures: 0 });
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  session.socket.destroy();
});
