import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** RFC 9113 §6: the types of frames. */
export const type = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** RFC 9113 §6: the flags of frames. ACK is END_STREAM's bit. */
export const flag = { none: 0, ack: 1, endStream: 1, endHeaders: 4 } as const;

/** RFC 9113 §6.5.2: the settings that the tests send, or look for. */
export const setting = { headerTableSize: 1, maxConcurrentStreams: 3, initialWindowSize: 4 } as const;

export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export interface RawFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** Returns a frame of HTTP/2 as it goes over the wire (RFC 9113 §4.1). Nothing is checked. */
export function encodeFrame(
  frameType: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = new Uint8Array(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = frameType;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Returns a SETTINGS frame. */
export function encodeSettings(values: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(values.length * 6);
  for (const [index, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return encodeFrame(type.settings, flag.none, 0, payload);
}

/** Returns a 32-bit number, as WINDOW_UPDATE and RST_STREAM carry it. */
export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a header block of literals that are not indexed (RFC 7541 §6.2.2), without Huffman coding. */
export function encodeHeaders(headers: Readonly<Record<string, string>>, firstByte = 0x00): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => [
    Buffer.of(firstByte),
    encodeText(name),
    encodeText(value),
  ]);
  return Buffer.concat(parts);
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length = [];
  let rest = bytes.length;
  if (rest < 127) length.push(rest);
  else {
    length.push(127);
    for (rest -= 127; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** A connection of HTTP/2 whose frames are written by hand. Acknowledges nothing by itself. */
export interface RawSession {
  readonly socket: Socket;
  readonly frames: RawFrame[];
  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>;
  /** Writes, and resolves when the bytes were handed on or the connection is closed. */
  write(...frames: readonly Uint8Array[]): Promise<void>;
  /** Resolves with the first frame that fits, also of those that came before; undefined when the connection closes. */
  received(fits: (frame: RawFrame) => boolean): Promise<RawFrame | undefined>;
}

/** Opens a connection and sends preface and settings. `connectTo` lets it run inside of TLS. */
export async function openRawSession(
  port: number,
  settings: readonly (readonly [id: number, value: number])[] = [],
  socket: Socket = connect(port, "127.0.0.1"),
): Promise<RawSession> {
  const frames: RawFrame[] = [];
  let pending: Buffer = Buffer.alloc(0);
  let look = (): void => {};
  let isClosed = false;
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
      look();
    });
  });
  socket.on("data", (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    pending = takeFrames(pending, frames);
    look();
  });
  if (socket.connecting) await once(socket, "connect");
  const write = async (...parts: readonly Uint8Array[]): Promise<void> => {
    await new Promise(setImmediate); // lets the connection close, and everybody else go on, while a test floods it
    if (isClosed || socket.destroyed) return;
    await Promise.race([
      closed,
      new Promise<void>((resolve) => {
        socket.write(Buffer.concat(parts), () => resolve());
      }),
    ]);
  };
  await write(preface, encodeSettings(settings));
  return {
    socket,
    frames,
    closed,
    write,
    received: (fits) =>
      new Promise((resolve) => {
        const before = look;
        look = () => {
          before();
          const found = frames.find(fits);
          if (found !== undefined || isClosed) resolve(found);
        };
        look();
      }),
  };
}

/** Waits for the end of a stream, and returns the data that came on it. */
export async function dataOf(session: RawSession, streamId: number): Promise<string> {
  await session.received((frame) => frame.streamId === streamId && (frame.flags & flag.endStream) !== 0);
  const own = session.frames.filter((frame) => frame.streamId === streamId && frame.type === type.data);
  return Buffer.concat(own.map(({ payload }) => payload)).toString();
}

function takeFrames(bytes: Buffer, into: RawFrame[]): Buffer {
  let rest = bytes;
  while (rest.length >= 9) {
    const length = rest.readUIntBE(0, 3);
    if (rest.length < 9 + length) break;
    into.push({
      type: rest.readUInt8(3),
      flags: rest.readUInt8(4),
      streamId: rest.readUInt32BE(5) & 0x7fffffff,
      payload: rest.subarray(9, 9 + length),
    });
    rest = rest.subarray(9 + length);
  }
  return rest;
}
