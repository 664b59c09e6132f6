import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { pino } from "pino";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Call, Caller } from "../../../../src/kernel/base/call.ts";
import { type OrganizationId, type TokenId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { permissionDenied, Problem } from "../../../../src/kernel/base/problem.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import type { Rpc, ServiceImplementation, StreamRpc } from "../../../../src/identity/rpc.ts";
import type { AccessControl } from "../../../../src/identity/access/access-control.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import type { Limits } from "../../../../src/kernel/http/connections/limits.ts";
import { type BodyReader, createBodyReader } from "../../../../src/kernel/http/bodies/body.ts";
import { createCors } from "../../../../src/kernel/http/cors.ts";
import { createMetrics } from "../../../../src/kernel/http/metrics/metrics.ts";
import { createServer, type ServerOptions } from "../../../../src/kernel/http/server.ts";
import type { Site } from "../../../../src/kernel/http/site.ts";
import { createStatusPages, type StatusPagesOptions } from "../../../../src/kernel/http/status-pages.ts";
import { corsPolicyFor } from "../../../../src/sites/rpc/cors-policy.ts";
import { createContract } from "../../../../src/sites/rpc/endpoints/contract.ts";
import { createOpenApiPage } from "../../../../src/sites/rpc/endpoints/openapi/page.ts";
import { routeNotFound } from "../../../../src/sites/rpc/errors/refusals.ts";
import { refuseCall, renderStatus } from "../../../../src/sites/rpc/refuse.ts";
import { createRpcSite, type RpcSiteOptions } from "../../../../src/sites/rpc/site.ts";
import { derived } from "../../../support/derived.ts";
import { KindsService } from "./kinds.ts";

export interface RecordedCall {
  readonly method: DescMethod;
  readonly call: Call;
  readonly request: Message;
}

type Run = (call: Call, request: never) => unknown;

/** A server with services that record what reaches them. Answers are empty unless `answers` says otherwise. */
export interface TestServer {
  readonly port: number;
  readonly url: string;
  readonly calls: RecordedCall[];
  readonly logLines: Record<string, unknown>[];
  /** What a method does, by its local name. A unary one returns its answer, a streaming one an async iterable. */
  readonly answers: Map<string, Run>;
  /** The last input of authorize. */
  readonly authorized: Parameters<AccessControl["authorize"]>[0][];
  stop(): Promise<void>;
}

export const token = "Bearer good";

const caller: Caller = {
  userId: toId<UserId>("1"),
  organizationId: toId<OrganizationId>("2"),
  tokenId: toId<TokenId>("3"),
  tokenExpirationMs: undefined,
  isLimited: false,
  held: [],
};

const services: readonly DescService[] = [ProjectService, UserService, IdentityProviderService, KindsService];

/** What a test may have otherwise. */
export interface TestServerOptions
  extends Partial<Omit<ServerOptions, "limits" | "sites" | "metrics">>,
    Partial<Pick<RpcSiteOptions, "ready" | "clock" | "isUnaryLaneOff">>,
    Partial<Pick<StatusPagesOptions, "metricsOpen" | "isLocal">> {
  readonly existenceProblem?: Problem;
  readonly corsOrigins?: readonly string[];
  readonly waitingWrites?: () => number;
  /** What differs from the defaults of the options. */
  readonly limits?: Partial<Limits>;
  /** Makes sites that come before all others. */
  readonly moreSites?: (bodies: BodyReader) => readonly Site[];
}

/** Starts a server on a free port. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const recorded: Pick<TestServer, "calls" | "logLines" | "answers" | "authorized"> = {
    calls: [],
    logLines: [],
    answers: new Map(),
    authorized: [],
  };
  const { existenceProblem, corsOrigins = [], waitingWrites = () => 0, moreSites, ...overrides } = options;
  const { ready = () => Promise.resolve(true), clock = { nowMs: () => Date.now() } } = overrides;
  const limits = { ...parseConfig({}, {}).limits, ...overrides.limits };
  const contract = (derived.serverContract ??= createContract({ services, version: "0.0.0-test" }));
  const metrics = createMetrics({ waitingWrites });
  const cors = createCors(corsPolicyFor(corsOrigins));
  const bodies = createBodyReader(limits);
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    tls: undefined,
    isHttpsOnly: false,
    refuse: refuseCall,
    renderProblem: renderStatus,
    logger: pino({ level: "debug" }, { write: (line) => void recorded.logLines.push(JSON.parse(line)) }),
    random: systemRandom,
    trustedProxies: [],
    ...overrides,
    limits,
    metrics,
    sites: [
      ...(moreSites?.(bodies) ?? []),
      createStatusPages({
        metricsOpen: false,
        isLocal: true,
        pathUnknown: () => routeNotFound("not-found"),
        ...overrides,
        ready,
        metrics,
        cors,
      }),
      createOpenApiPage(contract.openApi, cors),
      createRpcSite({
        services: services.map((service) => implement(service, recorded)),
        accessControl: createAccessControl(recorded.authorized, existenceProblem),
        answerStore: noAnswers,
        fieldRules: contract.fieldRules,
        ready,
        clock,
        bodies,
        cors,
        isUnaryLaneOff: overrides.isUnaryLaneOff,
      }),
    ],
  });
  const { port } = await server.start();
  const scheme = overrides.tls === undefined ? "http" : "https";
  return { ...recorded, port, url: `${scheme}://127.0.0.1:${port}`, stop: () => server.stop() };
}

/** The store of a server without a database, which no call with an idempotency key may reach. */
export const noAnswers: RpcSiteOptions["answerStore"] = {
  find: () => Promise.reject(new Error("there is no store")),
  findIn: () => Promise.reject(new Error("there is no store")),
  put: () => Promise.reject(new Error("there is no store")),
};

function createAccessControl(
  authorized: TestServer["authorized"],
  problem: Problem | undefined,
): AccessControl {
  return {
    withCurrentAccess: (work) => work(),
    authorizeWithin: () => Promise.reject(new Error("there is no batch here")),
    useProof: async () => {},
    async authenticate(call) {
      const authorization = call.header("authorization");
      if (authorization === undefined) {
        throw new Problem({ kind: "unauthenticated", reason: "TOKEN_MISSING", message: "send a token" });
      }
      if (authorization !== token) {
        throw new Problem({
          kind: "unauthenticated",
          reason: "TOKEN_INVALID",
          message: "the token is not valid",
        });
      }
      return { caller, proofUse: undefined };
    },
    async authorize(input) {
      authorized.push(input);
      if (input.organizationId === "forbidden") throw permissionDenied(input.rule.permission, "forbidden");
      const organizationId = toId<OrganizationId>(input.organizationId ?? caller.organizationId);
      return { access: { organizationId, projects: "all", projectGrants: "all" }, problem };
    },
  };
}

function implement(
  service: DescService,
  { calls, answers }: Pick<TestServer, "calls" | "answers">,
): ServiceImplementation {
  const rpcs = service.methods.map((method) => {
    const run = (call: Call, request: Message) => {
      calls.push({ method, call, request });
      return answers.get(method.localName)?.(call, request as never);
    };
    const open = (call: Call, request: Message) => run(call, request) as AsyncIterable<object>;
    const answer = async (call: Call, request: Message) => (await run(call, request)) ?? {};
    const rpc = (method.methodKind === "server_streaming" ? { open } : { run: answer }) as Rpc | StreamRpc;
    return [method.localName, rpc] as const;
  });
  return { service, rpcs: Object.fromEntries(rpcs) };
}
