import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { type Problem, requestInvalid } from "../../../kernel/base/problem.ts";
import { encodings } from "../../../kernel/http/bodies/decompression.ts";
import { arrivalOf, type CallScope, openCallScope } from "../calls/call-scope.ts";
import { codeOf, headersOf, toStatus } from "../errors/status.ts";
import { toStatusForTrailers, toTrailers } from "../errors/trailers.ts";
import { toProblem } from "../../../kernel/http/errors/problem-status.ts";
import type { Leave } from "../../../kernel/http/admission.ts";
import type { Outcome } from "../../../kernel/http/site.ts";
import { type Arrival, nameOf } from "../calls/method.ts";
import type { NodeExchange } from "../../../kernel/http/exchanges/node-exchange.ts";
import { single } from "../calls/single-request.ts";
import { cancelled, overloaded } from "../../../kernel/http/errors/refusals.ts";
import { type FramedType, readFramedBody, dropUnread } from "./framed-body.ts";
import {
  type FramedLaneOptions,
  headersOfAnswer,
  laneOf,
  type OpenedCall,
  openCall,
  readToEnd,
  replyTrailersOnly,
} from "./framed-call.ts";
import { encodeChunks, wantsText, webTypeOf } from "./web-text.ts";

/** What the lane of Connect's handlers works with. */
export interface ConnectLaneOptions extends FramedLaneOptions {
  /** Aborted when the service stops: open streams end with UNAVAILABLE. */
  readonly stopping: AbortSignal;
}

/** A call in Connect's handler. */
interface FramedCall extends OpenedCall {
  readonly exchange: NodeExchange;
  readonly scope: CallScope;
  readonly leave: Leave;
  /** Resolves when the stream stands, which its caller learns before there is anything to send. */
  readonly opened: PromiseWithResolvers<void>;
  /** Whether the first message only opens the stream: Connect sends no headers before a first one (connect 2.2.0, `untilFirst`). */
  hasOpening?: boolean;
  /** Why the call failed; set once the implementation is done. */
  failure?: { readonly error: unknown };
}

const callKey = createContextKey<FramedCall | undefined>(undefined);

/**
 * Serves gRPC, gRPC-web and Connect streams with Connect's own handlers. Around them, the body is read only once the call is
 * allowed, with the limits of all lanes, and errors carry the same details as on every other lane.
 */
export function createConnectLane(
  options: ConnectLaneOptions,
): (exchange: NodeExchange, type: FramedType, leave: Leave) => Promise<Outcome> {
  const handlers = createHandlers(options);
  return async (exchange, type, leave) => {
    const protocol = laneOf(type);
    let operation: string | undefined;
    try {
      const opened = openCall(options, exchange, type);
      const scope = openCallScope(options.clock, exchange.answering, opened.timeoutMs);
      const call: FramedCall = { ...opened, exchange, scope, leave, opened: Promise.withResolvers() };
      operation = nameOf(call.method.descriptor);
      await handlers.get(exchange.path)?.(call).finally(call.scope.close);
      const { failure } = call;
      if (failure === undefined) return { operation, protocol, code: 0 };
      const { error } = failure;
      return { operation, protocol, code: codeOf(toProblem(error, exchange.requestId)), error };
    } catch (caught) {
      // Connect's error for a caller who is gone is not an error of the service.
      const error = exchange.isGone ? cancelled() : caught;
      const code = await replyTrailersOnly(exchange, { type, error, leave });
      return { operation, protocol, code, error };
    } finally {
      exchange.letGoOfRequest();
    }
  };
}

