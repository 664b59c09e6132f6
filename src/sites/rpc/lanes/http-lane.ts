import type { DescField, DescMethod, JsonObject, Message } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../../kernel/base/clock.ts";
import { requestInvalid } from "../../../kernel/base/problem.ts";
import { decodeBinary } from "./binary/codec.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import { parseConnectTimeout } from "../calls/call-scope.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { replyError } from "../errors/reply.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Outcome } from "../../../kernel/http/site.ts";
import { reply } from "../../../kernel/http/exchanges/reply.ts";
import { messageFromJson, parseJsonBody, toJsonText } from "./json/codec.ts";
import { type Method, nameOf, type UnaryMethod } from "../calls/method.ts";
import { routeNotFound } from "../errors/refusals.ts";
import { contentTypeUnsupported, methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import { bindVariables, parseQuery, refuseQuery } from "./rest/bind.ts";
import { etagOf } from "./rest/etag.ts";
import type { RouteTable } from "./rest/routes.ts";
import { callUnary } from "./unary-call.ts";

/** What the lane of JSON and binary messages without frames works with. */
export interface HttpLaneOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly routes: RouteTable;
  readonly bodies: BodyReader;
  readonly clock: Clock;
}

/** The method that a request is for, and how its message is put together. */
interface Target {
  readonly method: UnaryMethod;
  readonly variables: readonly (readonly [DescField, string])[];
  readonly source: "body" | "query";
  readonly codec: "json" | "proto";
}

/**
 * Creates the lane of unary calls in plain HTTP: JSON on REST paths, JSON and binary protobuf on rpc paths. Errors are
 * google.rpc.Status in JSON, or in Connect's shape for callers that send Connect-Protocol-Version.
 */
export function createHttpLane(options: HttpLaneOptions): (exchange: Exchange) => Promise<Outcome> {
  return async (exchange) => {
    let descriptor: DescMethod | undefined;
    let protocol = "json";
    try {
      const found = findMethod(options, exchange);
      descriptor = found.method.descriptor;
      const target = readTarget(exchange, found);
      protocol = target.codec;
      const body = await run(options, exchange, target);
      const contentType = target.codec === "json" ? "application/json" : "application/proto";
      reply(exchange, {
        status: 200,
        headers: { "content-type": contentType, ...deprecationHeaders(descriptor) },
        body,
      });
      return { operation: nameOf(descriptor), protocol, code: 0 };
    } catch (error) {
      const code = replyError(exchange, error, { headers: deprecationHeaders(descriptor) });
      return { operation: nameOf(descriptor), protocol, code, error };
    }
  };
}

type Found = Pick<Target, "method" | "variables" | "source"> & { readonly isRpcPath: boolean };

function findMethod({ methods, routes }: HttpLaneOptions, exchange: Exchange): Found {
  const { path, verb } = exchange;
  const method = methods.get(path);
  if (method !== undefined) {
    if (verb !== "POST") throw methodNotAllowed(["POST"]);
    if (method.kind === "stream") {
      throw contentTypeUnsupported(
        "the method streams: use gRPC, gRPC-web, application/connect+json or application/connect+proto",
      );
    }
    return { method, variables: [], source: "body", isRpcPath: true };
  }
  const match = routes.find(verb, path);
  if ("method" in match) {
    const source = match.route.hasBody ? "body" : "query";
    return { method: match.method, variables: match.variables, source, isRpcPath: false };
  }
  if (match.length > 0) throw methodNotAllowed(match);
  throw routeNotFound(
    exchange.header("connect-protocol-version") === undefined ? "not-found" : "unimplemented",
  );
}

function readTarget(exchange: Exchange, found: Found): Target {
  const { isRpcPath, ...target } = found;
  if (found.source === "query") return { ...target, codec: "json" };
  const contentType = exchange.header("content-type");
  if (contentType === undefined || contentType === "") {
    // POST and PUT without a body mean {}; for some requests only the end tells whether there is a body.
    if (exchange.hasBody !== true) return { ...target, codec: "json" };
    throw contentTypeUnsupported("the body has no content-type; use application/json");
  }
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  if (type.trim() === "application/proto" && isRpcPath) return { ...target, codec: "proto" };
  const charset = parameters
    .map((each) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(each)?.[1])
    .find(Boolean);
  if (type.trim() === "application/json" && (charset === undefined || /^utf-?8$/.test(charset))) {
    return { ...target, codec: "json" };
  }
  throw contentTypeUnsupported(
    `use the content-type application/json in UTF-8${isRpcPath ? ", or application/proto" : ""}`,
  );
}

async function run(
  options: HttpLaneOptions,
  exchange: Exchange,
  target: Target,
): Promise<string | Uint8Array> {
  const { method, codec } = target;
  const maxBytes = method.maxRequestBytes ?? options.bodies.maxMessageBytes;
  const decompress = options.bodies.findDecompressor(exchange.header("content-encoding"), maxBytes);
  const timeoutMs = parseConnectTimeout(exchange.header("connect-timeout-ms"));
  const receive = async (): Promise<Message> => {
    const raw =
      exchange.hasBody === false ? new Uint8Array(0) : await options.bodies.read(exchange, maxBytes);
    return decode(exchange, target, decompress === undefined ? raw : await decompress(raw));
  };
  const answer = await callUnary(options.clock, exchange, { method, timeoutMs, receive });
  const { output } = method.descriptor;
  const etag = exchange.verb === "GET" ? etagOf(answer) : undefined;
  if (etag !== undefined) exchange.headers["etag"] = etag;
  return codec === "json" ? toJsonText(output, answer) : toBinary(output, answer);
}

function decode(exchange: Exchange, target: Target, body: Uint8Array): Message {
  const { input } = target.method.descriptor;
  if (target.codec === "proto") return decodeBinary(target.method.descriptor, body);
  let json: JsonObject;
  if (target.source === "query") {
    if (body.length > 0) throw requestInvalid(`${exchange.verb} takes no body`);
    json = parseQuery(input, exchange.query);
  } else {
    refuseQuery(exchange.query);
    if (body.length > 0 && exchange.header("content-type") === undefined) {
      throw contentTypeUnsupported("the body has no content-type; use application/json");
    }
    json = parseJsonBody(input, body);
  }
  return messageFromJson(input, bindVariables(json, target.variables));
}
