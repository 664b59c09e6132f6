import { fromBinary } from "@bufbuild/protobuf";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { createRegistry } from "@bufbuild/protobuf";
import { ErrorReason } from "../../../gen/gatehouse/v1/error_reason_pb.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import { httpStatusOfCode } from "../../support/http-statuses.ts";
import { decodeText } from "../../support/web-text.ts";
import type { HostileAnswer, HostileRequest } from "./exchange.ts";

/** How a call ended: the canonical code, and the reason of an error. */
export interface Verdict {
  /** Undefined: the connection or the stream was cut. */
  readonly code: number | undefined;
  readonly reason: string;
  /** What is wrong with the answer; none when it is right. */
  readonly complaints: readonly string[];
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly reason: string;
  readonly domain: string;
}

const reasons = new Set(Object.keys(ErrorReason));
const registry = createRegistry(ErrorInfoSchema, BadRequestSchema, ResourceInfoSchema, RetryInfoSchema);

/** The reasons that HTTP has a status of its own for. */
const httpStatusOfReason: Readonly<Record<string, number>> = {
  METHOD_NOT_ALLOWED: 405,
  MESSAGE_TOO_LARGE: 413,
  CONTENT_TYPE_UNSUPPORTED: 415,
  ENCODING_UNSUPPORTED: 415,
};
/** None or several messages for a call that takes one have the reason INVALID_REQUEST. */
const unimplemented = new Set([
  "ROUTE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "ENCODING_UNSUPPORTED",
  "INVALID_REQUEST",
]);

