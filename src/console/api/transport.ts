import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { checkDryRun } from "./call-options.ts";

/** The parts of the signed-in session that calls need. */
export interface CallerPort {
  /** Returns the access token. Raises UNAUTHENTICATED, and begins a login, when there is none or it has expired. */
  token(): string;
  /** Called when the service refused the token. */
  onUnauthenticated(): void;
  /** Called after every answer that accepted the token. */
  onAccepted(): void;
}

/**
 * Creates the transport for calls within an organization, or without one for those that need none. It speaks gRPC-web with the
 * origin of the page.
 */
export function createTransport(caller: CallerPort, organizationId: string | undefined): Transport {
  const authorize: Interceptor = (next) => async (request) => {
    request.header.set("authorization", `Bearer ${caller.token()}`);
    if (organizationId !== undefined) request.header.set("x-service-orgid", organizationId);
    try {
      const answer = await next(request);
      caller.onAccepted();
      return answer;
    } catch (error) {
      if (ConnectError.from(error).code === Code.Unauthenticated) caller.onUnauthenticated();
      throw error;
    }
  };
  return createGrpcWebTransport({
    baseUrl: location.origin,
    interceptors: [authorize, checkDryRun],
    defaultTimeoutMs: 30_000,
  });
}
