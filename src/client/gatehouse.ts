import { type DescService, getOption } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { GatehouseError, isAboutToken, isPassing } from "./errors.ts";
import type { Tokens } from "./tokens.ts";
import { wait, waitMs } from "./waits.ts";

export type { CallOptions, Client } from "@connectrpc/connect";

/** Where the service is, and who calls it. */
export interface GatehouseOptions {
  /** The origin of the service, such as `https://id.example.com`. */
  readonly url: string;
  readonly tokens: Tokens;
  /** The organization that calls act on (`x-service-orgid`). Absent: that of the caller. */
  readonly organizationId?: string;
  /** How long a call may take with all its tries. Absent: 30,000. */
  readonly timeoutMs?: number;
  /** How often a call that fails for a while is tried again. Absent: 5. */
  readonly retries?: number;
}

/** The service, as one caller sees it. */
export interface Gatehouse {
  /** Returns a client of a service, such as `ProjectService`. Its calls raise GatehouseError. */
  client<Service extends DescService>(service: Service): Client<Service>;
  /** Returns the same for calls that act on another organization. */
  within(organizationId: string): Gatehouse;
}

/**
 * Connects to a service. Nothing is sent before the first call. A call that gets no answer, or one that says that the service is
 * overloaded, is sent again with the same `idempotency-key`, so that it is done once; what is shown only once, such as a secret, is
 * missing from an answer that is repeated.
 */
export function createGatehouse(options: GatehouseOptions): Gatehouse {
  const { tokens, organizationId, timeoutMs = 30_000, retries = 5 } = options;
  const { origin } = new URL(options.url);
  const transport = createConnectTransport({
    baseUrl: origin,
    useBinaryFormat: true,
    defaultTimeoutMs: timeoutMs,
    interceptors: [retry(retries), authorize(origin, tokens, organizationId)],
  });
  return {
    client: (service) => createClient(service, transport),
    within: (id) => createGatehouse({ ...options, organizationId: id }),
  };
}

function retry(retries: number): Interceptor {
  return (next) => async (request) => {
    const isChange = getOption(request.method, effect) !== Effect.READ;
    if (isChange && !request.header.has("idempotency-key"))
      request.header.set("idempotency-key", crypto.randomUUID());
    for (let failures = 0; ; failures += 1) {
      try {
        return await next(request);
      } catch (error) {
        const failure = GatehouseError.from(error);
        if (request.stream || failures === retries || !isPassing(failure)) throw failure;
        const ms = failure.retryAfterMs ?? waitMs(failures);
        try {
          await wait(ms, request.signal);
        } catch {
          throw failure; // says more than that time is over
        }
      }
    }
  };
}

function authorize(origin: string, tokens: Tokens, organizationId: string | undefined): Interceptor {
  return (next) => async (request) => {
    if (organizationId !== undefined && !request.header.has("x-service-orgid"))
      request.header.set("x-service-orgid", organizationId);
    const send = async (token: string) => {
      request.header.set("authorization", `Bearer ${token}`);
      return await next(request);
    };
    const token = await tokens.get(origin);
    try {
      return await send(token);
    } catch (error) {
      const another = isAboutToken(GatehouseError.from(error)) ? await tokens.get(origin, token) : token;
      if (another === token) throw error;
      return await send(another);
    }
  };
}
