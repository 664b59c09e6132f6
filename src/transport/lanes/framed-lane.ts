import type { Message } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { requestInvalid } from "../../base/problem.ts";
import type { BodyReader } from "../body.ts";
import { encodings, findDecompressor } from "../body.ts";
import type { CallScope } from "../call-scope.ts";
import { openCallScope } from "../call-scope.ts";
import { deprecationHeaders } from "../deprecation.ts";
import { codeOf, headersOf, httpStatusOf, toProblem, toTrailers } from "../errors.ts";
import type { Exchange, Outcome } from "../exchange.ts";
import { letGoOfRequest, streamOf } from "../exchange.ts";
import { messageFromJson, parseJsonBody, toJsonText } from "../json/codec.ts";
import type { Arrival, Method, StreamMethod, UnaryMethod } from "../method.ts";
import { single } from "../pipeline.ts";
import { contentTypeUnsupported, methodNotAllowed, overloaded, routeNotFound } from "../refusals.ts";
import type { Frame } from "./frames.ts";
import { encodeFrame, headBytes, readFrames, splitFrames } from "./frames.ts";
import type { Framing } from "./framings.ts";
import { connectStream } from "./framings.ts";
import { decodeBinary, nameOf, replyError } from "./http-lane.ts";

export interface FramedLaneOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly bodies: BodyReader;
  readonly clock: Clock;
  /** Time that a caller may leave an answer unread. */
  readonly writeTimeoutMs: number;
  /** Aborted when the service stops: open streams end with UNAVAILABLE. */
  readonly stopping: AbortSignal;
}

/** The protocol and the encoding that a content type names. */
export interface FramedType {
  readonly framing: Framing;
  readonly codec: "json" | "proto";
  readonly contentType: string;
}

/**
 * Serves gRPC, gRPC-web and Connect streams, unary and streaming. Errors that come before an answer has begun are sent
 * as initial metadata and trailers; of unknown paths and wrong verbs as trailers only.
 */
export function createFramedLane(
  options: FramedLaneOptions,
): (exchange: Exchange, type: FramedType) => Promise<Outcome> {
  return async (exchange, type) => {
    const { lane } = type.framing;
    let method: Method;
    try {
      method = findMethod(options, exchange, type);
    } catch (error) {
      return { method: undefined, lane, code: replyTrailersOnly(exchange, type, error), error };
    }
    const call: FramedCall = { ...type, exchange, method };
    const error = await serve(options, call).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    );
    const problem = error === undefined ? undefined : toProblem(error.reason, exchange.requestId);
    finish(call, problem);
    const code = problem === undefined ? 0 : codeOf(problem);
    return { method: nameOf(method.descriptor), lane, code, error: error?.reason };
  };
}

/** Answers with an error that is all there is: status and headers only. Returns the canonical code. */
export function replyTrailersOnly(
  exchange: Exchange,
  type: Pick<FramedType, "framing" | "contentType">,
  error: unknown,
) {
  if (type.framing === connectStream) return replyError(exchange, error);
  const problem = toProblem(error, exchange.requestId);
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return codeOf(problem);
  const isWrongVerb = problem.reason === "METHOD_NOT_ALLOWED";
  response.statusCode = isWrongVerb ? httpStatusOf(problem) : 200;
  const headers = {
    ...exchange.headers,
    "content-type": type.contentType,
    ...toTrailers(problem),
    ...headersOf(problem),
  };
  // Not writeHead: it would begin an answer that has a body.
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end();
  letGoOfRequest(exchange);
  return codeOf(problem);
}

interface FramedCall extends FramedType {
  readonly exchange: Exchange;
  readonly method: Method;
}

function findMethod(options: FramedLaneOptions, { path, verb }: Exchange, { framing }: FramedType): Method {
  const method = options.methods.get(path);
  if (method === undefined) throw routeNotFound("unimplemented");
  if (verb !== "POST") throw methodNotAllowed(["POST"]);
  if (framing === connectStream && method.kind === "unary") {
    throw contentTypeUnsupported("the method does not stream: use application/json or application/proto");
  }
  return method;
}

async function serve(options: FramedLaneOptions, call: FramedCall): Promise<void> {
  const { exchange, framing, method } = call;
  const maxBytes = method.maxRequestBytes ?? options.bodies.maxMessageBytes;
  const decompress = findDecompressor(exchange.header(framing.encodingHeader), maxBytes);
  const scope = openCallScope(options.clock, exchange.response, framing.timeoutOf(exchange));
  const arrival: Arrival = {
    requestId: exchange.requestId,
    remoteAddress: exchange.remoteAddress,
    deadlineMs: scope.deadlineMs,
    signal: scope.signal,
    header: exchange.header,
  };
  const receive = () => receiveMessages(options, call, { maxBytes, decompress });
  try {
    if (method.kind === "unary") await serveUnary(call, method, { arrival, scope, receive });
    else await serveStream(options, call, method, { arrival, scope, receive });
  } finally {
    scope.close();
  }
}

