import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import {
  type Authorization,
  revokeAuthorization,
} from "../../../identity/logins/authorizations/authorization.ts";
import { findAuthorization, isSessionLive } from "../../../identity/logins/authorizations/repository.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import { keepAnswers } from "../../../identity/hooks/calls/hooks.ts";
import type { GoodProof } from "../../../identity/protocol-state/dpop/proof.ts";
import { type AuthenticatedClient, authenticateClient } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import type { OidcClient } from "../clients/client.ts";
import {
  findFaultInRedemption,
  hashCode,
  newRefreshToken,
  openHookAnswers,
  openNonce,
} from "../codes/code.ts";
import { findAuthorizationCode, type StoredCode, useCode } from "../codes/repository.ts";
import { readProofForTokens, requireProofFor } from "../dpop/request-proof.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { type OAuthRequest, originOfRequest } from "../requests/oauth-request.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { type GivenTokens, type IssuePorts, signTokens, type TokenAnswer } from "../tokens/issue.ts";
import { giveTokens, requireInForce } from "../tokens/issue-for-authorization.ts";
import { readScopesOfApplication, type RequestedScopes } from "../tokens/scopes.ts";
import { requireGrantType } from "./grant-rights.ts";
import { keyOfFamily, startFamily } from "./token-family.ts";

/** The result of a request with a code: tokens, or a refusal after changes that stay. */
type Outcome = { readonly given: GivenTokens } | { readonly refusal: OAuthError };

/**
 * Gives tokens for a code (RFC 6749 §4.1.3, OpenID Connect Core §3.1.3). All that the request changes is one write. A code is good
 * once; a second use ends what the first one gave (RFC 6749 §4.1.2), if it has all that the first one needed. Raises invalid_grant,
 * invalid_dpop_proof, and what authentication raises.
 */
export async function grantByAuthorizationCode(
  ports: IssuePorts,
  request: OAuthRequest,
): Promise<TokenAnswer> {
  return await giveForCode(ports, request, await authenticateClient(ports, request));
}

/** Does the same for a client that is known already. */
export async function giveForCode(
  ports: IssuePorts,
  request: OAuthRequest,
  by: Pick<AuthenticatedClient, "client" | "use">,
): Promise<TokenAnswer> {
  const client = requireGrantType(by.client, "AUTHORIZATION_CODE");
  const code = requireParameter(request.form, "code");
  const proof = await readProofForTokens(ports.context, request, client);
  const how = { uses: toUses(by.use, proof?.use), request };
  const outcome = await ports.hooks.run((hooks) =>
    writeWithUse(ports.context.database, how, (tx) =>
      redeem(ports, tx, { request, client, code, proof, hooks }),
    ),
  );
  if ("refusal" in outcome) throw outcome.refusal;
  const { issuer, requestId } = request;
  const signed = { issuer, algorithm: client.signingAlgorithm, grant: "authorization_code", requestId };
  return await signTokens(ports, outcome.given, signed);
}

interface Asked {
  readonly request: OAuthRequest;
  readonly client: OidcClient;
  readonly code: string;
  readonly proof: GoodProof | undefined;
  readonly hooks: HookSession;
}

async function redeem(ports: IssuePorts, tx: WriteTransaction, asked: Asked): Promise<Outcome> {
  const { clock, log } = ports.context;
  const { request, client, proof, hooks } = asked;
  const nowMs = clock.nowMs();
  const code = await findAuthorizationCode(tx, hashCode(asked.code));
  const authorization = code && (await findAuthorization(tx, code.authorizationId));
  if (code === undefined || authorization?.applicationId !== client.id) throw codeInvalid();
  // A client that has found a code but could not have redeemed it must not end anything with it either.
  requireFit(code, request);
  requireProofFor(code.jkt, proof);
  if (code.usedMs !== undefined) {
    if (authorization.isEnded) throw codeInvalid();
    await log.append(tx, originOfRequest(request, authorization.userId), [
      revokeAuthorization(authorization, "code_reused"),
    ]);
    return { refusal: codeInvalid() };
  }
  // A session that is over takes its codes along: no logout token could come any more for what they would give.
  if (code.expirationMs <= nowMs || !(await isSessionLive(tx, authorization, nowMs))) throw codeInvalid();
  await requireInForce(tx, { authorization, client });
  const scopes = readScopesOfApplication(authorization.scopes.join(" "), client.settings);
  const family = { authorization, jkt: keyOfFamily(client, proof), nowMs };
  const refreshToken = await useNow(ports, tx, { ...family, code, scopes });
  const { sealedNonce } = authorization;
  const nonce = sealedNonce === undefined ? undefined : openNonce(asked.code, sealedNonce);
  const resources = readAskedResources(request.lists.get("resource"), request.issuer);
  keepAnswers(hooks, openHookAnswers(asked.code, code.sealedAnswers));
  const hooked = { grant: "authorization_code", hooks };
  const asIs = { authorization, client, scopes, resources, nowMs, refreshToken, nonce, ...hooked };
  return { given: await giveTokens(ports, tx, { ...asIs, jkt: proof?.jkt }) };
}

/** Marks the code as used, and begins a family of refresh tokens if one was asked for. */
async function useNow(
  { context, accessTokenSeconds }: IssuePorts,
  tx: WriteTransaction,
  used: {
    readonly code: StoredCode;
    readonly authorization: Authorization;
    readonly scopes: RequestedScopes;
    readonly jkt: string | undefined;
    readonly nowMs: number;
  },
): Promise<Secret | undefined> {
  const { code, authorization, scopes, jkt, nowMs } = used;
  const refreshToken = scopes.wantsRefreshToken ? newRefreshToken(context.random) : undefined;
  const keptUntilMs = await startFamily(tx, { authorization, refreshToken, jkt, nowMs, accessTokenSeconds });
  if (!(await useCode(tx, code.hash, { nowMs, keptUntilMs }))) throw codeInvalid();
  return refreshToken;
}

function requireFit(code: StoredCode, { form }: OAuthRequest): void {
  const sent = { redirectUri: form.get("redirect_uri"), verifier: form.get("code_verifier") };
  const fault = findFaultInRedemption(code, sent);
  if (fault !== undefined) throw new OAuthError("invalid_grant", fault);
}

function codeInvalid(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "the code is unknown, expired or used, belongs to another client, or its login has ended",
  );
}
