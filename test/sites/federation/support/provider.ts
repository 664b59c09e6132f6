import { createHash, createHmac, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, SignJWT } from "jose";
import { keyPairs } from "../../oidc/support/machine.ts";
import { canaries } from "../../../support/canaries.ts";
import type { TestClock } from "../../../support/clock.ts";

/** What a provider was asked. */
export interface AskedProvider {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

/** What a test may change of a provider. Each has a good default. */
export interface ProviderTricks {
  /** Changes the claims of the ID token; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Makes the ID token of its claims, in place of an RS256 signature by the published key. */
  readonly sign?: ((claims: Readonly<Record<string, unknown>>) => Promise<string>) | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly userinfo?: Readonly<Record<string, unknown>>;
  /** Answers a path in its own way. */
  readonly answers?: Readonly<Record<string, (response: ServerResponse) => void>>;
  /** Reads the client secret in this way alone, in place of not looking at it. */
  readonly secret?: SecretReading;
  /** Changes the published key. */
  readonly key?: object;
  /** Changes the answer of the token endpoint. */
  readonly tokens?: Readonly<Record<string, unknown>>;
  /** Changes what the browser brings back; undefined removes a parameter. */
  readonly returned?: Readonly<Record<string, string | undefined>>;
}

/** How a provider reads the secret of its client. */
export interface SecretReading {
  readonly as: "decoded" | "raw" | "form";
  /** Whether a code is used up by a client that the provider does not know. */
  readonly spendsCodes?: boolean;
  /** What it says to one: default: `invalid_client` with status 401. */
  readonly refusal?: readonly [status: number, body: object];
}

/** A provider of OpenID Connect on loopback that does whatever a test wants. A browser that comes to it is sent back at once. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who logs in. */
  readonly subject: string;
  /** All requests that came, the first one first. */
  readonly asked: AskedProvider[];
  /** Does so from now on. */
  play(tricks: ProviderTricks): void;
  /** Lets the user in, whom a browser has brought with this URL, and returns where it is sent back to. `as`: default: `subject`. */
  logIn(url: URL, as?: string): URL;
  stop(): void;
}

const keyId = "key of the provider";
const profile = {
  email: "ada@provider.example",
  email_verified: true,
  preferred_username: "ada.l",
  given_name: "Ada",
  family_name: "Lovelace",
  name: "Ada Lovelace",
};

