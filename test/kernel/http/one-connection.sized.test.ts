import { afterEach, describe, expect, test } from "@jest/globals";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Limits } from "../../../src/kernel/http/connections/limits.ts";
import { frame } from "./support/http.ts";
import {
  dataOf,
  encodeFrame,
  encodeHeaders,
  flag,
  number32,
  openRawSession,
  type RawSession,
  type,
} from "./support/http2-frames.ts";
import { readMetrics } from "./support/metrics.ts";
import { startTestServer, type TestServer, token } from "../../sites/rpc/support/server.ts";
import { sized } from "../../support/size.ts";
import { eventually } from "./support/sockets.ts";

// What one call of a connection of HTTP/2 meets, and the others do not notice.

let server: TestServer;
let session: RawSession;
afterEach(async () => {
  session.socket.destroy();
  await server.stop();
});

async function serve(limits: Partial<Limits> = {}): Promise<void> {
  server = await startTestServer({ limits });
  server.answers.set("echo", (_call, request) => request);
  session = await openRawSession(server.port);
  await session.write(encodeFrame(type.settings, flag.ack, 0));
}

const echo = "/test.v1.KindsService/Echo";
const message = frame(Uint8Array.of(0x0a, 1, 0x61));

/** The headers of a call; `contentType` chooses its lane. */
function head(
  id: number,
  contentType = "application/grpc",
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const pseudo = { ":method": "POST", ":scheme": "http", ":authority": "a", ":path": echo };
  const block = encodeHeaders({ ...pseudo, authorization: token, "content-type": contentType, ...more });
  return encodeFrame(type.headers, flag.endHeaders, id, block);
}

const end = (id: number, body: Uint8Array = message) => encodeFrame(type.data, flag.endStream, id, body);
const reset = (id: number) => encodeFrame(type.resetStream, flag.none, id, number32(8));
const framesOf = (id: number) => session.frames.filter(({ streamId }) => streamId === id);
const endOf = (id: number) =>
  session.received((each) => each.streamId === id && (each.flags & flag.endStream) !== 0);
const metric = async (name: string) => (await readMetrics(server))?.get(name);