/** What a message would say that was not written for callers: stacks, SQL, paths, the words of the engine. */
const inside =
  /\bundefined\b|\[object |TypeError|RangeError|SyntaxError|SQLITE|\bSELECT\b|\bINSERT\b|UNIQUE constraint|node:|node_modules|\.ts:|\.js:|\bat [\w.]+ \(|\/src\/|\/tmp\/|Cannot read|is not a function|is not iterable|Unexpected token|ENOENT|EINVAL|ERR_|connectrpc|protobuf-es|protovalidate/;

const connectCodes: Readonly<Record<string, number>> = {
  canceled: 1,
  unknown: 2,
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  aborted: 10,
  out_of_range: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  data_loss: 15,
  unauthenticated: 16,
};

/** Judges an answer by what every answer must be, whatever was asked. */
export function judge(request: HostileRequest, answer: HostileAnswer): Verdict {
  if (answer.headers["unsent"] !== undefined) return { code: undefined, reason: "unsent", complaints: [] };
  if (answer.isLate) return complaint("no answer came in time");
  if (answer.isCut) {
    if (request.mayBeCut === true) return { code: undefined, reason: "cut", complaints: [] };
    return complaint(`the connection was cut, status ${answer.status}`);
  }
  const complaints: string[] = [];
  if (!/^[0-9a-f]{32}$/.test(answer.headers["x-request-id"] ?? "")) complaints.push("no x-request-id");
  try {
    const refusal = refusalOf(request, answer);
    if (request.isUndecodable === true && refusal?.reason !== "INVALID_REQUEST")
      complaints.push(`what cannot be decoded was taken: ${refusal?.reason ?? "success"}`);
    if (refusal === undefined) return { code: 0, reason: "", complaints };
    return {
      code: refusal.code,
      reason: refusal.reason,
      complaints: [...complaints, ...complaintsAbout(refusal, request)],
    };
  } catch (error) {
    return {
      code: undefined,
      reason: "unreadable",
      complaints: [
        `${String(error)}; status ${answer.status}, ${JSON.stringify(answer.headers)}, ${JSON.stringify(answer.trailers)}, body ${answer.body.toString("latin1").slice(0, 500)}`,
      ],
    };
  }
}

function complaint(text: string): Verdict {
  return { code: undefined, reason: "", complaints: [text] };
}

function complaintsAbout({ code, message, reason, domain }: Refusal, request: HostileRequest): string[] {
  const complaints: string[] = [];
  const say = `code ${code}, ${reason}: ${message}`;
  if (!reasons.has(reason)) complaints.push(`the reason is not in the catalogue: ${say}`);
  if (domain !== "gatehouse") complaints.push(`the domain is ${domain}`);
  if (message === "" || message.length > 1001)
    complaints.push(`the message has ${message.length} characters`);
  if (!isOfClient(code, reason, request)) complaints.push(`not a code for the mistake of a client: ${say}`);
  const found = inside.exec(message)?.[0];
  if (found !== undefined && !decodeLoosely(request.path).includes(found))
    complaints.push(`the message tells of the inside: ${say}`);
  return complaints;
}

/** Says whether the code is one for the mistake of a client. */
function isOfClient(code: number, reason: string, request: HostileRequest): boolean {
  switch (code) {
    case 4:
      return request.hasDeadline === true;
    case 12:
      return unimplemented.has(reason);
    case 13:
      return reason === "INVALID_REQUEST"; // a compressed message in a call that does not say how
    default:
      return httpStatusOfCode[code] !== undefined && code !== 14 && code !== 1;
  }
}

/** A message may repeat what the caller wrote themselves. */
function decodeLoosely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the error of an answer; undefined for success. Throws for what is neither. */
function refusalOf(request: HostileRequest, answer: HostileAnswer): Refusal | undefined {
  const type = (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (answer.trailers["grpc-status"] !== undefined) return ofTrailers(answer.trailers);
  if (type.startsWith("application/grpc-web")) {
    if (answer.headers["grpc-status"] !== undefined) return ofTrailers(answer.headers);
    const body = type.includes("-text") ? decodeText(answer.body.toString("latin1")) : answer.body;
    return ofTrailers(lastFrameOf(body, 0x80, parseTrailers));
  }
  if (type.startsWith("application/grpc")) return ofTrailers(answer.headers);
  if (type.startsWith("application/connect")) return lastFrameOf(answer.body, 2, ofEndOfStream);
  if (answer.status >= 200 && answer.status < 300) {
    if (type === "application/json" && answer.status !== 204 && request.verb !== "HEAD")
      JSON.parse(answer.body.toString());
    return undefined;
  }
  return ofJson(request, answer, type);
}

function ofJson(request: HostileRequest, answer: HostileAnswer, type: string): Refusal {
  if (type !== "application/json") throw new Error(`an error in ${type}`);
  // An answer to HEAD has no body.
  if (request.verb === "HEAD" && answer.status >= 400 && answer.status < 500)
    return { code: 12, message: "-", reason: "METHOD_NOT_ALLOWED", domain: "gatehouse" };
  const refusal = ofBody(JSON.parse(answer.body.toString()));
  const status =
    httpStatusOfReason[refusal.reason] ??
    (refusal.reason === "ROUTE_NOT_FOUND" ? 404 : httpStatusOfCode[refusal.code]);
  const isHttps = answer.status === 431 || answer.status === 408; // what the parser of HTTP refuses
  if (answer.status !== status && !isHttps)
    throw new Error(`HTTP ${answer.status} for code ${refusal.code} ${refusal.reason}`);
  return refusal;
}

/** Reads both shapes of an error in JSON: google.rpc.Status, and Connect's. */
function ofBody(body: {
  code: number | string;
  message: string;
  details: { "@type"?: string; type?: string; value?: string; reason?: string; domain?: string }[];
}): Refusal {
  if (typeof body.code === "number") {
    const info = body.details.find(
      (detail) => detail["@type"] === "type.googleapis.com/google.rpc.ErrorInfo",
    );
    return { code: body.code, message: body.message, reason: info?.reason ?? "", domain: info?.domain ?? "" };
  }
  const packed = body.details.find((detail) => detail.type === "google.rpc.ErrorInfo");
  const info = fromBinary(ErrorInfoSchema, Buffer.from(packed?.value ?? "", "base64"));
  return {
    code: connectCodes[body.code] ?? -1,
    message: body.message,
    reason: info.reason,
    domain: info.domain,
  };
}

function ofEndOfStream(data: Buffer): Refusal | undefined {
  const { error } = JSON.parse(data.toString());
  return error === undefined ? undefined : ofBody(error);
}

function ofTrailers(trailers: Readonly<Record<string, string>>): Refusal | undefined {
  const code = Number(trailers["grpc-status"] ?? "missing");
  if (code === 0) return undefined;
  const message = decodeURIComponent(trailers["grpc-message"] ?? "");
  const details = Buffer.from(trailers["grpc-status-details-bin"] ?? "", "base64");
  const status = fromBinary(StatusSchema, details);
  if (status.code !== code || status.message !== message)
    throw new Error(
      `grpc-status ${code} ${message} differs from its details ${status.code} ${status.message}`,
    );
  const info = status.details.map((detail: Any) => anyUnpack(detail, registry)).find(isInfo);
  return { code, message, reason: info?.reason ?? "", domain: info?.domain ?? "" };
}

function isInfo(
  detail: ReturnType<typeof anyUnpack>,
): detail is Extract<typeof detail, object> & { reason: string; domain: string } {
  return detail?.$typeName === "google.rpc.ErrorInfo";
}

/** Returns what the last frame of the body says, which must have these flags. */
function lastFrameOf<T>(body: Buffer, flags: number, read: (data: Buffer) => T): T {
  let at = 0;
  for (;;) {
    if (body.length < at + 5) throw new Error("the answer ends without its last frame");
    const length = body.readUInt32BE(at + 1);
    const data = body.subarray(at + 5, at + 5 + length);
    if (data.length < length) throw new Error("the answer ends in a frame");
    if (body[at] === flags) return read(data);
    at += 5 + length;
  }
}

function parseTrailers(data: Buffer): Record<string, string> {
  const lines = data.toString("latin1").trimEnd().split("\r\n");
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
