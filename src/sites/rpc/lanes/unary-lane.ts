import { toBinary } from "@bufbuild/protobuf";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { Problem } from "../../../kernel/base/problem.ts";
import { codeOf, headersOf } from "../errors/status.ts";
import { toTrailers, toWebTrailers } from "../errors/trailers.ts";
import { toProblem } from "../../../kernel/http/errors/problem-status.ts";
import type { Leave } from "../../../kernel/http/admission.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Outcome } from "../../../kernel/http/site.ts";
import { nameOf, type UnaryMethod } from "../calls/method.ts";
import { singleOf } from "../calls/single-request.ts";
import { decoderOf, type FramedType, messagesOf } from "./framed-body.ts";
import {
  type FramedLaneOptions,
  headersOfAnswer,
  laneOf,
  type OpenedCall,
  openCall,
  readToEnd,
  replyTrailersOnly,
} from "./framed-call.ts";
import { encodeFrame, headBytes } from "./frames.ts";
import { callUnary } from "./unary-call.ts";
import { encodeText, wantsText, webTypeOf } from "./web-text.ts";

/** What the headers say about a call, in whatever form Node hands them over. */
export interface CallHead {
  readonly verb: string;
  readonly path: string;
  readonly isHttp2: boolean;
  /** The header `grpc-encoding`. */
  readonly encoding: string | undefined;
}

/** Finds the handler of a call; undefined for a call that is left to Connect's handlers. */
export type FindUnaryLane = (
  head: CallHead,
  type: FramedType,
) => ((exchange: Exchange, leave: Leave) => Promise<Outcome>) | undefined;

/**
 * Creates the lane of nearly all framed calls, unary gRPC on HTTP/2 and unary gRPC-web, at a fifth of the cost of
 * Connect's handlers. Its answers are the same (`test/sites/rpc/lanes.sized.test.ts`). It decides by the headers alone, and
 * answers every call that it takes.
 */
export function createUnaryLane(options: FramedLaneOptions): FindUnaryLane {
  return (head, type) => {
    const method = options.methods.get(head.path);
    if (method?.kind !== "unary" || !isCommon(head, type)) return undefined;
    return (exchange, leave) => serve(options, { exchange, type, method, leave });
  };
}

/** Says whether a call has the common form, so that the lane takes it if its method is unary. */
export function isCommon(
  { verb, isHttp2, encoding }: Omit<CallHead, "path">,
  { protocol }: Pick<FramedType, "protocol">,
): boolean {
  const isServed = protocol === "grpc-web" || (protocol === "grpc" && isHttp2);
  return isServed && (encoding ?? "identity") === "identity" && verb === "POST";
}

interface Taken {
  readonly exchange: Exchange;
  readonly type: FramedType;
  readonly method: UnaryMethod;
  readonly leave: Leave;
}

async function serve(options: FramedLaneOptions, { exchange, type, method, leave }: Taken): Promise<Outcome> {
  const protocol = laneOf(type);
  let call: OpenedCall;
  try {
    call = openCall(options, exchange, type);
  } catch (error) {
    const code = await replyTrailersOnly(exchange, { type, error, leave });
    return { operation: undefined, protocol, code, error };
  }
  const operation = nameOf(method.descriptor);
  try {
    const message = await run(options, call, method);
    await send(call, { message });
    return { operation, protocol, code: 0 };
  } catch (error) {
    const problem = toProblem(error, exchange.requestId);
    await readToEnd(exchange, { protocol: type.protocol, problem, leave });
    await send(call, { problem });
    return { operation, protocol, code: codeOf(problem), error };
  }
}

async function run(
  { clock, bodies }: FramedLaneOptions,
  call: OpenedCall,
  method: UnaryMethod,
): Promise<Uint8Array> {
  const { exchange, maxBytes, timeoutMs } = call;
  const receive = async () =>
    singleOf(messagesOf(call, await bodies.read(exchange, maxBytes + headBytes, decoderOf(call))));
  const answer = await callUnary(clock, exchange, { method, timeoutMs, receive });
  return toBinary(method.descriptor.output, answer);
}

type Answer = { readonly message: Uint8Array } | { readonly problem: Problem };

/** Sends an answer in the frames and trailers of the protocol. */
async function send(call: OpenedCall, answer: Answer): Promise<void> {
  const { exchange, protocol } = call;
  const isText = wantsText(exchange, call);
  const compression = findCompression(exchange.header("grpc-accept-encoding"));
  const problem = "problem" in answer ? answer.problem : undefined;
  const frames =
    compression === undefined ? plainBody(call, answer) : await packedBody(call, answer, compression);
  const body = isText && frames !== undefined ? encodeText(frames) : frames;
  const headers = headersOfAnswer(call);
  headers["content-type"] = protocol === "grpc" ? "application/grpc+proto" : webTypeOf(isText);
  if (compression !== undefined) headers["grpc-encoding"] = compression.name;
  if (protocol === "grpc-web") headers["content-length"] = String(body?.length ?? 0);
  if (problem !== undefined) Object.assign(headers, headersOf(problem));
  const trailers = problem === undefined ? succeeded : toTrailers(problem);
  exchange.send({ status: 200, headers, body, trailers: protocol === "grpc" ? trailers : undefined });
}

const succeeded = { "grpc-status": "0" };

/** Builds the frames of an answer; none for a failed gRPC call, whose trailers are enough. */
function plainBody({ protocol }: OpenedCall, answer: Answer): Uint8Array | undefined {
  const message = "message" in answer ? encodeFrame(0, answer.message) : undefined;
  if (protocol === "grpc") return message;
  const last = encodeFrame(0x80, toTrailerBytes(answer));
  return message === undefined ? last : Buffer.concat([message, last]);
}

async function packedBody(
  { protocol }: OpenedCall,
  answer: Answer,
  compression: Compression,
): Promise<Uint8Array | undefined> {
  const message = "message" in answer ? await packFrame(0, answer.message, compression) : undefined;
  if (protocol === "grpc") return message;
  const last = await packFrame(0x80, toTrailerBytes(answer), compression);
  return message === undefined ? last : Buffer.concat([message, last]);
}

function toTrailerBytes(answer: Answer): Uint8Array {
  const trailers = "message" in answer ? succeeded : toWebTrailers(answer.problem);
  return Buffer.from(
    Object.entries(trailers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(""),
  );
}

type Compression = typeof compressionGzip;
const compressions: readonly Compression[] = [compressionGzip, compressionBrotli];
/** Shorter messages are not worth the time: the bound that Connect has. */
const minCompressedBytes = 1024;

/** Finds the first compression that both the caller and the service support. */
function findCompression(accepted: string | undefined): Compression | undefined {
  if (accepted === undefined) return undefined;
  for (const name of accepted.split(",")) {
    const found = compressions.find((each) => each.name === name.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}

async function packFrame(flags: number, data: Uint8Array, compression: Compression): Promise<Uint8Array> {
  if (data.length < minCompressedBytes) return encodeFrame(flags, data);
  return encodeFrame(flags | 1, await compression.compress(data));
}
