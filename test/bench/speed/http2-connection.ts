import { connect } from "node:net";

/** A connection that calls are sent on without a library of HTTP, so that sending costs little. */
export interface Connection {
  /** Sends a request as one of the callers; `done` says whether it succeeded. */
  send(body: Buffer, done: (isSuccess: boolean) => void, caller?: number): void;
  close(): void;
}

/** What every request of a connection has in common. */
export interface Requests {
  readonly url: URL;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Values of the authorization header, one of each caller. HTTP/1.1 has the first one only. */
  readonly authorizations: readonly string[];
  /** Whether the body of a success begins with the byte 0: the flags of a gRPC message (an error has no message). */
  readonly isFramed: boolean;
}

const frameHeaderBytes = 9;
const frameType = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 };
const flag = { acknowledged: 1, endStream: 1, endHeaders: 4 };
const largestWindow = 2 ** 31 - 1;
const defaultWindow = 65_535;
/** `:status 200` is one byte, an index into the static table of HPACK (RFC 7541, appendix A). */
const statusOk = 0x88;

interface Stream {
  readonly done: (isSuccess: boolean) => void;
  isOk: boolean;
  hasData: boolean;
}

/**
 * Opens a connection of HTTP/2 in clear text with prior knowledge (RFC 9113 §3.3). All streams of a caller have the same
 * header block, made once, of literals without indexing. Our bodies are small, so the server's windows are never used up: it opens them
 * again when half of them is. Throws out of the socket's event when the server breaks the connection.
 */
export function openHttp2Connection(requests: Requests): Connection {
  const socket = connect(Number(requests.url.port), requests.url.hostname);
  socket.setNoDelay(true);
  const heads = requests.authorizations.map((authorization) => headersFrameOf(requests, authorization));
  const streams = new Map<number, Stream>();
  let nextStream = 1;
  let rest: Buffer = Buffer.alloc(0);
  let unreported = 0;
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(frameOf(frameType.settings, 0, 0, settingsPayload()));
  socket.write(windowUpdate(largestWindow - defaultWindow));

  const onFrame = (type: number, flags: number, id: number, payload: Buffer): void => {
    if (type === frameType.goAway) throw new Error("the server ended the connection");
    if (type === frameType.settings && (flags & flag.acknowledged) === 0)
      socket.write(frameOf(frameType.settings, flag.acknowledged, 0, Buffer.alloc(0)));
    if (type === frameType.ping && (flags & flag.acknowledged) === 0)
      socket.write(frameOf(frameType.ping, flag.acknowledged, 0, payload));
    const stream = streams.get(id);
    if (stream === undefined) return;
    if (type === frameType.headers && !stream.hasData) stream.isOk = payload[0] === statusOk;
    if (type === frameType.data && payload.length > 0 && !stream.hasData) {
      stream.hasData = true;
      if (requests.isFramed) stream.isOk &&= payload[0] === 0;
    }
    if (type === frameType.data) unreported += payload.length;
    const isEnd = (type === frameType.data || type === frameType.headers) && (flags & flag.endStream) !== 0;
    if (!isEnd && type !== frameType.resetStream) return;
    streams.delete(id);
    stream.done(isEnd && stream.isOk && stream.hasData);
  };
  socket.on("data", (chunk: Buffer) => {
    socket.cork();
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= frameHeaderBytes) {
      const end = at + frameHeaderBytes + bytes.readUIntBE(at, 3);
      if (bytes.length < end) break;
      const id = bytes.readUInt32BE(at + 5) & 0x7fffffff;
      onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, id, bytes.subarray(at + frameHeaderBytes, end));
      at = end;
    }
    rest = bytes.subarray(at);
    if (unreported > largestWindow / 2) {
      socket.write(windowUpdate(unreported));
      unreported = 0;
    }
    socket.uncork();
  });
  return {
    send(body, done, caller = 0) {
      const head = heads[caller % heads.length];
      if (head === undefined) throw new Error("there is no caller");
      const id = nextStream;
      nextStream += 2;
      streams.set(id, { done, isOk: false, hasData: false });
      const bytes = Buffer.allocUnsafe(head.length + frameHeaderBytes + body.length);
      bytes.set(head);
      bytes.writeUInt32BE(id, 5);
      writeFrameHeader(bytes, head.length, {
        type: frameType.data,
        flags: flag.endStream,
        id,
        length: body.length,
      });
      bytes.set(body, head.length + frameHeaderBytes);
      socket.write(bytes);
    },
    close: () => socket.destroy(),
  };
}

function headersFrameOf({ url, path, headers }: Requests, authorization: string): Buffer {
  const pseudo = [
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", url.host],
    ["authorization", authorization],
  ] as const;
  const block = Buffer.concat([...pseudo, ...headers].map(([name, value]) => literal(name, value)));
  return frameOf(frameType.headers, flag.endHeaders, 0, block);
}

/** A literal header field without indexing, with a new name (RFC 7541 §6.2.2). */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

/** A string without Huffman coding: its length as an integer with a prefix of 7 bits (RFC 7541 §5.1, §5.2). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let more = bytes.length - 127;
  for (; more >= 128; more >>= 7) length.push((more & 127) | 128);
  return Buffer.concat([Buffer.from([...length, more]), bytes]);
}

/** No push, and a window for each stream that is never used up. */
function settingsPayload(): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeUInt16BE(2, 0); // SETTINGS_ENABLE_PUSH
  payload.writeUInt16BE(4, 6); // SETTINGS_INITIAL_WINDOW_SIZE
  payload.writeUInt32BE(largestWindow, 8);
  return payload;
}

function windowUpdate(increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frameOf(frameType.windowUpdate, 0, 0, payload);
}

function frameOf(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const frame = Buffer.alloc(frameHeaderBytes + payload.length);
  writeFrameHeader(frame, 0, { type, flags, id, length: payload.length });
  frame.set(payload, frameHeaderBytes);
  return frame;
}

function writeFrameHeader(
  frame: Buffer,
  at: number,
  header: { readonly type: number; readonly flags: number; readonly id: number; readonly length: number },
): void {
  frame.writeUIntBE(header.length, at, 3);
  frame.writeUInt8(header.type, at + 3);
  frame.writeUInt8(header.flags, at + 4);
  frame.writeUInt32BE(header.id, at + 5);
}
