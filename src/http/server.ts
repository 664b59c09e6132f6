import type { DescService } from "@bufbuild/protobuf";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { AnswerStore } from "../features/idempotency/commands.ts";
import type { ServiceImplementation } from "../features/rpc.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { createBeside } from "./status-pages.ts";
import { createBodyReader } from "./bodies/body.ts";
import { createCallRoom } from "./admission.ts";
import { createCors } from "./cors.ts";
import { createDispatch } from "./dispatch.ts";
import { createHealthMethods } from "../rpc/endpoints/health.ts";
import { type Contract, createContract } from "../rpc/endpoints/contract.ts";
import { createConnectLane } from "../rpc/lanes/connect-lane.ts";
import { createHttpLane } from "../rpc/lanes/http-lane.ts";
import { createUnaryLane } from "../rpc/lanes/unary-lane.ts";
import type { Limits } from "./limits.ts";
import type { ListenerOptions } from "./listener.ts";
import { createListener } from "./listener.ts";
import type { Method } from "../rpc/calls/method.ts";
import { rpcPathOf } from "../rpc/calls/method.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { createOccasional } from "./report-throttle.ts";
import type { AccessControl } from "../access/access-control.ts";
import { createPipeline } from "../rpc/calls/pipeline.ts";
import { createReflectionMethods } from "../rpc/endpoints/reflection.ts";
import { createRemoteAddress } from "./exchanges/client-address.ts";
import { createRequestIds } from "./exchanges/request-ids.ts";
import { createRouteTable } from "../rpc/lanes/rest/routes.ts";
import { createUnreadAnswers } from "./bodies/unread-answers.ts";

export interface ServerOptions {
  /** Address to listen on, such as `127.0.0.1` or `::`. */
  readonly host: string;
  /** 0: any free port; start() tells which. */
  readonly port: number;
  /** Certificate chain and key in PEM; undefined: clear text. */
  readonly tls: ListenerOptions["tls"];
  readonly services: readonly ServiceImplementation[];
  readonly accessControl: AccessControl;
  /** Keeps the answers of calls with an idempotency key. */
  readonly answerStore: AnswerStore;
  /** Says whether storage answers: /readyz and grpc.health.v1. */
  readonly ready: () => Promise<boolean>;
  /** Says how many changes wait for the disk, for the metrics. */
  readonly waitingWrites: () => number;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Makes the ids of requests. */
  readonly random: Random;
  readonly limits: Limits;
  /** Origins of browsers that may call, such as `https://console.example.com`; none: no CORS. */
  readonly corsOrigins: readonly string[];
  /** Whether /metrics may be read in any mode and through proxies. */
  readonly metricsOpen: boolean;
  /** Whether /metrics may be read without a proxy. */
  readonly isLocal: boolean;
  /** Addresses and networks whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /** Comments of the protos by full name, for the OpenAPI document. */
  readonly comments: Readonly<Record<string, string>>;
  /** Version of the service, for the OpenAPI document. */
  readonly version: string;
  /** For tests that compare the lanes: gives Connect's handlers the unary calls in frames too. Default: false. */
  readonly isUnaryLaneOff?: boolean | undefined;
  /** What another server for the same services, comments and version has made; undefined: made here. */
  readonly contract?: Contract | undefined;
}

export interface Server {
  readonly contract: Contract;
  /** Returns once connections are accepted. */
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes another certificate for the connections from now on. Throws in clear text, and for one that is not usable. */
  reloadTls(tls: NonNullable<ListenerOptions["tls"]>): void;
  /** Refuses new calls, ends open streams, lets calls in flight end; cuts after `limits.stopTimeoutMs`. */
  stop(): Promise<void>;
}

/**
 * Builds the server: one port for gRPC, gRPC-web, JSON and what stands beside them. Throws when a method has
 * no access rule or no implementation, and for rules, templates and proxies that make no sense.
 */
export function createServer(options: ServerOptions): Server {
  const { limits, comments, version } = options;
  const stopping = new AbortController();
  const metrics = createMetrics({ waitingWrites: options.waitingWrites });
  const contract =
    options.contract ?? createContract({ services: descriptorsOf(options), comments, version });
  const openMethods = createOpenMethods(options);
  const methods = [...createPipeline({ ...options, fieldRules: contract.fieldRules }), ...openMethods];
  const unary = methods.filter((method) => method.kind === "unary");
  const routes = createRouteTable(unary);
  const bodies = createBodyReader(limits);
  const { clock, logger } = options;
  const room = createCallRoom(limits.maxCalls, createRefusalLog(options, metrics));
  const byPath = new Map(methods.map((method) => [rpcPathOf(method.descriptor), method]));
  const framed = { methods: byPath, bodies, clock, leave: room.leave };
  const dispatch = createDispatch({
    methods: byPath,
    beside: createBeside({
      ready: options.ready,
      metrics,
      metricsOpen: options.metricsOpen,
      isLocal: options.isLocal,
      openApi: contract.openApi,
    }),
    httpLane: createHttpLane({ methods: byPath, routes, bodies, clock }),
    unaryLane: options.isUnaryLaneOff === true ? undefined : createUnaryLane(framed),
    connectLane: createConnectLane({
      ...framed,
      stopping: stopping.signal,
      onStream(exchange) {
        room.leave(exchange);
        exchange.giveWay();
      },
    }),
    openPaths: new Set(openMethods.map(({ descriptor }) => rpcPathOf(descriptor))),
    room,
    cors: createCors(options.corsOrigins),
    metrics,
    logger,
    remoteAddress: createRemoteAddress(options.trustedProxies),
    nextRequestId: createRequestIds(options.random),
    stopping: stopping.signal,
    unread: createUnreadAnswers(limits.writeTimeoutMs, limits.maxBufferedBytes),
    maxHeaderBytes: limits.maxHeaderBytes,
  });
  const listener = createListener({ ...placeOf(options), ...createWarnings(options), ...dispatch, metrics });
  return {
    contract,
    start: () => listener.start(),
    reloadTls: (fresh) => listener.reloadTls(fresh),
    async stop() {
      stopping.abort();
      await listener.stop();
      metrics.stop();
    },
  };
}

function placeOf({ host, port, tls, limits }: ServerOptions) {
  return { host, port, tls, limits };
}

function descriptorsOf({ services }: ServerOptions): readonly DescService[] {
  return services.map(({ service }) => service);
}

/** Returns what takes no token. */
function createOpenMethods(options: ServerOptions): readonly Method[] {
  const descriptors = descriptorsOf(options);
  return [
    ...createHealthMethods({
      serviceNames: [...descriptors, Health, ReflectionV1, ReflectionV1Alpha].map(({ typeName }) => typeName),
      ready: options.ready,
    }),
    ...createReflectionMethods([...descriptors, Health]),
  ];
}

/** Returns what takes note of a refused call: each in the metrics, and one line a minute at the most in the log. */
function createRefusalLog({ limits, logger }: ServerOptions, metrics: Metrics): () => void {
  const log = createOccasional((count) =>
    logger.warn({ count, max_calls: limits.maxCalls }, "calls.refused"),
  );
  return () => {
    metrics.callRefused();
    log();
  };
}

/** Returns what takes note of connections that are not served. */
function createWarnings({ limits, logger }: ServerOptions): Pick<ListenerOptions, "onRefused" | "onFlood"> {
  return {
    onRefused: (count) =>
      logger.warn({ count, max_connections: limits.maxConnections }, "connections.refused"),
    onFlood: (flood) => logger.warn({ flood }, "connection.cut"),
  };
}