function createHandlers(
  options: ConnectLaneOptions,
): ReadonlyMap<string, (call: FramedCall) => Promise<void>> {
  const router = createConnectRouter({
    readMaxBytes: options.bodies.maxMessageBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
    jsonOptions: { ignoreUnknownFields: false, alwaysEmitImplicit: true },
  });
  for (const { descriptor } of options.methods.values())
    router.rpc(asBidirectional(descriptor), createImplementation(options));
  return new Map(
    router.handlers.map((handler) => [
      handler.requestPath,
      async (call) => {
        const { exchange } = call;
        for (const [name, value] of Object.entries(headersOfAnswer(call)))
          exchange.response.setHeader(name, value);
        const answer = await handler({
          httpVersion: "2.0", // calls that need it were refused on HTTP/1.1 before
          method: exchange.verb,
          url: `http://localhost${exchange.path}`, // the Host of the caller means nothing
          header: toWebHeaders(call),
          body: readFramedBody(options.bodies, call),
          signal: call.scope.signal,
          contextValues: createContextValues().set(callKey, call),
        });
        const isText = wantsText(exchange, call);
        if (isText) answer.header?.set("content-type", webTypeOf(isText));
        const bytes = answer.body && (isText ? encodeChunks(answer.body) : answer.body);
        const pieces = bytes && withoutOpening(dropUnread(bytes, exchange), call);
        const body = pieces && withOwnTrailers(pieces, call, answer.trailer);
        await sendAnswer({ ...answer, body }, exchange);
      },
    ]),
  );
}

/**
 * Sends an answer, and waits until it is on its way or the caller is gone. Connect's own function would wait forever for an event
 * "end", which answers of node:http do not have (connect-node 2.2.0, node-universal-handler).
 */
async function sendAnswer(
  answer: Parameters<typeof universalResponseToNodeResponse>[0],
  exchange: NodeExchange,
): Promise<void> {
  const { response } = exchange;
  const over = new Promise<void>((resolve) => {
    response.once("close", resolve);
    // As long as the caller is still sending, neither does the stream close by itself nor the answer finish.
    exchange.stream?.once("finish", resolve);
    if (exchange.isGone) resolve();
  });
  const sent = universalResponseToNodeResponse(answer, response);
  sent.catch(() => {}); // if the caller was gone before
  await Promise.race([sent, over]);
}

/**
 * Leaves out the message that only opens a stream. What is left of its piece is empty, and takes the headers along: without them a
 * proxy in front takes a silent stream for a server that does not answer.
 */
async function* withoutOpening(
  body: AsyncIterable<Uint8Array>,
  call: FramedCall,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  for await (const piece of body) {
    if (isFirst) call.exchange.beforeAnswer();
    yield isFirst && call.hasOpening === true ? new Uint8Array(0) : piece;
    isFirst = false;
  }
}

/**
 * Puts the status of a failed gRPC call into the trailers in the form that every client reads. Connect encodes the message with
 * encodeURIComponent, and grpc-js undoes only a part of that (`decodeURI`).
 */
async function* withOwnTrailers(
  body: AsyncIterable<Uint8Array>,
  { exchange, failure, protocol }: FramedCall,
  trailer: Headers | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* body;
  if (failure === undefined || protocol !== "grpc") return;
  const problem = toProblem(failure.error, exchange.requestId);
  for (const [name, value] of Object.entries(toTrailers(problem))) trailer?.set(name, value);
}

/**
 * Makes a method look bidirectional to Connect, which decodes the request of a unary method before any of our code runs: before the
 * caller is known, and with errors that carry no reason. It decodes the requests of a stream where they are read, and protocols
 * with frames send the same bytes for both.
 */
function asBidirectional(descriptor: DescMethod): DescMethod & { methodKind: "bidi_streaming" } {
  return { ...descriptor, methodKind: "bidi_streaming" };
}

