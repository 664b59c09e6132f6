import { createRegistry, fromBinary, type JsonObject, toJson } from "@bufbuild/protobuf";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { canaries } from "../../support/canaries.ts";
import type { ErrorStatus } from "../../support/clients.ts";
import type { TestService } from "../../support/service.ts";
import { normalize } from "./lanes.ts";

/** A request as it goes over the wire; what no well-behaved client would send included. */
export interface WireRequest {
  /** Default: POST. */
  readonly verb?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default: that of the administrator. Empty: none. */
  readonly token?: string;
}

/** What came back. */
export interface WireAnswer {
  readonly httpStatus: number;
  /** Headers; those of the trailers are not among them. */
  readonly headers: Headers;
  readonly text: string;
  /** The body when it is JSON. */
  readonly json: JsonObject;
  /** google.rpc.Status of an error, in one form whatever the lane; undefined for an answer. */
  readonly status: ErrorStatus | undefined;
}

/** The three contract protocols, spoken by hand. */
export type Protocol = "json" | "grpc" | "grpc-web";

const registry = createRegistry(file_google_rpc_error_details);

/** Sends the request over the protocol. For gRPC and gRPC-web `body` is the message; the frame is put around it. */
export async function send(
  service: TestService,
  protocol: Protocol,
  request: WireRequest,
): Promise<WireAnswer> {
  canaries.noteAuthorization(`Bearer ${request.token ?? service.adminToken}`);
  const answer = await sendOver(service, protocol, request);
  const isError = answer.status !== undefined || answer.httpStatus >= 400;
  // Of what succeeded, the field is not known that may hold a secret.
  if (isError)
    canaries.noteReceived(JSON.stringify([...answer.headers]) + JSON.stringify(answer.status) + answer.text);
  return answer;
}

async function sendOver(service: TestService, protocol: Protocol, request: WireRequest): Promise<WireAnswer> {
  switch (protocol) {
    case "json":
      return await sendJson(service, request);
    case "grpc":
      return await sendGrpc(service, request);
    case "grpc-web":
      return await sendGrpcWeb(service, request);
  }
}

/** Returns the bytes in a frame of gRPC. */
export function frame(data: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}

function headersFor(service: TestService, request: WireRequest, contentType: string): Record<string, string> {
  const token = request.token ?? service.adminToken;
  const headers: Record<string, string> = {
    "content-type": contentType,
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...request.headers,
  };
  // An empty content type stands for none.
  if (headers["content-type"] === "") delete headers["content-type"];
  return headers;
}

async function fetchRaw(
  service: TestService,
  request: WireRequest,
  options: { readonly headers: Record<string, string>; readonly body: Uint8Array | string | undefined },
) {
  const { headers, body } = options;
  const response = await fetch(`${service.url}${request.path}`, {
    method: request.verb ?? "POST",
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function sendJson(service: TestService, request: WireRequest): Promise<WireAnswer> {
  const headers = headersFor(service, request, request.body === undefined ? "" : "application/json");
  const { response, bytes } = await fetchRaw(service, request, { headers, body: request.body });
  const text = bytes.toString("utf8");
  const json = parse(text);
  const isConnect = headers["connect-protocol-version"] !== undefined;
  return {
    httpStatus: response.status,
    headers: response.headers,
    text,
    json,
    status: response.ok || isConnect ? undefined : normalize(json as unknown as ErrorStatus),
  };
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject; // every body of the service is an object
  } catch {
    return {};
  }
}

function toFrame(body: WireRequest["body"]): Buffer {
  return frame(Buffer.from(body ?? ""));
}

async function sendGrpcWeb(service: TestService, request: WireRequest): Promise<WireAnswer> {
  const headers = headersFor(service, request, "application/grpc-web+proto");
  const hasBody = !["GET", "HEAD"].includes(request.verb ?? "POST");
  const body = hasBody ? toFrame(request.body) : undefined;
  const { response, bytes } = await fetchRaw(service, request, { headers, body });
  return {
    httpStatus: response.status,
    headers: response.headers,
    text: bytes.toString("latin1"),
    json: {},
    status: readStatus(trailersOf(bytes) ?? response.headers),
  };
}

/** Returns what the last frame of gRPC-web says; undefined when the status is in the headers. */
function trailersOf(bytes: Buffer): Headers | undefined {
  let at = 0;
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at + 1);
    const data = bytes.subarray(at + 5, at + 5 + length);
    if (bytes[at] === 0x80) {
      const lines = data.toString("latin1").split("\r\n").filter(Boolean);
      return new Headers(
        lines.map((line): [string, string] => [
          line.slice(0, line.indexOf(":")),
          line.slice(line.indexOf(":") + 1).trim(),
        ]),
      );
    }
    at += 5 + length;
  }
  return undefined;
}

async function sendGrpc(service: TestService, request: WireRequest): Promise<WireAnswer> {
  const session = connect(service.url);
  try {
    const { initial, trailers, bytes } = await exchange(session, service, request);
    const headers = toHeaders(initial);
    const ending = trailers["grpc-status"] === undefined ? headers : toHeaders(trailers);
    return {
      httpStatus: Number(initial[":status"]),
      headers,
      text: bytes.toString("latin1"),
      json: {},
      status: readStatus(ending),
    };
  } finally {
    session.destroy();
  }
}

function exchange(session: ClientHttp2Session, service: TestService, request: WireRequest) {
  interface Exchanged {
    initial: IncomingHttpHeaders;
    trailers: IncomingHttpHeaders;
    bytes: Buffer;
  }
  return new Promise<Exchanged>((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({
      ":method": request.verb ?? "POST",
      ":path": request.path,
      te: "trailers",
      ...headersFor(service, request, "application/grpc"),
    });
    let initial: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("error", reject);
    stream.on("response", (received) => {
      initial = received;
    });
    stream.on("trailers", (received) => {
      trailers = received;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ initial, trailers, bytes: Buffer.concat(chunks) }));
    if (!stream.writableEnded) stream.end(toFrame(request.body));
  });
}

function toHeaders(received: Readonly<Record<string, unknown>>): Headers {
  return new Headers(
    Object.entries(received)
      .filter(([name]) => !name.startsWith(":"))
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/** Reads the status of gRPC, and holds the three headers that carry it against each other. */
function readStatus(headers: Headers): ErrorStatus | undefined {
  const code = Number(headers.get("grpc-status") ?? Number.NaN);
  if (Number.isNaN(code)) throw new Error(`there is no grpc-status in ${JSON.stringify([...headers])}`);
  if (code === 0) return undefined;
  const bytes = Buffer.from(headers.get("grpc-status-details-bin") ?? "", "base64");
  const status = fromBinary(StatusSchema, bytes);
  const message = decodeURIComponent(headers.get("grpc-message") ?? "");
  if (status.code !== code || status.message !== message)
    throw new Error("grpc-status, grpc-message and grpc-status-details-bin differ");
  return normalize(toJson(StatusSchema, status, { registry }) as unknown as ErrorStatus);
}
