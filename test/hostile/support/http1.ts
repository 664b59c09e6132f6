import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { answerTimeoutMs, type HostileAnswer, type HostileRequest, noAnswer } from "./exchange.ts";

export interface Target {
  readonly host: string;
  readonly port: number;
  /** The certificate that is trusted; absent: clear text. */
  readonly certificate?: Buffer | undefined;
}

/** A client that writes whatever it is given, header by header, and keeps its connection as long as the service does. */
export interface HostileClient {
  send(request: HostileRequest): Promise<HostileAnswer>;
  close(): void;
}

export function createHttp1Client(target: Target): HostileClient {
  let kept: Socket | undefined;
  return {
    async send(request) {
      if (request.raw !== undefined) {
        const socket = open(target);
        const answer = await exchange(socket, request.raw, { verb: "POST", isAlone: true });
        socket.destroy();
        return answer;
      }
      const isNew = kept === undefined || kept.destroyed || !kept.writable;
      const socket = isNew ? open(target) : (kept ?? open(target));
      kept = socket;
      const answer = await exchange(socket, bytesOf(target, request), { verb: request.verb, isAlone: false });
      if (answer.isCut || answer.isLate || answer.headers["connection"] === "close") {
        socket.destroy();
        kept = undefined;
      }
      // A kept connection may end at any moment; then the request is sent again on a new one.
      if (answer.status === 0 && !answer.isLate && !isNew) return await this.send(request);
      return answer;
    },
    close: () => kept?.destroy(),
  };
}

function open({ host, port, certificate }: Target): Socket {
  const socket =
    certificate === undefined
      ? connect(port, host)
      : connectTls({ port, host, ca: certificate, checkServerIdentity: () => undefined });
  return socket.setNoDelay(true).on("error", () => undefined); // what matters is in "close"
}

function bytesOf({ host, port }: Target, { verb, path, headers, body }: HostileRequest): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const added = [
    ...(names.has("host") ? [] : [`host: ${host}:${port}`]),
    ...(names.has("content-length") || names.has("transfer-encoding") || (body.length === 0 && verb === "GET")
      ? []
      : [`content-length: ${body.length}`]),
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${verb} ${path} HTTP/1.1`, ...added, ...lines, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

function exchange(
  socket: Socket,
  bytes: Uint8Array,
  { verb, isAlone }: { verb: string; isAlone: boolean },
): Promise<HostileAnswer> {
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const done = (answer: HostileAnswer) => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
      resolve(answer);
    };
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = parse(received, verb, false);
      if (answer !== undefined) done(answer);
    };
    const onClose = () => done(parse(received, verb, true) ?? noAnswer);
    const timer = setTimeout(() => done({ ...noAnswer, isLate: true }), answerTimeoutMs);
    socket.on("data", onData).on("close", onClose);
    if (isAlone) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Returns the answer once it is whole; what is missing at the end of the connection makes it a cut one. */
function parse(bytes: Buffer, verb: string, isEnd: boolean): HostileAnswer | undefined {
  const split = bytes.indexOf("\r\n\r\n");
  if (split < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, split).toString("latin1").split("\r\n");
  const status = Number(first.split(" ")[1]);
  const rest = bytes.subarray(split + 4);
  if (status >= 100 && status < 200) return parse(rest, verb, isEnd);
  const headers = toHeaders(lines);
  const answer = { status, headers, trailers: {}, isCut: false, isLate: false };
  if (verb === "HEAD" || status === 204 || status === 304) return { ...answer, body: Buffer.alloc(0) };
  const cut = isEnd ? { ...answer, body: rest, isCut: true } : undefined;
  if (headers["transfer-encoding"] === "chunked") {
    const whole = parseChunks(rest);
    return whole === undefined ? cut : { ...answer, ...whole };
  }
  const length = headers["content-length"];
  if (length === undefined) return isEnd ? { ...answer, body: rest } : undefined;
  return rest.length < Number(length) ? cut : { ...answer, body: rest.subarray(0, Number(length)) };
}

function parseChunks(bytes: Buffer): { body: Buffer; trailers: Record<string, string> } | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    at = lineEnd + 2;
    if (size === 0) break;
    if (bytes.length < at + size + 2) return undefined;
    parts.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
  const lines: string[] = [];
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    if (lineEnd === at) return { body: Buffer.concat(parts), trailers: toHeaders(lines) };
    lines.push(bytes.subarray(at, lineEnd).toString("latin1"));
    at = lineEnd + 2;
  }
}

function toHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return Object.fromEntries(headers);
}
