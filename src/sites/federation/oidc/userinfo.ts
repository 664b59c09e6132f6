import type { Logger } from "pino";
import type { IdentityProviderId } from "../../../kernel/base/ids.ts";
import { parseObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import type { TokenClaims } from "../provider/signed-token.ts";

/** The userinfo of a provider, and the user that it has to be about. */
export interface AskedUserinfo {
  readonly providerId: IdentityProviderId;
  readonly url: string;
  readonly accessToken: string;
  /** `sub` of the ID token, which is verified. */
  readonly subject: string;
}

/**
 * Reads what a provider says of the user (OpenID Connect Core §5.3). Undefined, and a line in the log, if it gives no JSON about a
 * subject: providers exist that announce the endpoint, and refuse the tokens of most clients there. The ID token has already
 * identified the user, so that costs nothing but claims. Raises a ProviderFailure if it is about another subject than the ID token
 * (§5.3.4).
 */
export async function askUserinfo(
  { fetcher, logger }: { readonly fetcher: ProviderFetch; readonly logger: Logger },
  asked: AskedUserinfo,
): Promise<TokenClaims | undefined> {
  const found = await readUserinfo(fetcher, asked);
  if ("fault" in found) {
    const fields = { identity_provider_id: asked.providerId, detail: `userinfo ${found.fault}` };
    logger.warn(fields, "provider_login.userinfo_left_out");
    return undefined;
  }
  if (found.claims["sub"] !== asked.subject) throw new ProviderFailure("refused", "userinfo sub");
  return found.claims;
}

async function readUserinfo(
  fetcher: ProviderFetch,
  { url, accessToken }: AskedUserinfo,
): Promise<{ readonly claims: TokenClaims } | { readonly fault: string }> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
  const answer = await fetcher.getOnce(url, { ...providerLimits, headers });
  if (answer.kind !== "answered") return { fault: answer.kind };
  if (answer.status !== 200) return { fault: `status ${answer.status}` };
  const claims = parseObject(answer.bytes);
  if (claims === undefined) return { fault: "unreadable" };
  return claims["sub"] === undefined ? { fault: "without sub" } : { claims };
}
