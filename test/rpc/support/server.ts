import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { pino } from "pino";
import { protoComments } from "../../../gen/comments.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Call, Caller } from "../../../src/base/call.ts";
import { type OrganizationId, type TokenId, toId, type UserId } from "../../../src/base/ids.ts";
import { permissionDenied, Problem } from "../../../src/base/problem.ts";
import { systemRandom } from "../../../src/base/random.ts";
import type { Rpc, ServiceImplementation, StreamRpc } from "../../../src/features/rpc.ts";
import type { AccessControl } from "../../../src/access/access-control.ts";
import { parseConfig } from "../../../src/config/config.ts";
import type { Limits } from "../../../src/http/limits.ts";
import { createServer, type Server, type ServerOptions } from "../../../src/http/server.ts";
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

/** Made by the first server of a test file; it takes longer than all else at a start. */
let contract: Server["contract"] | undefined;

/** Starts a server on a free port. */
export async function startTestServer(
  overrides: Partial<Omit<ServerOptions, "limits" | "services">> & {
    existenceProblem?: Problem;
    /** What differs from the defaults of the options. */
    limits?: Partial<Limits>;
  } = {},
): Promise<TestServer> {
  const recorded: Pick<TestServer, "calls" | "logLines" | "answers" | "authorized"> = {
    calls: [],
    logLines: [],
    answers: new Map(),
    authorized: [],
  };
  const { existenceProblem, limits, ...options } = overrides;
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    tls: undefined,
    services: services.map((service) => implement(service, recorded)),
    accessControl: createAccessControl(recorded.authorized, existenceProblem),
    answerStore: noAnswers,
    ready: () => Promise.resolve(true),
    waitingWrites: () => 0,
    logger: pino({ level: "debug" }, { write: (line) => void recorded.logLines.push(JSON.parse(line)) }),
    clock: { nowMs: () => Date.now() },
    random: systemRandom,
    limits: { ...parseConfig({}, {}).limits, ...limits },
    corsOrigins: [],
    metricsOpen: false,
    isLocal: true,
    trustedProxies: [],
    comments: protoComments,
    version: "0.0.0-test",
    contract,
    ...options,
  });
  ({ contract } = server);
  const { port } = await server.start();
  const scheme = options.tls === undefined ? "http" : "https";
  return { ...recorded, port, url: `${scheme}://127.0.0.1:${port}`, stop: () => server.stop() };
}

/** The store of a server without a database, which no call with an idempotency key may reach. */
export const noAnswers: ServerOptions["answerStore"] = {
  find: () => Promise.reject(new Error("there is no store")),
  findIn: () => Promise.reject(new Error("there is no store")),
  put: () => Promise.reject(new Error("there is no store")),
};

function createAccessControl(
  authorized: TestServer["authorized"],
  problem: Problem | undefined,
): AccessControl {
  return {
    authorizeWithin: () => Promise.reject(new Error("there is no batch here")),
    async authenticate(authorization) {
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
      return caller;
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