/** Builds the headers for Connect, without those that the lane handles itself: timeouts and compression. */
function toWebHeaders({ exchange, contentType, isText }: FramedCall): Headers {
  const headers = new Headers();
  for (const [name, value = ""] of Object.entries(exchange.request.headers)) {
    if (!name.startsWith(":")) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  for (const name of ["grpc-timeout", "connect-timeout-ms", "grpc-encoding", "connect-content-encoding"])
    headers.delete(name);
  // Without parameters, which Connect would answer with a bare 415, and as the type of the body that it gets.
  headers.set("content-type", isText ? webTypeOf(false) : contentType);
  return headers;
}

function createImplementation(options: ConnectLaneOptions) {
  return async function* (requests: AsyncIterable<Message>, context: HandlerContext) {
    const call = context.values.get(callKey);
    if (call === undefined) throw new Error("the lane gives every handler its call");
    const { exchange, method, scope } = call;
    const { requestId, remoteAddress, verb, path } = exchange;
    const header = (name: string) => exchange.header(name);
    const answerHeader = (name: string, value: string) => void exchange.response.setHeader(name, value);
    const facts = { requestId, remoteAddress, verb, path, onOpen: () => call.opened.resolve() };
    const arrival: Arrival = { ...facts, header, answerHeader, ...arrivalOf(scope) };
    const receive = () => decoded(call, requests);
    try {
      if (method.kind === "unary") yield await scope.bound(method.call(arrival, () => single(receive())));
      else yield* stream(options, call, method.open(arrival, receive));
    } catch (error) {
      call.failure = { error };
      const problem = toProblem(error, requestId);
      // Callers that stream in both directions are told at once, and read it while they send.
      if (method.descriptor.methodKind !== "bidi_streaming")
        await readToEnd(exchange, { protocol: call.protocol, problem, leave: call.leave });
      throw toConnectError(call, problem);
    }
  };
}

async function* stream(
  { stopping }: ConnectLaneOptions,
  call: FramedCall,
  accepted: Promise<AsyncIterable<Message>>,
) {
  const { exchange, method, scope, leave } = call;
  const onStop = (): void => scope.abort(overloaded("the service is stopping; open the stream again"));
  stopping.addEventListener("abort", onStop, { once: true });
  let answers: AsyncIterator<Message> | undefined;
  try {
    if (stopping.aborted) onStop();
    answers = (await scope.bound(accepted))[Symbol.asyncIterator]();
    if (method.descriptor.methodKind === "server_streaming") {
      // It may last forever; streams have a limit of their own.
      leave();
      exchange.giveWay();
    }
    const first = answers.next();
    first.catch(() => {}); // it may fail while the opening is sent
    call.hasOpening = await scope.bound(
      Promise.race([call.opened.promise.then(() => true), first.then(() => false)]),
    );
    if (call.hasOpening) yield create(method.descriptor.output);
    for (let next = await scope.bound(first); next.done !== true; next = await scope.bound(answers.next()))
      yield next.value;
  } finally {
    stopping.removeEventListener("abort", onStop);
    // An implementation that is not done ends at its next yield; nobody waits for it.
    answers?.return?.().catch(() => {});
  }
}

/** Yields the requests, and turns the errors of Connect's decoding into problems. */
async function* decoded(
  call: FramedCall,
  requests: AsyncIterable<Message>,
): AsyncGenerator<Message, void, undefined> {
  try {
    yield* requests;
  } catch (error) {
    throw error instanceof ConnectError ? toDecodingProblem(call, error) : error;
  }
}

function toDecodingProblem({ method }: FramedCall, error: ConnectError): Problem {
  if (error.code === Code.Canceled || error.code === Code.Aborted) return cancelled();
  return requestInvalid(`the message is not a valid ${method.descriptor.input.typeName} in protobuf`);
}

/** Turns the problem into an error that Connect's handlers send with the code, message and details of every lane. */
function toConnectError({ exchange, protocol }: FramedCall, problem: Problem): ConnectError {
  const status = protocol === "grpc" ? toStatusForTrailers(problem) : toStatus(problem);
  const headers = headersOf(problem);
  const { response } = exchange;
  // As long as the answer has not begun they go into its headers, where every client finds them.
  for (const [name, value] of Object.entries(headers))
    if (!response.headersSent) response.setHeader(name, value);
  if (problem.reason === "ENCODING_UNSUPPORTED" && !response.headersSent) {
    response.setHeader(
      protocol === "connect" ? "connect-accept-encoding" : "grpc-accept-encoding",
      encodings.join(","),
    );
  }
  const code = Object.values(Code).find((candidate): candidate is Code => Number(candidate) === status.code);
  const error = new ConnectError(status.message, code, response.headersSent ? headers : undefined);
  error.details = status.details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
    value,
  }));
  return error;
}
