import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { keepsRefreshTokens } from "../../../identity/applications/oidc/security-profile.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import {
  type Authorization,
  revokeAuthorization,
} from "../../../identity/logins/authorizations/authorization.ts";
import { findAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { GoodProof } from "../../../identity/protocol-state/dpop/proof.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import type { OidcClient } from "../clients/client.ts";
import { hashCode, refreshIdleMs, repeatWindowMs, toSuccessor } from "../codes/code.ts";
import {
  findRefreshToken,
  prolongRefreshToken,
  putRefreshToken,
  type StoredRefreshToken,
  useRefreshToken,
} from "../codes/repository.ts";
import { readProofForTokens, requireProofFor } from "../dpop/request-proof.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { type OAuthRequest, originOfRequest } from "../requests/oauth-request.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { type GivenTokens, type IssuePorts, signTokens, type TokenAnswer } from "../tokens/issue.ts";
import { giveTokens, requireInForce } from "../tokens/issue-for-authorization.ts";
import {
  keepRoleLimits,
  parseScopes,
  readScopesOfApplication,
  type RequestedScopes,
} from "../tokens/scopes.ts";
import { requireGrantType } from "./grant-rights.ts";
import { keyOfFamily } from "./token-family.ts";

/** The result of a refresh: tokens, or a refusal after changes that stay. */
type Outcome = { readonly given: GivenTokens } | { readonly refusal: OAuthError };

interface Refresh {
  readonly request: OAuthRequest;
  readonly client: OidcClient;
  readonly text: string;
  readonly proof: GoodProof | undefined;
  readonly hooks: HookSession;
  readonly nowMs: number;
}

interface Rotation extends Refresh {
  readonly stored: StoredRefreshToken;
  /** The key that the successor is bound to. */
  readonly jkt: string | undefined;
}

/**
 * Gives new tokens for a refresh token (RFC 6749 §6), which is replaced each time (RFC 9700 §4.14.2). A client that did not get the
 * answer may repeat the request for 30 seconds with the same key or none, as long as the new refresh token is unused; any other
 * second use ends the whole family. All that the request changes is one write. A refresh token that is bound to a key needs a proof
 * of that key (RFC 9449 §5): without it a used one ends nothing, for nobody could have used it so. Raises invalid_grant,
 * invalid_scope, invalid_dpop_proof, and what authentication raises.
 */
export async function grantByRefreshToken(ports: IssuePorts, request: OAuthRequest): Promise<TokenAnswer> {
  const { database, clock } = ports.context;
  const by = await authenticateClient(ports, request);
  const client = requireGrantType(by.client, "REFRESH_TOKEN");
  const text = requireParameter(request.form, "refresh_token");
  const proof = await readProofForTokens(ports.context, request, client);
  const how = { uses: toUses(by.use, proof?.use), request };
  const outcome = await ports.hooks.run((hooks) =>
    writeWithUse(database, how, (tx) =>
      refresh(ports, tx, { request, client, text, proof, hooks, nowMs: clock.nowMs() }),
    ),
  );
  if ("refusal" in outcome) throw outcome.refusal;
  const { issuer, requestId } = request;
  const signed = { issuer, algorithm: client.signingAlgorithm, grant: "refresh_token", requestId };
  return await signTokens(ports, outcome.given, signed);
}

async function refresh(ports: IssuePorts, tx: WriteTransaction, asked: Refresh): Promise<Outcome> {
  const { request, client, proof, hooks, nowMs } = asked;
  const stored = await findRefreshToken(tx, hashCode(asked.text));
  const authorization = stored && (await findAuthorization(tx, stored.authorizationId));
  if (stored === undefined || authorization?.applicationId !== client.id) throw refreshTokenInvalid();
  // A used token no longer ends for want of use: its reuse is noticed for as long as the family may live.
  const idleMs = stored.usedMs === undefined ? stored.idleExpirationMs : Infinity;
  if (Math.min(idleMs, stored.expirationMs) <= nowMs) throw refreshTokenInvalid();
  requireProofFor(stored.jkt, proof);
  // RFC 9449 §5: the tokens of a public client with a proof are bound to its key.
  const rotation = { ...asked, stored, jkt: stored.jkt ?? keyOfFamily(client, proof) };
  // Reuse comes before all that could refuse the request otherwise, and would so leave the family to the holder of the next token.
  const repeatable = stored.usedMs === undefined ? undefined : await findRepeatable(ports, tx, rotation);
  if (stored.usedMs !== undefined && repeatable === undefined)
    return await endFamily(ports, tx, { request, authorization });
  await requireInForce(tx, { authorization, client });
  const narrowed = readNarrowedScopes(authorization, asked);
  const resources = readAskedResources(request.lists.get("resource"), request.issuer);
  const refreshToken = repeatable ?? (await goOn(ports, tx, rotation));
  if (refreshToken === undefined) return await endFamily(ports, tx, { request, authorization });
  const hooked = { grant: "refresh_token", hooks };
  const asIs = {
    authorization,
    client,
    ...narrowed,
    resources,
    nowMs,
    refreshToken,
    nonce: undefined,
    ...hooked,
  };
  return { given: await giveTokens(ports, tx, { ...asIs, jkt: proof?.jkt }) };
}

/** Somebody else may have the refresh token: neither keeps the tokens that came from it (RFC 9700 §4.14.2). */
async function endFamily(
  { context }: IssuePorts,
  tx: WriteTransaction,
  { request, authorization }: { readonly request: OAuthRequest; readonly authorization: Authorization },
): Promise<Outcome> {
  if (authorization.isEnded) throw refreshTokenInvalid();
  await context.log.append(tx, originOfRequest(request, authorization.userId), [
    revokeAuthorization(authorization, "refresh_reused"),
  ]);
  return { refusal: refreshTokenInvalid() };
}

/** Returns the refresh token with which the family goes on: the same one, or the next. Undefined as `rotate` says. */
async function goOn(
  ports: IssuePorts,
  tx: WriteTransaction,
  rotation: Rotation,
): Promise<Secret | undefined> {
  const { client, stored, text, nowMs } = rotation;
  if (!keepsRefreshTokens(client.settings)) return await rotate(ports, tx, rotation);
  return (await prolongRefreshToken(tx, stored.hash, nowMs + refreshIdleMs)) ? new Secret(text) : undefined;
}

/** Uses the token and stores the one that follows it. Undefined if another request has used it meanwhile. */
async function rotate(
  { context }: IssuePorts,
  tx: WriteTransaction,
  { stored, text, jkt, nowMs }: Rotation,
): Promise<Secret | undefined> {
  const { token, keyId } = toSuccessor(context.keyring, text);
  if (!(await useRefreshToken(tx, stored.hash, { nowMs, successorKeyId: keyId }))) return undefined;
  await putRefreshToken(tx, {
    hash: hashCode(token.reveal()),
    authorizationId: stored.authorizationId,
    jkt,
    idleExpirationMs: nowMs + refreshIdleMs,
    expirationMs: stored.expirationMs,
  });
  return token;
}

/** Finds the token that followed a used one, if that was just now, for the same key or none, and nobody has used it. */
async function findRepeatable(
  { context }: IssuePorts,
  tx: WriteTransaction,
  { stored, text, jkt, nowMs }: Rotation,
): Promise<Secret | undefined> {
  const { usedMs, successorKeyId } = stored;
  if (usedMs === undefined || nowMs > usedMs + repeatWindowMs) return undefined;
  if (successorKeyId === undefined || !context.keyring.keyIds.includes(successorKeyId)) return undefined;
  const { token } = toSuccessor(context.keyring, text, successorKeyId);
  const successor = await findRefreshToken(tx, hashCode(token.reveal()));
  if (successor === undefined || successor.usedMs !== undefined) return undefined;
  return successor.jkt === jkt ? token : undefined;
}

/** RFC 6749 §6: scopes that were not granted before cannot be asked for now. */
function readNarrowedScopes(
  authorization: Authorization,
  { request, client }: Refresh,
): { readonly scopes: RequestedScopes; readonly names: readonly string[] } {
  const asked = request.form.get("scope");
  if (asked === undefined) {
    const scopes = readScopesOfApplication(authorization.scopes.join(" "), client.settings);
    return { scopes, names: authorization.scopes };
  }
  const wanted = parseScopes(asked);
  if (!wanted.every((scope) => authorization.scopes.includes(scope)))
    throw new OAuthError("invalid_scope", "scope holds more than was granted");
  const names = keepRoleLimits(wanted, authorization.scopes);
  return { scopes: readScopesOfApplication(names.join(" "), client.settings), names };
}

function refreshTokenInvalid(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "the refresh token is unknown, expired or used, or belongs to another client",
  );
}
