import type { OidcAppType, OidcGrantType } from "../../../identity/applications/oidc/oidc-application.ts";
import type { ExternalClientMetadata } from "../../../identity/applications/oidc/external-client.ts";
import { redirectUriViolation } from "../../../identity/applications/oidc/redirect-uri.ts";
import type { OAuthMethod } from "../../../identity/applications/oauth/oauth-application.ts";
import { maxKeys } from "../../../identity/client-keys/client-key.ts";
import { toId } from "../../../kernel/base/ids.ts";
import { isVisible } from "../../../kernel/base/names/visible-name.ts";
import { parseEmbeddedKey, toThumbprint } from "../../../kernel/base/public-key.ts";

/** What is wrong with metadata, in the words of RFC 7591 §3.2.2. The description never holds a value of them. */
export interface ClientMetadataFault {
  readonly code: "invalid_redirect_uri" | "invalid_client_metadata" | "unapproved_software_statement";
  readonly description: string;
}

/** What differs between the two ways in which clients introduce themselves. */
export interface MetadataRule {
  /** The name of a client that gives itself none. */
  readonly defaultName: string;
  /** How a client authenticates that does not say. */
  readonly defaultMethod: string;
  /** By their names in the protocol. */
  readonly methods: ReadonlyMap<string, OAuthMethod>;
  /** Whether the keys may be at a URL. */
  readonly takesJwksUri: boolean;
}

const maxUris = 50;
const maxUriLength = 2048;
const maxNameLength = 200;

const grantNames: ReadonlyMap<string, OidcGrantType> = new Map([
  ["authorization_code", "AUTHORIZATION_CODE"],
  ["refresh_token", "REFRESH_TOKEN"],
]);

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads what a client says of itself (RFC 7591 §2). Members that mean nothing here are left out, `logo_uri` among them: nothing is ever
 * loaded from it.
 */
export function readClientMetadata(
  members: Members,
  rule: MetadataRule,
): ExternalClientMetadata | ClientMetadataFault {
  if (members["software_statement"] !== undefined)
    return { code: "unapproved_software_statement", description: "software_statement is not taken" };
  const name = readName(members["client_name"], rule.defaultName);
  const redirects = readRedirectUris(members);
  const method = rule.methods.get(textOf(members["token_endpoint_auth_method"]) ?? rule.defaultMethod);
  const grantTypes = readGrantTypes(members["grant_types"]);
  if (name === undefined) return wrong("client_name must be a visible text of at most 200 characters");
  if ("code" in redirects) return redirects;
  if (method === undefined)
    return wrong(`token_endpoint_auth_method must be one of ${[...rule.methods.keys()].join(", ")}`);
  if (grantTypes === undefined) return wrong("grant_types must hold authorization_code");
  if (!isListWith(members["response_types"] ?? ["code"], "code"))
    return wrong("response_types must hold code");
  const keys = readKeys(members, { method, rule });
  return "code" in keys ? keys : { name, ...redirects, grantTypes, method, ...keys };
}

function readName(value: unknown, defaultName: string): string | undefined {
  const name = (textOf(value) ?? defaultName).trim();
  const isShown = name !== "" && name.length <= maxNameLength && isVisible(name) && !/\p{Cc}/u.test(name);
  return (value === undefined || typeof value === "string") && isShown ? name : undefined;
}

/** What runs on the device of a user has an address there; OpenID Connect Registration §2 lets a client say it, but few do. */
function readRedirectUris(
  members: Members,
): Pick<ExternalClientMetadata, "redirectUris" | "appType"> | ClientMetadataFault {
  const { redirect_uris: listed, application_type: said } = members;
  const uris = isTexts(listed) ? [...new Set(listed)] : [];
  if (uris.length === 0 || uris.length > maxUris)
    return redirectsWrong(`redirect_uris must have 1 to ${maxUris} entries`);
  if (said !== undefined && said !== "native" && said !== "web")
    return wrong("application_type must be native or web");
  const isOnDevice = said === undefined ? uris.some((uri) => !/^https:/i.test(uri)) : said === "native";
  const appType: OidcAppType = isOnDevice ? "NATIVE" : "WEB";
  for (const uri of uris) {
    const violation = findRedirectFault(uri, appType);
    if (violation !== undefined) return redirectsWrong(`an entry of redirect_uris ${violation}`);
  }
  return { redirectUris: uris, appType };
}

function findRedirectFault(uri: string, appType: OidcAppType): string | undefined {
  if (uri.length > maxUriLength) return "is too long";
  if (appType === "WEB" && /^http:/i.test(uri))
    return "must be https; a client with the application_type native may have http on loopback";
  return redirectUriViolation(uri, { appType, isDevMode: false });
}

/** RFC 7591 §2: without a list a client has the code alone. Grants that there are not here are left out. */
function readGrantTypes(value: unknown): readonly OidcGrantType[] | undefined {
  if (value === undefined) return ["AUTHORIZATION_CODE"];
  if (!isListWith(value, "authorization_code")) return undefined;
  const listed = value as readonly unknown[]; // a list, which the line before has found
  return [...grantNames].flatMap(([name, type]) => (listed.includes(name) ? [type] : []));
}

function readKeys(
  members: Members,
  { method, rule }: { readonly method: OAuthMethod; readonly rule: MetadataRule },
): Pick<ExternalClientMetadata, "keys" | "jwksUri"> | ClientMetadataFault {
  if (method !== "PRIVATE_KEY_JWT") return { keys: [], jwksUri: undefined };
  const { jwks, jwks_uri: uri } = members;
  if (jwks !== undefined && uri !== undefined) return wrong("jwks and jwks_uri exclude each other");
  if (uri !== undefined && rule.takesJwksUri && typeof uri === "string" && uri.length <= maxUriLength)
    return { keys: [], jwksUri: uri };
  if (uri !== undefined)
    return wrong(rule.takesJwksUri ? "jwks_uri must be a URL" : "send jwks, not jwks_uri");
  const keys = parseKeySet(jwks);
  return keys === undefined
    ? wrong("jwks must hold 1 to 20 public keys: RSA with 2048 to 8192 bits, P-256, P-384 or Ed25519")
    : { keys, jwksUri: undefined };
}

/** Reads a set of keys (RFC 7517 §5). Those that nobody can verify with are left out; undefined if none is left, or too many are. */
export function parseKeySet(set: unknown): ExternalClientMetadata["keys"] | undefined {
  const listed = typeof set === "object" && set !== null ? (set as Members)["keys"] : undefined; // an object
  if (!Array.isArray(listed) || listed.length > maxKeys) return undefined;
  const keys = listed.flatMap((jwk: unknown) => {
    const publicKey = parseEmbeddedKey(jwk);
    if (publicKey === undefined) return [];
    const kid = textOf((jwk as Members)["kid"]); // an object, of which the key was read
    return [
      { id: toId<ExternalClientMetadata["keys"][number]["id"]>(kid ?? toThumbprint(publicKey)), publicKey },
    ];
  });
  return keys.length === 0 ? undefined : keys;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= maxNameLength ? value : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isListWith(value: unknown, name: string): boolean {
  return isTexts(value) && value.includes(name);
}

function wrong(description: string): ClientMetadataFault {
  return { code: "invalid_client_metadata", description };
}

function redirectsWrong(description: string): ClientMetadataFault {
  return { code: "invalid_redirect_uri", description };
}
