import { findFaultInClaims, findSigningKey, parseAssertion } from "../clients/assertion.ts";
import { refuseWrongTry } from "../clients/tries.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import type { IssuePorts, TokenAnswer } from "../tokens/issue.ts";
import { issueForCredential } from "../tokens/issue-for-credential.ts";

/**
 * Gives tokens to a service user for an assertion that one of its keys has signed (RFC 7523 §2.1). The client does not authenticate,
 * and may send an assertion again until it expires, as the libraries of ZITADEL do.
 */
export async function grantByJwtBearer(ports: IssuePorts, request: OAuthRequest): Promise<TokenAnswer> {
  const { form, issuer, remoteAddress } = request;
  // RFC 7521 §4.1: credentials of a client would have to be checked; there is no client besides the user.
  if (
    [request.authorization, form.get("client_secret"), form.get("client_assertion")].some(
      (sent) => sent !== undefined,
    )
  )
    throw new OAuthError(
      "invalid_request",
      "send the assertion alone: this grant has no client authentication",
    );
  const nowMs = ports.context.clock.nowMs();
  const assertion = parseAssertion(requireParameter(form, "assertion"));
  if ("fault" in assertion) throw new OAuthError("invalid_grant", assertion.fault);
  const found = await ports.findClient(assertion.subject, { nowMs, issuer });
  const client = found?.kind === "service-user" ? found : undefined; // applications act for nobody
  const credential = await findSigningKey(assertion, {
    keys: client?.keys ?? [],
    importKey: ports.importKey,
  });
  if (client === undefined || credential === undefined) {
    const { status, retryAfterMs } = await refuseWrongTry(ports.context, {
      clientId: client?.id,
      remoteAddress,
    });
    const description = "none of the keys in force of its subject has signed the assertion";
    throw new OAuthError("invalid_grant", description, status === 429 ? { status, retryAfterMs } : {});
  }
  const fault = findFaultInClaims(assertion, { audiences: [issuer, request.tokenEndpoint], nowMs });
  if (fault !== undefined) throw new OAuthError("invalid_grant", fault);
  const by = { client, credential, use: undefined };
  return await issueForCredential(ports, request, { by, grant: "jwt-bearer" });
}
