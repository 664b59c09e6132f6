import type { Clock } from "../../kernel/base/clock.ts";
import { requestInvalid } from "../../kernel/base/problem.ts";
import type { AnswerStore } from "../../identity/idempotency/commands.ts";
import type { ServiceImplementation } from "../../identity/rpc.ts";
import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import type { Cors } from "../../kernel/http/cors.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Site } from "../../kernel/http/site.ts";
import { Health } from "../../../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type Method, rpcPathOf } from "./calls/method.ts";
import type { AccessControl } from "../../identity/access/access-control.ts";
import { createPipeline } from "./calls/pipeline.ts";
import type { FieldRules } from "./calls/field-rules/field-rules.ts";
import { createHealthMethods } from "./endpoints/health.ts";
import { createReflectionMethods } from "./endpoints/reflection.ts";
import { createConnectLane } from "./lanes/connect-lane.ts";
import { commonTypes, readFramedType } from "./lanes/content-types.ts";
import { createHttpLane } from "./lanes/http-lane.ts";
import { createRouteTable } from "./lanes/rest/routes.ts";
import { createUnaryLane } from "./lanes/unary-lane.ts";
import { refuseCall } from "./refuse.ts";

/** What the site of calls is made of. */
export interface RpcSiteOptions {
  readonly services: readonly ServiceImplementation[];
  readonly accessControl: AccessControl;
  /** Keeps the answers of calls with an idempotency key. */
  readonly answerStore: AnswerStore;
  readonly fieldRules: FieldRules;
  /** Says whether storage answers: grpc.health.v1. */
  readonly ready: () => Promise<boolean>;
  readonly clock: Clock;
  readonly bodies: BodyReader;
  readonly cors: Cors;
  /** For tests that compare the lanes: also passes framed unary calls to Connect's handlers. Default: false. */
  readonly isUnaryLaneOff?: boolean | undefined;
}

/**
 * Creates the site of gRPC, gRPC-web, Connect and JSON, which takes all paths that no other site does. Throws when a
 * method has no access rule or no implementation, and for invalid templates.
 */
export function createRpcSite(options: RpcSiteOptions): Site {
  const { bodies, clock, isUnaryLaneOff = false } = options;
  const stopping = new AbortController();
  const openMethods = createOpenMethods(options);
  const all = [...createPipeline(options), ...openMethods];
  const methods = new Map(all.map((method) => [rpcPathOf(method.descriptor), method]));
  const openPaths = new Set(openMethods.map(({ descriptor }) => rpcPathOf(descriptor)));
  const isUnary = (path: string): boolean => methods.get(path)?.kind === "unary";
  const routes = createRouteTable(all.filter((method) => method.kind === "unary"));
  const findUnaryLane = createUnaryLane({ methods, bodies, clock });
  const connectLane = createConnectLane({ methods, bodies, clock, stopping: stopping.signal });
  const httpLane = createHttpLane({ methods, routes, bodies, clock });
  return {
    name: "rpc",
    paths: "others",
    cors: options.cors,
    admission: (path) => (openPaths.has(path) ? "open" : "call"),
    singularHeaders,
    check: checkType,
    handle(exchange, leave) {
      const { verb, path, isHttp2 } = exchange;
      const type = readFramedType(exchange.header("content-type"));
      if (type === undefined) return httpLane(exchange);
      const head = { verb, path, isHttp2, encoding: exchange.header("grpc-encoding") };
      const serve = isUnaryLaneOff ? undefined : findUnaryLane(head, type);
      return serve === undefined ? connectLane(exchange, type, leave) : serve(exchange, leave);
    },
    findStreamHandler(headers) {
      const type = commonTypes.get(headers["content-type"] ?? "");
      if (type === undefined || headers.expect !== undefined || isUnaryLaneOff) return undefined;
      const { ":method": verb = "", ":path": path = "" } = headers;
      if (type === "http") return verb === "POST" && isUnary(path) ? httpLane : undefined;
      const encoding = String(headers["grpc-encoding"] ?? "identity");
      return findUnaryLane({ verb, path, isHttp2: true, encoding }, type);
    },
    refuse: refuseCall,
    stop: () => stopping.abort(),
  };
}

/** Headers that mean something to calls and that no call may repeat: two readers could read two different values. */
const singularHeaders = [
  "connect-content-encoding",
  "connect-protocol-version",
  "connect-timeout-ms",
  "grpc-encoding",
  "grpc-timeout",
  "idempotency-key",
  "if-match",
  "x-service-validate-only",
];

/**
 * Raises CONTENT_TYPE_UNSUPPORTED for framed protocols that are not served, and INVALID_REQUEST for another version
 * of Connect.
 */
function checkType(exchange: Exchange): void {
  const type = readFramedType(exchange.header("content-type"));
  if (type !== undefined && type.protocol !== "connect") return;
  // Connect has only one version so far; the meaning of another one cannot be guessed.
  const version = exchange.header("connect-protocol-version");
  if (version !== undefined && version !== "1")
    throw requestInvalid("the header connect-protocol-version must be 1");
}

/** Creates the methods that need no token. */
function createOpenMethods({ services, ready }: RpcSiteOptions): readonly Method[] {
  const descriptors = services.map(({ service }) => service);
  return [
    ...createHealthMethods({
      serviceNames: [...descriptors, Health, ReflectionV1, ReflectionV1Alpha].map(({ typeName }) => typeName),
      ready,
    }),
    ...createReflectionMethods([...descriptors, Health]),
  ];
}
