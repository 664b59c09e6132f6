import type { Clock } from "../../../kernel/base/clock.ts";
import { clientAlgorithms } from "../../../kernel/base/jws.ts";
import { parseObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import { createRemembered, type Wait } from "../provider/remembered.ts";

/** What is used of the metadata of a provider (OpenID Connect Discovery §3, RFC 9207 §3). */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly keysUrl: string;
  /** Undefined: it has none. */
  readonly userinfoEndpoint: string | undefined;
  /** Those that are taken; ID tokens with another one are refused. */
  readonly algorithms: readonly string[];
  /** Whether the client secret has to stand in the form, because the provider reads no header. */
  readonly wantsSecretInForm: boolean;
  /** Whether the client secret may stand in the form. */
  readonly takesSecretInForm: boolean;
  /** Whether the provider names itself in its answer. */
  readonly namesIssuer: boolean;
}

/** What a code is asked for and redeemed with. */
export type CodePlaces = Omit<ProviderMetadata, "keysUrl" | "userinfoEndpoint" | "algorithms">;

/** Reads the metadata of providers. */
export interface Discovery {
  /**
   * Raises a ProviderFailure if the provider gives none, or the metadata of another issuer. It is read at most once an hour.
   * `wait`: as in Remembered.
   */
  read(provider: DiscoveredProvider, wait?: Wait): Promise<ProviderMetadata>;
}

/** A provider with metadata. */
export interface DiscoveredProvider {
  readonly id: string;
  /** As the metadata name it. */
  readonly issuer: string;
  /** Where the metadata are found below. Default: the issuer. */
  readonly base?: string | undefined;
}

const maxAgeMs = 3_600_000;
const failureMs = 5_000;
const maxProviders = 500;

/** Creates a discovery that has read nothing yet. */
export function createDiscovery(ports: {
  readonly clock: Clock;
  readonly fetcher: ProviderFetch;
}): Discovery {
  const remembered = createRemembered<ProviderMetadata>({ clock: ports.clock, maxEntries: maxProviders });
  return {
    read: ({ id, issuer, base = issuer }, wait) =>
      remembered.get(`${id} ${issuer} ${base}`, {
        maxAgeMs,
        failureMs,
        load: () => readMetadata(ports.fetcher, { issuer, base }),
        wait,
      }),
  };
}

async function readMetadata(
  fetcher: ProviderFetch,
  { issuer, base }: { readonly issuer: string; readonly base: string },
): Promise<ProviderMetadata> {
  // OpenID Connect Discovery §4.1: a slash at the end is left out.
  const url = `${base.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetcher.getOnce(url, providerLimits);
  if (answer.kind !== "answered") throw failure(answer.kind);
  if (answer.status !== 200) throw failure(`status ${answer.status}`);
  const document = parseObject(answer.bytes);
  if (document === undefined) throw failure("unreadable");
  // §4.3: otherwise one provider could stand in for another.
  if (document["issuer"] !== issuer) throw failure("of another issuer");
  const urlOf = (name: string): string | undefined => {
    const value = document[name];
    if (value === undefined) return undefined;
    if (typeof value !== "string" || fetcher.violationOf(value) !== undefined)
      throw failure(`${name} forbidden`);
    return value;
  };
  const requireUrl = (name: string): string => {
    const value = urlOf(name);
    if (value === undefined) throw failure(`${name} missing`);
    return value;
  };
  const algorithms = listOf(document["id_token_signing_alg_values_supported"]) ?? ["RS256"];
  const methods = listOf(document["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  const takesSecretInForm = methods.includes("client_secret_post");
  return {
    issuer,
    authorizationEndpoint: requireUrl("authorization_endpoint"),
    tokenEndpoint: requireUrl("token_endpoint"),
    keysUrl: requireUrl("jwks_uri"),
    userinfoEndpoint: urlOf("userinfo_endpoint"),
    algorithms: clientAlgorithms.filter((algorithm) => algorithms.includes(algorithm)),
    wantsSecretInForm: !methods.includes("client_secret_basic") && takesSecretInForm,
    takesSecretInForm,
    namesIssuer: document["authorization_response_iss_parameter_supported"] === true,
  };
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function failure(what: string): ProviderFailure {
  return new ProviderFailure("unavailable", `metadata ${what}`);
}
