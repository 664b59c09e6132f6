/** The endpoints of the service, as its metadata has them. */
export interface Provider {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly endSessionEndpoint: string;
}

/** The tokens of a login. */
export interface GivenTokens {
  readonly accessToken: string;
  readonly idToken: string;
  readonly lifetimeSeconds: number;
  /** When the service answered, by its own clock: that of the browser may be wrong. Undefined if it does not say. */
  readonly answeredMs: number | undefined;
  /** What came along: a `User`, and the answer of GetMyPermissions. */
  readonly first: { readonly user: Uint8Array; readonly permissions: Uint8Array } | undefined;
}

/** The service cannot be reached or gave an answer that cannot be used. `code` is that of OAuth, if there is one. */
export class ProviderError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
  }
}

/** Reads the metadata of the service (OpenID Connect Discovery 1.0 §4). */
export async function readProvider(): Promise<Provider> {
  const { fields } = await fetchJson(new URL("/.well-known/openid-configuration", location.origin));
  return {
    issuer: textOf(fields, "issuer"),
    authorizationEndpoint: textOf(fields, "authorization_endpoint"),
    tokenEndpoint: textOf(fields, "token_endpoint"),
    endSessionEndpoint: textOf(fields, "end_session_endpoint"),
  };
}

/**
 * Asks for the tokens of the user who is signed in to this browser; undefined if there is nobody, or if a page has to be shown first.
 * The service lets the browser ask while the scripts still come, so the request has to be the one of its header `link`.
 */
export async function askHere(): Promise<GivenTokens | undefined> {
  const init = { credentials: "same-origin", cache: "default" } as const;
  const answer = await fetchJson(new URL("/oauth/v2/console", location.origin), init).catch(
    (error: unknown) => {
      if (error instanceof ProviderError) return undefined; // the pages say what is wrong
      throw error;
    },
  );
  return answer === undefined || "error" in answer.fields ? undefined : toTokens(answer);
}

/** Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export async function redeemCode(
  provider: Provider,
  form: Readonly<Record<string, string>>,
): Promise<GivenTokens> {
  const answer = await fetchJson(new URL(provider.tokenEndpoint), {
    method: "POST",
    body: new URLSearchParams({ grant_type: "authorization_code", ...form }),
  });
  return toTokens(answer);
}

function toTokens({ fields, answeredMs }: JsonAnswer): GivenTokens {
  const { expires_in: lifetime, user, permissions } = fields;
  return {
    accessToken: textOf(fields, "access_token"),
    idToken: textOf(fields, "id_token"),
    lifetimeSeconds: typeof lifetime === "number" ? lifetime : 300,
    answeredMs,
    first:
      typeof user === "string" && typeof permissions === "string"
        ? { user: fromBase64(user), permissions: fromBase64(permissions) }
        : undefined,
  };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Makes 32 random bytes as base64url: a state, a nonce, or a verifier (RFC 7636 §4.1). */
export function makeRandomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Makes the challenge of a verifier by S256 (RFC 7636 §4.2). */
export async function toChallenge(verifier: string): Promise<string> {
  return toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
  );
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

interface JsonAnswer {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly answeredMs: number | undefined;
}

async function fetchJson(url: URL, init: RequestInit = {}): Promise<JsonAnswer> {
  const answer = await fetch(url, { credentials: "omit", cache: "no-store", ...init });
  const body: unknown = await answer.json().catch(() => undefined);
  const fields: Readonly<Record<string, unknown>> | undefined =
    typeof body === "object" && body !== null ? { ...body } : undefined;
  if (answer.ok && fields !== undefined) {
    const answeredMs = Date.parse(answer.headers.get("date") ?? "");
    return { fields, answeredMs: Number.isNaN(answeredMs) ? undefined : answeredMs };
  }
  const error = fields?.["error"];
  throw new ProviderError(
    `${url.pathname} answered ${answer.status}`,
    typeof error === "string" ? error : undefined,
  );
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new ProviderError(`the answer has no ${name}`);
  return value;
}
