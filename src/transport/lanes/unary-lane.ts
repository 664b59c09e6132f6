import { toBinary } from "@bufbuild/protobuf";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { Problem } from "../../base/problem.ts";
import { codeOf, headersOf, toProblem, toTrailers, toWebTrailers } from "../errors.ts";
import { type Exchange, holdUntilRead, isGone, letGoOfRequest, type Outcome } from "../exchange.ts";
import type { UnaryMethod } from "../method.ts";
import { single } from "../pipeline.ts";
import { type FramedType, messagesOf } from "./framed-body.ts";
import {
  type FramedLaneOptions,
  headersOfAnswer,
  type OpenedCall,
  openCall,
  replyTrailersOnly,
} from "./framed-call.ts";
import { encodeFrame, headBytes } from "./frames.ts";
import { nameOf } from "./http-lane.ts";
import { callUnary } from "./unary-call.ts";

/**
 * Serves what nearly all calls in frames are, unary gRPC on HTTP/2 and unary gRPC-web, at a fifth of the cost of Connect's
 * handlers. Their answers are the same (`test/transport/lanes.test.ts`). Returns undefined for a request that it leaves to them:
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
  { verb, isHttp2, header }: Pick<Exchange, "verb" | "isHttp2" | "header">,
  { protocol }: Pick<FramedType, "protocol">,
): boolean {
  const isServed = protocol === "grpc-web" || (protocol === "grpc" && isHttp2);
  return isServed && verb === "POST" && (header("grpc-encoding") ?? "identity") === "identity";
}

interface Taken {
  readonly exchange: Exchange;
  readonly type: FramedType;
  readonly method: UnaryMethod;
}

async function serve(options: FramedLaneOptions, { exchange, type, method }: Taken): Promise<Outcome> {
  const lane = type.protocol;
  let call: OpenedCall;
  try {
    call = openCall(options, exchange, type);
  } catch (error) {
    return { method: undefined, lane, code: replyTrailersOnly(exchange, type, error), error };
  }
  const name = nameOf(method.descriptor);
  try {
    const message = await run(options, call, method);
    await send(call, { message });
    return { method: name, lane, code: 0 };
  } catch (error) {
    const problem = toProblem(error, exchange.requestId);
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
    await single(messagesOf(call, await bodies.read(exchange.request, maxBytes + headBytes)));
  const answer = await callUnary(clock, exchange, { method, timeoutMs, receive });
  return toBinary(method.descriptor.output, answer);
}

type Answer = { readonly message: Uint8Array } | { readonly problem: Problem };

/** Sends an answer in the frames and trailers of the protocol. */
async function send(call: OpenedCall, answer: Answer): Promise<void> {
  const { exchange, protocol } = call;
  const { response } = exchange;
  const compression = findCompression(exchange.header("grpc-accept-encoding"));
  const problem = "problem" in answer ? answer.problem : undefined;
  const frames = "message" in answer ? [await toFrame(0, answer.message, compression)] : [];
  if (protocol === "grpc-web") frames.push(await toFrame(0x80, toTrailerBytes(problem), compression));
  if (response.headersSent || isGone(exchange)) return;
  const [first, second] = frames;
  const body = second === undefined ? first : Buffer.concat(frames);
  response.writeHead(200, {
    ...headersOfAnswer(call),
    "content-type": `application/${protocol}+proto`,
    ...(compression === undefined ? {} : { "grpc-encoding": compression.name }),
    ...(protocol === "grpc-web" ? { "content-length": String(body?.length ?? 0) } : {}),
    ...(problem === undefined ? {} : headersOf(problem)),
  });
  if (protocol === "grpc") response.addTrailers(problem === undefined ? succeeded : toTrailers(problem));
  response.end(body);
  holdUntilRead(exchange, body?.length ?? 0);
  letGoOfRequest(exchange);
}

const succeeded = { "grpc-status": "0" };

function toTrailerBytes(problem: Problem | undefined): Uint8Array {
  const trailers = problem === undefined ? succeeded : toWebTrailers(problem);
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

async function toFrame(
  flags: number,
  data: Uint8Array,
  compression: Compression | undefined,
): Promise<Uint8Array> {
  if (compression === undefined || data.length < minCompressedBytes) return encodeFrame(flags, data);
  return encodeFrame(flags | 1, await compression.compress(data));
}
