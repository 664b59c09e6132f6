import {
  type AccessToken,
  apiAudience,
  maxExchanges,
  type StoredAccessToken,
} from "../../../identity/logins/access-tokens/access-token.ts";
import type { OidcClient } from "../clients/client.ts";
import { toResourceKey } from "../../../identity/applications/api/api-resource.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { listResources } from "../tokens/token-apis.ts";
import { type Form, requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import {
  keepRoleLimits,
  keepScopesFor,
  parseScopes,
  readScopesOfApplication,
  type RequestedScopes,
  toRequestedScopes,
} from "../tokens/scopes.ts";

const tokenTypes = "urn:ietf:params:oauth:token-type:";
const accessTokenType = `${tokenTypes}access_token`;
const jwtType = `${tokenTypes}jwt`;

/** A token that a client has sent, and what it says that it is. */
export interface SentToken {
  readonly name: "subject_token" | "actor_token";
  readonly text: string;
  /** Whether the client says that it is a JWT. */
  readonly isJwt: boolean;
}

/** What a client asks for in an exchange (RFC 8693 §2.1). */
export interface AskedExchange {
  readonly subject: SentToken;
  /** Undefined: nobody acts for the subject but the client. */
  readonly actor: SentToken | undefined;
  readonly issuedType: string;
  /** Whether the new token must be a JWT, whatever the tokens of the client usually are. */
  readonly wantsJwt: boolean;
  /** Undefined: all of the subject token's. */
  readonly scope: string | undefined;
  /** The audience of the new token; none: that of the subject token. */
  readonly audiences: readonly string[];
  /** The resources among them, as they are compared. */
  readonly resources: readonly string[];
}

/**
 * Reads what a client asks for. Raises invalid_request, also for tokens that are no access tokens: nothing is ever made of an id or
 * of an ID token. Raises invalid_target for a resource that nobody can have.
 */
export function readExchange(request: Pick<OAuthRequest, "form" | "lists" | "issuer">): AskedExchange {
  const { form, lists, issuer } = request;
  const hasActor = form.has("actor_token") || form.has("actor_token_type"); // RFC 8693 §2.1: both or neither
  const issuedType = form.get("requested_token_type") ?? accessTokenType;
  if (issuedType !== accessTokenType && issuedType !== jwtType)
    throw new OAuthError("invalid_request", `requested_token_type must be ${accessTokenType} or ${jwtType}`);
  const { ownApi, keys: resources } = readAskedResources(lists.get("resource"), issuer);
  return {
    subject: readToken(form, "subject_token"),
    actor: hasActor ? readToken(form, "actor_token") : undefined,
    issuedType,
    wantsJwt: issuedType === jwtType,
    scope: form.get("scope"),
    audiences: [...(lists.get("audience") ?? []), ...(ownApi ? [apiAudience] : [])],
    resources,
  };
}

/**
 * Decides what the new token is. It never says more than the subject token, for nobody else, and for no longer. Raises
 * invalid_request for an actor who is somebody else's, and for a token that was exchanged too often or expires within a second, in
 * which the new one would not live. Raises invalid_scope and invalid_target for more than the subject token has.
 */
export function decideExchange(from: {
  readonly asked: Pick<AskedExchange, "scope" | "audiences">;
  readonly subject: StoredAccessToken;
  readonly actor: StoredAccessToken | undefined;
  readonly client: Pick<OidcClient, "id" | "settings">;
  /** The thumbprint of the key that the client has proved; undefined: of none. */
  readonly jkt: string | undefined;
  readonly nowMs: number;
  readonly accessTokenSeconds: number;
}): { readonly token: AccessToken; readonly scopes: RequestedScopes } {
  const { asked, subject, actor, client, nowMs } = from;
  if (subject.expirationMs < nowMs + 1000)
    throw new OAuthError("invalid_request", "subject_token expires within a second");
  if (subject.exchanges.length >= maxExchanges)
    throw new OAuthError("invalid_request", "subject_token came of too many exchanges");
  // RFC 8693 §4.1: `act` names the current actor. It must not name the subject when somebody else acts.
  if (actor?.act !== undefined)
    throw new OAuthError(
      "invalid_request",
      "actor_token must be of the actor, not of somebody who acts for them",
    );
  const granted = narrowScopes(subject.scopes, asked.scope, {
    client,
    isForApis: listResources(subject).length > 0,
  });
  const audiences = narrowAudiences(subject.audiences, asked.audiences, granted);
  const scopes = keepScopesFor(granted.granted, audiences);
  const act = actor && { userId: actor.userId, clientId: actor.clientId, act: subject.act };
  const token: AccessToken = {
    userId: subject.userId,
    basis: subject.basis,
    clientId: client.id,
    exchanges: [...subject.exchanges, { clientId: client.id, subjectHash: subject.hash }],
    act: act ?? subject.act,
    jkt: from.jkt,
    lockCount: subject.lockCount,
    scopes: scopes.granted,
    audiences,
    issuedMs: nowMs,
    expirationMs: Math.min(nowMs + from.accessTokenSeconds * 1000, subject.expirationMs),
  };
  return { token, scopes };
}

function readToken(form: Form, name: SentToken["name"]): SentToken {
  const text = requireParameter(form, name);
  const type = requireParameter(form, `${name}_type`);
  if (type !== accessTokenType && type !== jwtType)
    throw new OAuthError("invalid_request", `${name}_type must be ${accessTokenType} or ${jwtType}`);
  return { name, text, isJwt: type === jwtType };
}

/**
 * Leaves of the audience of a subject token what the client asks for. Raises invalid_target for a resource that it is not for (RFC 8693
 * §2.2.2).
 */
export function keepResources(audiences: readonly string[], keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return audiences;
  const kept = audiences.filter((resource) => keys.includes(toResourceKey(resource)));
  if (kept.length < keys.length)
    throw new OAuthError("invalid_target", "resource names an API that subject_token is not for");
  return kept;
}

/** The scopes that the client may have. It gets no refresh token, so it has no use for offline_access. */
function narrowScopes(
  scopes: readonly string[],
  asked: string | undefined,
  {
    client: { settings },
    isForApis,
  }: { readonly client: Pick<OidcClient, "settings">; readonly isForApis: boolean },
): RequestedScopes {
  const wanted = asked === undefined ? scopes : parseScopes(asked);
  if (!wanted.every((scope) => scopes.includes(scope)))
    throw new OAuthError("invalid_scope", "scope holds more than subject_token has");
  const names = keepRoleLimits(wanted, scopes);
  const { granted } = readScopesOfApplication(names.join(" "), settings);
  const kept = names.filter((scope) => granted.includes(scope) || isForApis);
  return toRequestedScopes(kept.filter((scope) => scope !== "offline_access"));
}

/** RFC 8693 §2.2.2: a target that the subject token is not for is refused, and so is our API without its scope. */
function narrowAudiences(
  audiences: readonly string[],
  asked: readonly string[],
  scopes: RequestedScopes,
): readonly string[] {
  const within = audiences.filter((id) => id !== apiAudience || scopes.audiences.includes(apiAudience));
  if (!asked.every((id) => within.includes(id)))
    throw new OAuthError("invalid_target", "audience names somebody whom subject_token is not for");
  return asked.length === 0 ? within : within.filter((id) => asked.includes(id));
}
