import type { Logger } from "pino";
import type { IdentityProviderId } from "../../../kernel/base/ids.ts";
import { parseJson, asObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import type { TokenClaims } from "../provider/signed-token.ts";
import type { CodePlaces } from "./discovery.ts";

/** Returns where codes of GitHub are asked for and redeemed. It publishes no metadata. */
export function githubPlaces(home: string): CodePlaces {
  return {
    issuer: home,
    authorizationEndpoint: `${home}/login/oauth/authorize`,
    tokenEndpoint: `${home}/login/oauth/access_token`,
    wantsSecretInForm: true,
    takesSecretInForm: true,
    namesIssuer: false,
  };
}

/** Returns the address of the API: a host of its own at GitHub, a path on the host of an Enterprise Server. */
export function githubApiOf(home: string): string {
  const { protocol, host } = new URL(home);
  const isOfGithub = host === "github.com" || host.endsWith(".ghe.com");
  return isOfGithub ? `${protocol}//api.${host}` : `${home}/api/v3`;
}

/** What GitHub is asked about the user of an access token. */
export interface AskedGithub {
  readonly providerId: IdentityProviderId;
  readonly apiUrl: string;
  readonly accessToken: string;
}

/**
 * Asks GitHub for the user of an access token, and returns it as claims of OpenID Connect. The number of the account is `sub`: its
 * name may go to somebody else. The primary address alone counts, verified if it is verified there; if GitHub does not tell it,
 * that costs the address, and leaves a line in the log. Raises a ProviderFailure if there is no user.
 */
export async function askGithub(
  { fetcher, logger }: { readonly fetcher: ProviderFetch; readonly logger: Logger },
  { providerId, apiUrl, accessToken }: AskedGithub,
): Promise<TokenClaims & { readonly sub: string }> {
  const ask = async (path: string): Promise<{ readonly value: unknown } | { readonly fault: string }> => {
    const answer = await fetcher.getOnce(apiUrl + path, {
      ...providerLimits,
      headers: toHeaders(accessToken),
    });
    if (answer.kind !== "answered") return { fault: answer.kind };
    if (answer.status !== 200) return { fault: `status ${answer.status}` };
    return { value: parseJson(answer.bytes) };
  };
  const [user, emails] = await Promise.all([ask("/user"), ask("/user/emails")]);
  if ("fault" in user) throw new ProviderFailure("unavailable", `user ${user.fault}`);
  const { id, login, name } = asObject(user.value) ?? {};
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0)
    throw new ProviderFailure("refused", "user id");
  const primary = "fault" in emails ? undefined : findPrimary(emails.value);
  if (primary === undefined) {
    const fault = "fault" in emails ? emails.fault : "without a primary one";
    logger.warn(
      { identity_provider_id: providerId, detail: `emails ${fault}` },
      "provider_login.userinfo_left_out",
    );
  }
  return {
    sub: String(id),
    preferred_username: login,
    name,
    email: primary?.["email"],
    email_verified: primary?.["verified"] === true,
  };
}

function toHeaders(accessToken: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${accessToken}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  };
}

function findPrimary(emails: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!Array.isArray(emails)) return undefined;
  return emails.map(asObject).find((email) => email?.["primary"] === true);
}
