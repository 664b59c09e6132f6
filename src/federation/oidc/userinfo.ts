import { parseObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import type { TokenClaims } from "../provider/signed-token.ts";

/**
 * Reads what a provider says of the user (OpenID Connect Core §5.3). Raises a ProviderFailure if it is about another subject than the
 * ID token (§5.3.4), or no JSON: a signed answer has to be asked for.
 */
export async function askUserinfo(
  fetcher: ProviderFetch,
  url: string,
  { accessToken, subject }: { readonly accessToken: string; readonly subject: string },
): Promise<TokenClaims> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
  const answer = await fetcher.getOnce(url, { ...providerLimits, headers });
  if (answer.kind !== "answered") throw new ProviderFailure("unavailable", `userinfo ${answer.kind}`);
  const { status, bytes } = answer;
  if (status !== 200) throw new ProviderFailure("unavailable", `userinfo status ${status}`);
  const claims = parseObject(bytes);
  if (claims === undefined) throw new ProviderFailure("unavailable", "userinfo unreadable");
  if (claims["sub"] !== subject) throw new ProviderFailure("refused", "userinfo sub");
  return claims;
}