/** Starts a provider on a free port. */
export async function startProvider(
  clock: TestClock,
  {
    clientId = "gatehouse at the provider",
    clientSecret = `secret of the client ${randomBytes(12).toString("hex")}`,
  }: { readonly clientId?: string; readonly clientSecret?: string } = {},
): Promise<TestProvider> {
  canaries.add("client secret", clientSecret);
  const subject = `subject ${randomBytes(6).toString("hex")}`;
  const asked: AskedProvider[] = [];
  const codes = new Map<string, { readonly request: URLSearchParams; readonly as: string }>();
  let tricks: ProviderTricks = {};
  let issuer = "";
  const publicJwk = await exportJWK(keyPairs.RS256.publicKey);
  const redeem = async (form: URLSearchParams, response: ServerResponse, authorization: string) => {
    const { secret } = tricks;
    const sent = secret && readSecret(secret, { authorization, form });
    if (secret !== undefined && sent !== JSON.stringify([clientId, clientSecret])) {
      if (secret.spendsCodes === true) codes.delete(form.get("code") ?? "");
      const [status, body] = secret.refusal ?? [401, { error: "invalid_client" }];
      return sendJson(response, body, status);
    }
    const { request, as = subject } = codes.get(form.get("code") ?? "") ?? {};
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      request?.get("code_challenge") === challenge &&
      request.get("redirect_uri") === form.get("redirect_uri");
    if (!isRight) return sendJson(response, { error: "invalid_grant" }, 400);
    const nowSeconds = Math.floor(clock.nowMs() / 1000);
    const claims: Record<string, unknown> = {
      iss: issuer,
      aud: clientId,
      sub: as,
      nonce: request.get("nonce"),
      iat: nowSeconds,
      exp: nowSeconds + 300,
      ...(request.has("max_age") ? { auth_time: nowSeconds } : {}), // OpenID Connect Core §2
      ...tricks.claims,
    };
    const idToken = await (tricks.sign ?? signWell)(claims);
    const accessToken = randomBytes(24).toString("base64url");
    canaries.add("access token of a provider", accessToken);
    canaries.add("ID token of a provider", idToken);
    const tokens = { access_token: accessToken, token_type: "Bearer", id_token: idToken, ...tricks.tokens };
    return sendJson(response, tokens);
  };
  const letIn = ({ searchParams }: URL, as = subject): URL => {
    const code = randomBytes(24).toString("base64url");
    const { state = "", nonce = "", redirect_uri: redirectUri = "" } = Object.fromEntries(searchParams);
    for (const [name, value] of Object.entries({ state, nonce, code })) canaries.add(name, value);
    codes.set(code, { request: searchParams, as });
    const url = new URL(redirectUri);
    const returned = { code, state, iss: issuer, ...tricks.returned };
    for (const [name, value] of Object.entries(returned))
      if (value !== undefined) url.searchParams.set(name, value);
    return url;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? "", issuer).pathname;
    const form = new URLSearchParams(await text(request));
    asked.push({ path, authorization: request.headers.authorization, form });
    const own = tricks.answers?.[path];
    if (own !== undefined) return own(response);
    if (path === "/.well-known/openid-configuration")
      return sendJson(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize?tenant=1`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        id_token_signing_alg_values_supported: ["RS256", "ES256", "HS256", "none"],
        authorization_response_iss_parameter_supported: true,
        ...tricks.metadata,
      });
    if (path === "/keys")
      return sendJson(response, { keys: [{ ...publicJwk, kid: keyId, use: "sig", ...tricks.key }] });
    if (path === "/userinfo") return sendJson(response, { sub: subject, ...profile, ...tricks.userinfo });
    if (path === "/token") return await redeem(form, response, request.headers.authorization ?? "");
    if (path === "/authorize") {
      response.writeHead(302, { location: letIn(new URL(request.url ?? "", issuer)).href });
      return void response.end();
    }
    return sendJson(response, {}, 404);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    clientId,
    clientSecret,
    subject,
    asked,
    play(played) {
      tricks = played;
    },
    logIn: letIn,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the id and the secret as the provider understands them. */
function readSecret(
  { as }: SecretReading,
  { authorization, form }: { readonly authorization: string; readonly form: URLSearchParams },
): string {
  if (as === "form") return JSON.stringify([form.get("client_id"), form.get("client_secret")]);
  const credentials = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
  const end = credentials.indexOf(":");
  const parts = [credentials.slice(0, end), credentials.slice(end + 1)];
  const decode = (part: string) => new URLSearchParams(`part=${part}`).get("part"); // RFC 6749 Appendix B
  return JSON.stringify(as === "raw" ? parts : parts.map(decode));
}

/** Signs as the provider does that has published its key. */
export function signWell(
  claims: Readonly<Record<string, unknown>>,
  kid = keyId,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid, ...header })
    .sign(keyPairs.RS256.privateKey);
}

/** Signs with another key of the same kind, under the published name. */
export function signByForeignKey(claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: keyId }).sign(privateKey);
}

/** Signs with a key that the token itself brings (RFC 7515 §4.1.2, §4.1.3, §4.1.5), under a name that no key has. */
export async function signByBroughtKey(claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const url = "https://keys.example/keys";
  const header = { alg: "RS256", kid: "brought", jwk: await exportJWK(publicKey), jku: url, x5u: url };
  return await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
}

/** Signs with the published key by an algorithm that the metadata do not name. */
export function signByOtherAlgorithm(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "PS256" }).sign(keyPairs.RS256.privateKey);
}

/** Signs with a key of another kind, under the published name. */
export function signByOtherKind(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: keyId }).sign(keyPairs.ES256.privateKey);
}

/** Makes a token without a signature (RFC 7519 §6). */
export async function signByNone(claims: Readonly<Record<string, unknown>>): Promise<string> {
  return `${toPart({ alg: "none" })}.${toPart(claims)}.`;
}

/** Takes the published key for a shared secret (RFC 8725 §2.1). */
export async function signByPublicKey(claims: Readonly<Record<string, unknown>>): Promise<string> {
  const input = `${toPart({ alg: "HS256", kid: keyId })}.${toPart(claims)}`;
  const secret = keyPairs.RS256.publicKey.export({ format: "pem", type: "spki" });
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
