import type { Clock } from "../../../kernel/base/clock.ts";
import { parseObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderAnswer, type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import type { CodePlaces } from "./discovery.ts";
import { type KnownStyles, listSecretStyles, type ProviderClient, toSecretParts } from "./secret-styles.ts";

/** What a code is redeemed with. */
export interface CodeRedemption {
  readonly fetcher: ProviderFetch;
  readonly clock: Clock;
  readonly knownStyles: KnownStyles;
  /** Names the provider with its present configuration: what is known of it ends with a change. */
  readonly providerKey: string;
  readonly metadata: CodePlaces;
  readonly client: ProviderClient;
}

/** An answer of a token endpoint, whatever its status. */
export interface RedeemedAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/**
 * Posts the form of a code to the token endpoint of the provider, and again with the client secret sent in another style if the
 * provider does not know the client by the first one. All tries together stay within the time of one request. Raises a ProviderFailure.
 *
 * Some providers use the code up at the first try. The second one is then refused for the code, which says as well that the secret was
 * taken: that login has failed, and the next one begins with the right style.
 */
export async function redeemCode(
  { fetcher, clock, knownStyles, providerKey, metadata, client }: CodeRedemption,
  form: {
    readonly fields: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<RedeemedAnswer> {
  const url = metadata.tokenEndpoint;
  const styles = listSecretStyles(client, metadata);
  const key = `${providerKey} ${url}`;
  const beganMs = clock.nowMs();
  let answer: RedeemedAnswer | undefined;
  for (const style of knownStyles.order(key, styles)) {
    const timeoutMs = Math.min(providerLimits.timeoutMs, beganMs + providerLimits.timeoutMs - clock.nowMs());
    if (answer !== undefined && timeoutMs < minTryMs) break;
    const parts = toSecretParts(style, client);
    const headers = { ...form.headers, ...parts.headers };
    const fields = { ...form.fields, ...parts.fields };
    answer = toRedeemedAnswer(await fetcher.post(url, fields, { ...providerLimits, timeoutMs, headers }));
    if (isClientUnknown(answer)) continue;
    if (styles.length > 1) knownStyles.learn(key, style);
    break;
  }
  if (answer === undefined) throw new Error("no style to send the secret in");
  return answer;
}

/** With less time left another try would only say that it was late. */
const minTryMs = 100;

function toRedeemedAnswer(answer: ProviderAnswer): RedeemedAnswer {
  if (answer.kind !== "answered") throw new ProviderFailure("unavailable", `token ${answer.kind}`);
  const { status, bytes, contentType = "" } = answer;
  if (bytes === undefined) throw new ProviderFailure("unavailable", "token unreadable");
  if (status === 429 || status >= 500) throw new ProviderFailure("unavailable", `token status ${status}`);
  return { status, bytes, contentType };
}

/** RFC 6749 §5.2; some say it by the status alone. */
function isClientUnknown({ status, bytes }: RedeemedAnswer): boolean {
  return status === 401 || (status >= 400 && parseObject(bytes)?.["error"] === "invalid_client");
}
