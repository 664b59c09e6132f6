import { toBinary } from "@bufbuild/protobuf";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { Problem } from "../../base/problem.ts";
import { codeOf, headersOf, toProblem, toTrailers, toWebTrailers } from "../errors/errors.ts";
import type { Exchange, Outcome } from "../../http/exchanges/exchange.ts";
import type { UnaryMethod } from "../calls/method.ts";
import { singleOf } from "../calls/pipeline.ts";
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
import { nameOf } from "./http-lane.ts";
import { callUnary } from "./unary-call.ts";
import { encodeText, wantsText, webTypeOf } from "./web-text.ts";

/**
 * Serves what nearly all calls in frames are, unary gRPC on HTTP/2 and unary gRPC-web, at a fifth of the cost of Connect's
 * handlers. Their answers are the same (`test/rpc/lanes.sized.test.ts`). Returns undefined for a request that it leaves to them:
 * the headers alone decide, and what was taken is answered here.
 */
export function createUnaryLane(
  options: FramedLaneOptions,
): (exchange: Exchange, type: FramedType) => Promise<Outcome> | undefined {
  return (exchange, type) => {
    const method = options.methods.get(exchange.path);
    if (method?.kind !== "unary" || !isCommon(exchange, type)) return undefined;
    return serve(options, { exchange, type, method });
  };
}

/** Says whether a call is of the form that nearly all have, so that the lane takes it if its method is unary. */
export function isCommon(
  exchange: Pick<Exchange, "verb" | "isHttp2" | "header">,
  { protocol }: Pick<FramedType, "protocol">,
): boolean {
  const isServed = protocol === "grpc-web" || (protocol === "grpc" && exchange.isHttp2);
  const isPlain = (exchange.header("grpc-encoding") ?? "identity") === "identity";
  return isServed && isPlain && exchange.verb === "POST";
}

interface Taken {
  readonly exchange: Exchange;
  readonly type: FramedType;
  readonly method: UnaryMethod;
}

async function serve(options: FramedLaneOptions, { exchange, type, method }: Taken): Promise<Outcome> {
  const lane = laneOf(type);
  let call: OpenedCall;
  try {
    call = openCall(options, exchange, type);
  } catch (error) {
    return {
      method: undefined,
      lane,
      code: await replyTrailersOnly(options, exchange, { type, error }),
      error,
    };
  }
  const name = nameOf(method.descriptor);
  try {
    const message = await run(options, call, method);
    await send(call, { message });
    return { method: name, lane, code: 0 };
  } catch (error) {
    const problem = toProblem(error, exchange.requestId);
    await readToEnd(options, exchange, { ...type, problem });
    await send(call, { problem });
    return { method: name, lane, code: codeOf(problem), error };
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

/** Returns the frames of an answer; none for a failed call of gRPC, whose trailers say all. */
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
/** Less is not worth the time: the bound that Connect has. */
const minCompressedBytes = 1024;

/** Returns the first compression that the caller takes and the service has. */
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
