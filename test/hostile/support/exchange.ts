/** The ways in which a call comes over the wire. */
export const wireTypes = [
  "rest",
  "application/json",
  "application/proto",
  "application/grpc",
  "application/grpc+proto",
  "application/grpc-web",
  "application/grpc-web+proto",
  "application/grpc-web-text",
  "application/connect+proto",
  "application/connect+json",
] as const;
export type WireType = (typeof wireTypes)[number];

export type HttpVersion = 1 | 2;

export type Headers = readonly (readonly [name: string, value: string])[];

/** One request as it goes over the wire. Texts are written in latin1, so that each character is a byte. */
export interface HostileRequest {
  /** What is wrong with it. */
  readonly what: string;
  readonly type: WireType;
  readonly version: HttpVersion;
  readonly verb: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** All bytes of a connection of its own (HTTP/1.1); then verb, path, headers and body say nothing. */
  readonly raw?: Uint8Array;
  /** The HTTP itself is broken: the connection or the stream may be cut. */
  readonly mayBeCut?: boolean;
  /** The message cannot be decoded: INVALID_REQUEST is the one right answer. */
  readonly isUndecodable?: boolean;
  /** Has a deadline that may pass: DEADLINE_EXCEEDED is a right answer. */
  readonly hasDeadline?: boolean;
}

export interface HostileAnswer {
  /** 0: cut before there was a status. */
  readonly status: number;
  /** Names in lower case; repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly isCut: boolean;
  /** No answer came in time. */
  readonly isLate: boolean;
}

export const noAnswer: HostileAnswer = {
  status: 0,
  headers: {},
  trailers: {},
  body: Buffer.alloc(0),
  isCut: true,
  isLate: false,
};

/** How long an answer may take before it counts as none: 200 bombs at once take 20 s of a machine that is busy otherwise. */
export const answerTimeoutMs = 60_000;

/** Returns the request as curl or in hex, for a person who wants to see it again. */
export function describeRequest(request: HostileRequest): string {
  const { what, type, version, verb, path, headers, body, raw } = request;
  if (raw !== undefined) return `${what} (${type}, raw): ${toHex(raw)}`;
  const lines = headers.map(([name, value]) => ` -H ${JSON.stringify(`${name}: ${value}`)}`).join("");
  const http = version === 2 ? "--http2-prior-knowledge" : "--http1.1";
  return `${what} (${type}): curl ${http} -X ${verb} ${JSON.stringify(path)}${lines} body(hex) ${toHex(body)}`;
}

function toHex(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("hex");
  return text.length > 4000 ? `${text.slice(0, 4000)}… (${bytes.length} bytes)` : text;
}
