import {
  isByProviderAlone,
  isMultiFactor,
  type LiveSession,
  type SessionCheck,
} from "../../../identity/logins/sessions/session.ts";
import type { ReachedContext } from "../messages/authn-context.ts";
import { SamlRefusal } from "../messages/status.ts";
import type { SamlLoginData } from "./login-data.ts";

/** How and when a user was authenticated. Instants are milliseconds since 1970. */
export interface ReachedAt extends ReachedContext {
  /** When the first factor was checked last. */
  readonly firstFactorMs: number;
  /** When the last one of all factors was checked. */
  readonly lastFactorMs: number;
}

const firstFactors: ReadonlySet<string> = new Set(["PASSWORD", "PASSKEY", "IDP"]);

/**
 * Says what the checks of a login are worth. A user who logs in at an identity provider has one factor there, whatever was asked of
 * them, and two with a second one of ours. Raises a SamlRefusal AuthnFailed without a first factor.
 */
export function reachContext(checks: readonly SessionCheck[], ownEntityId: string): ReachedAt {
  const methods = checks.map(({ method }) => method);
  const first = checks.filter(({ method }) => firstFactors.has(method)).map(({ dateMs }) => dateMs);
  if (first.length === 0) throw new SamlRefusal("AuthnFailed");
  const byProvider = checks.find(({ method }) => method === "IDP");
  return {
    level: isMultiFactor(methods) ? 2 : 1,
    // Sessions did not always say at which one: then it was one that answers for us.
    authority: isByProviderAlone(methods) ? (byProvider?.issuer ?? ownEntityId) : undefined,
    firstFactorMs: Math.max(...first),
    lastFactorMs: Math.max(...checks.map(({ dateMs }) => dateMs)),
  };
}

/** An identity provider tells its own time, in whole seconds: see `requireFreshIdentity`. */
const skewMs = 31_000;

/** Lists the checks of a session that count for a request: with ForceAuthn, none that was before it (SAML Core §3.4.1). */
export function listCountedChecks(
  { session, methods }: LiveSession,
  {
    request,
    requestMs,
  }: Pick<SamlLoginData, "requestMs"> & {
    readonly request: { readonly isForceAuthn: boolean } | undefined;
  },
): readonly SessionCheck[] {
  const proved = session.checks.filter(({ method }) => methods.includes(method));
  return request?.isForceAuthn === true
    ? proved.filter(({ dateMs }) => dateMs >= requestMs - skewMs)
    : proved;
}