/** What is held outside of the heap, without what nobody holds any more. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  gc(); // what the first one has found is counted until it is swept
  return process.memoryUsage().arrayBuffers;
}

/** Has the service do so many turns of its loop: what it had to say of what was sent before is here then. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const mark = number32(turn + 1);
    await session.write(encodeFrame(type.ping, flag.none, 0, Buffer.concat([mark, mark])));
    await session.received((each) => each.type === type.ping && each.payload.subarray(0, 4).equals(mark));
  }
}

describe("a call of gRPC that is refused", () => {
  test.each([
    ["without a token", echo, { authorization: "Bearer bad" }],
    ["of an unknown method", "/test.v1.KindsService/None", {}],
    ["of a compressed form", echo, { authorization: "Bearer bad", "grpc-encoding": "gzip" }],
    ["of a host that is none", echo, { ":authority": "a:b" }],
  ])("%s is answered once its body has come", async (_what, path, headers) => {
    await serve();
    await session.write(head(1, "application/grpc", { ":path": path, ...headers }));
    await session.write(encodeFrame(type.data, flag.none, 1, Buffer.alloc(10_000)));
    await turns(10);
    expect(framesOf(1).filter((each) => each.type !== type.windowUpdate)).toEqual([]);
    await session.write(end(1));
    await endOf(1);
    expect(framesOf(1).map((each) => each.type)).not.toContain(type.resetStream);
    expect(server.calls).toEqual([]);
  });

  test("in gRPC-web is answered at once", async () => {
    await serve();
    await session.write(head(1, "application/grpc-web", { authorization: "Bearer bad" }));
    expect(await endOf(1)).toBeDefined();
  });

  test("takes no place of the service while its body comes", async () => {
    await serve({ maxCalls: 1 });
    await session.write(head(1, "application/grpc", { authorization: "Bearer bad" }));
    await turns(10);
    await session.write(head(3), end(3));
    expect(await dataOf(session, 3)).toBe(message.toString());
  });

  test("takes its place among the calls of its connection until it is answered", async () => {
    await serve({ maxStreams: 1 });
    await session.write(head(1, "application/grpc", { authorization: "Bearer bad" }), head(3), end(3));
    await turns(10);
    expect(framesOf(3)).toEqual([]);
    await session.write(end(1));
    expect(await dataOf(session, 3)).toBe(message.toString());
  });
});

describe("beyond the calls that are worked on", () => {
  test.each(["application/grpc", "application/json"])(
    "others in %s wait in order, and are answered",
    async (contentType) => {
      const body = contentType === "application/json" ? Buffer.from('{"text":"a"}') : message;
      await serve({ maxStreams: 2 });
      const ids = Array.from({ length: 300 }, (_, index) => 5 + 2 * index);
      await session.write(head(1), head(3), ...ids.flatMap((id) => [head(id, contentType), end(id, body)]));
      await turns(10);
      expect(session.frames.filter(({ streamId }) => streamId !== 0)).toEqual([]);
      expect(await metric("gatehouse_calls_in_flight")).toBe(3); // and the question
      await session.write(end(1));
      await endOf(603);
      const answered = session.frames.filter((each) => each.type === type.headers && each.streamId >= 5);
      expect([...new Set(answered.map(({ streamId }) => streamId))]).toEqual(ids);
      expect(server.calls).toHaveLength(301);
    },
  );

  test("a call that is reset while it waits never begins, and leaves its place in the line", async () => {
    await serve({ maxStreams: 1 });
    await session.write(head(1), head(3), head(5), end(5), head(7), end(7));
    await session.write(end(3), reset(3), end(1));
    for (const id of [5, 7]) expect(await dataOf(session, id)).toBe(message.toString());
    expect(framesOf(3)).toEqual([]);
    expect(server.calls).toHaveLength(3);
    await eventually(async () => (await metric("gatehouse_streams")) === 0);
  });

  test("watches that are open take nobody's place", async () => {
    await serve({ maxStreams: 2 });
    const watch = { ":path": "/grpc.health.v1.Health/Watch" };
    for (const id of [1, 3, 5]) {
      await session.write(head(id, "application/grpc", watch), end(id, Buffer.alloc(5)));
      await session.received((each) => each.streamId === id && each.type === type.data);
    }
    await session.write(head(7), end(7));
    expect(await dataOf(session, 7)).toBe(message.toString());
  });

  test("bodies that wait count by what they are, and who is over the limit is refused unread", async () => {
    await serve({ maxStreams: 1, maxBufferedBytes: 128 * 1024, maxMessageBytes: 65_536 });
    const piece = Buffer.alloc(16_000);
    const part = (id: number) => encodeFrame(type.data, flag.none, id, piece);
    await session.write(
      head(1),
      head(3),
      part(3),
      part(3),
      head(5),
      part(5),
      part(5),
      head(7),
      part(7),
      part(7),
    );
    const refused = await session.received((each) => each.type === type.resetStream);
    expect([refused?.streamId, refused?.payload.readUInt32BE(0)]).toEqual([7, 7]);
    await session.write(end(1));
    expect(await dataOf(session, 1)).toBe(message.toString());
    // What waited is read whole, and what was held is given back.
    for (const id of [3, 5]) {
      await session.write(end(id));
      expect((await endOf(id))?.type).toBe(type.headers);
    }
    await session.write(head(9), head(11), part(11), part(11), end(11, frame(Buffer.alloc(0))), end(9));
    expect((await endOf(11))?.type).toBe(type.headers);
    expect(framesOf(11).map((each) => each.type)).not.toContain(type.resetStream);
  });

  test("one byte of a body in each read of the connection holds a byte, not the read", async () => {
    await serve({ maxStreams: 1 });
    await session.write(head(1), head(3));
    await turns(2);
    // Data of a stream that is closed is thrown away, and fills the reads.
    const filler = encodeFrame(type.data, flag.none, 5, Buffer.alloc(16_000));
    await session.write(head(5), reset(5));
    await turns(2);
    const rounds = sized({ small: 200, full: 2000 });
    const before = heldBytes();
    const round = Buffer.concat([
      encodeFrame(type.data, flag.none, 3, Buffer.of(0)),
      filler,
      filler,
      filler,
      filler,
    ]);
    for (let count = 0; count < rounds; count++) await session.write(round);
    await turns(2);
    expect(heldBytes() - before).toBeLessThan((rounds * round.length) / 2);
  });

  test("a stop lets those that wait be answered", async () => {
    await serve({ maxStreams: 1 });
    await session.write(
      head(1),
      head(3),
      end(3),
      head(5, "application/json; charset=utf-8"),
      end(5, Buffer.from('{"text":"a"}')),
    );
    await turns(2);
    const stopped = server.stop();
    await session.received((each) => each.type === type.goAway);
    await session.write(end(1));
    for (const id of [1, 3]) expect(await dataOf(session, id)).toBe(message.toString());
    expect(JSON.parse(await dataOf(session, 5))).toMatchObject({ text: "a" });
    await stopped;
  });
});

test("a request whose empty body is over before its turn is not waited for", async () => {
  await serve();
  const headers = { ":method": "PUT", ":path": "/v1/projects/1", "content-type": "application/json" };
  await session.write(head(1, "application/json", headers), end(1, Buffer.alloc(0)));
  expect(JSON.parse(await dataOf(session, 1))).toBeDefined();
});

describe("resets", () => {
  const dead = (id: number) => [
    head(id, "application/grpc", { authorization: "Bearer bad" }),
    end(id),
    reset(id),
  ];

  test("a call that is reset in the read that brought it is not begun", async () => {
    await serve();
    await session.write(...[1, 3, 5].flatMap((id) => [head(id), end(id), reset(id)]), head(7), end(7));
    expect(await dataOf(session, 7)).toBe(message.toString());
    expect(await metric("gatehouse_calls_in_flight")).toBe(1); // the question
  });

  test("are not what calls are that were answered, however quickly the line is free", async () => {
    await serve({ maxResets: 5 });
    const json = Buffer.from('{"text":"a"}');
    const bad = { authorization: "Bearer bad" };
    const round = (id: number): readonly Buffer[] => [
      head(id),
      end(id),
      head(id + 2, "application/grpc-web"),
      end(id + 2),
      head(id + 4, "application/json"),
      end(id + 4, json),
      head(id + 6, "application/json", bad),
      end(id + 6, json),
      head(id + 8, "application/grpc", bad),
      end(id + 8),
    ];
    for (let id = 1; id < 400; id += 10) {
      await session.write(...round(id));
      await endOf(id + 8);
    }
    expect(session.frames.filter((each) => each.type === type.goAway)).toEqual([]);
  });

  test("500 at once harm nobody", async () => {
    await serve();
    const ids = Array.from({ length: 500 }, (_, index) => 2 * index + 1);
    await session.write(head(1), ...ids.map((id) => head(2 + id)), ...ids.map((id) => reset(2 + id)));
    await session.write(end(1));
    expect(await dataOf(session, 1)).toBe(message.toString());
    expect(session.frames.filter((each) => each.type === type.goAway)).toEqual([]);
  });

  test.each([
    ["made by the caller", (id: number) => dead(id)],
    [
      "made here for less than was announced",
      (id: number) => [head(id, "application/grpc", { "content-length": "100" }), end(id)],
    ],
  ])(
    "in the thousands, %s, end the connection with ENHANCE_YOUR_CALM and one line of the log",
    async (_what, framesOfCall) => {
      await serve();
      const ids = Array.from({ length: 3000 }, (_, index) => 2 * index + 1);
      for (let from = 0; from < ids.length; from += 100)
        await session.write(...ids.slice(from, from + 100).flatMap(framesOfCall));
      await session.closed;
      const away = session.frames.find((each) => each.type === type.goAway);
      expect(away?.payload.readUInt32BE(4)).toBe(11);
      const lines = server.logLines.filter(({ msg }) => msg === "connection.cut");
      expect(lines).toMatchObject([{ level: 40, flood: "resets" }]);
    },
  );
});