interface Opened {
  readonly arrival: Arrival;
  readonly scope: CallScope;
  readonly receive: () => AsyncIterable<Message>;
}

async function serveUnary(
  call: FramedCall,
  method: UnaryMethod,
  { arrival, scope, receive }: Opened,
): Promise<void> {
  const answer = await scope.bound(method.call(arrival, () => single(receive())));
  const frame = encodeFrame(0, encode(call, answer));
  begin(call);
  call.exchange.response.write(frame);
}

async function serveStream(
  options: FramedLaneOptions,
  call: FramedCall,
  method: StreamMethod,
  { arrival, scope, receive }: Opened,
): Promise<void> {
  const onStop = (): void => scope.abort(overloaded("the service is stopping; open the stream again"));
  options.stopping.addEventListener("abort", onStop, { once: true });
  let answers: AsyncIterator<Message> | undefined;
  try {
    if (options.stopping.aborted) onStop();
    answers = (await scope.bound(method.open(arrival, receive)))[Symbol.asyncIterator]();
    if (method.descriptor.methodKind === "server_streaming") awaitSilently(call.exchange);
    begin(call);
    for (;;) {
      const next = await scope.bound(answers.next());
      if (next.done === true) return;
      await scope.bound(
        write(call.exchange, encodeFrame(0, encode(call, next.value)), options.writeTimeoutMs),
      );
    }
  } finally {
    options.stopping.removeEventListener("abort", onStop);
    // What is not done yet ends at its next yield; nobody waits for it.
    answers?.return?.().catch(() => {});
  }
}

/** Lifts the limit on silence: a stream of answers may have nothing to say for hours. */
function awaitSilently({ request, isHttp2 }: Exchange): void {
  if (isHttp2) streamOf(request).setTimeout(0);
  else request.socket.setTimeout(0);
}

async function* receiveMessages(
  options: FramedLaneOptions,
  { exchange, framing, codec, method }: FramedCall,
  limits: { readonly maxBytes: number; readonly decompress: ReturnType<typeof findDecompressor> },
): AsyncGenerator<Message, void, undefined> {
  const { maxBytes, decompress } = limits;
  const frames =
    method.descriptor.methodKind === "bidi_streaming"
      ? readFrames(exchange.request, maxBytes)
      : splitFrames(await options.bodies.read(exchange.request, maxBytes + headBytes), maxBytes);
  for await (const frame of frames) {
    if (framing.lane === "grpc-web" && frame.flags === 0x80) continue; // trailers of the caller mean nothing here
    const data = await unpack(frame, decompress);
    if (codec === "proto") yield decodeBinary(method.descriptor, data);
    else yield messageFromJson(method.descriptor.input, parseJsonBody(method.descriptor.input, data));
  }
}

async function unpack(
  { flags, data }: Frame,
  decompress: ReturnType<typeof findDecompressor>,
): Promise<Uint8Array> {
  if (flags === 0) return data;
  if (flags !== 1) throw requestInvalid("the message has flags that the protocol does not know");
  if (decompress === undefined) throw requestInvalid("the message is compressed, but no header says how");
  return decompress(data);
}

function encode({ codec, method }: FramedCall, message: Message): Uint8Array {
  const { output } = method.descriptor;
  return codec === "proto" ? toBinary(output, message) : Buffer.from(toJsonText(output, message));
}

function begin(
  { exchange, framing, contentType, method }: FramedCall,
  further: Readonly<Record<string, string>> = {},
) {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, {
    ...exchange.headers,
    "content-type": contentType,
    "cache-control": "no-store",
    [framing.acceptEncodingHeader]: encodings.join(","),
    ...deprecationHeaders(method.descriptor),
    ...further,
  });
}

/** Ends the answer with its status, whether it has begun or not. */
function finish(call: FramedCall, problem: Problem | undefined): void {
  const { exchange, framing } = call;
  const { response } = exchange;
  if (response.destroyed || response.writableEnded) return;
  const metadata = problem === undefined ? {} : headersOf(problem);
  // What could still be said in front is not said again behind: some clients put both together.
  const late = response.headersSent ? metadata : {};
  begin(call, metadata);
  const { trailers, frame } = framing.end(problem, late);
  if (trailers !== undefined) response.addTrailers(trailers);
  response.end(frame);
  letGoOfRequest(exchange);
}

/** Waits until the caller has room for more. Gives the caller up when he reads nothing for too long. */
function write({ response }: Exchange, bytes: Uint8Array, timeoutMs: number): Promise<void> {
  if (response.destroyed || response.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), timeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
