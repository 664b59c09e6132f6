import { randomBytes } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import type { HttpAnswer, HttpRequest } from "../../../../support/http-client.ts";
import type { TestClock } from "../../../../support/clock.ts";
import { keyPairs } from "../../support/machine.ts";
import { type Field, toAuthorizationUrl, type UserAgent } from "../../support/user-agent.ts";

/** The clients that both parties have, with the same ids and credentials. */
const clientNames = ["basic", "post", "key", "public", "strict", "machine"] as const;
export type ClientName = (typeof clientNames)[number];

/** A client as both parties know it. */
export interface OracleClient {
  readonly name: ClientName;
  readonly id: string;
  /** Undefined: it has a key, or nothing. */
  readonly secret: string | undefined;
  /** The key that signs its assertions; undefined: it has none. */
  readonly keyId: string | undefined;
}

/** How a client authenticates. */
export const methodOf = {
  basic: "client_secret_basic",
  post: "client_secret_post",
  key: "private_key_jwt",
  public: "none",
  strict: "client_secret_basic",
  machine: "client_secret_basic",
} as const;

/** Where every application wants its codes, as registered; the first is the one that is used. */
export const redirectUris = ["https://app.example/callback", "https://app.example/other?tenant=1"] as const;

/** The paths, which the reference is told to have too. */
export const endpointPaths = {
  authorize: "/oauth/v2/authorize",
  push: "/oauth/v2/par",
  token: "/oauth/v2/token",
  introspect: "/oauth/v2/introspect",
  revoke: "/oauth/v2/revoke",
  userinfo: "/oidc/v1/userinfo",
  deviceAuthorization: "/oauth/v2/device_authorization",
} as const;
export type Endpoint = keyof typeof endpointPaths;

/** A request, the same for both parties but for what each has given out. */
export interface OracleRequest {
  readonly endpoint: Endpoint;
  readonly method: "GET" | "POST";
  /** The query, or the form. */
  readonly fields: readonly Field[];
  readonly headers: Readonly<Record<string, string>>;
  /** How a form is written; undefined: as a form. */
  readonly body?: "json" | undefined;
}

/** One of the two that are asked. */
export interface Party {
  readonly name: "reference" | "gatehouse";
  readonly issuer: string;
  readonly clients: Readonly<Record<ClientName, OracleClient>>;
  readonly clock: TestClock;
  /** A browser in which the user is logged in. */
  readonly agent: UserAgent;
  /** Sends from an address that nobody else has, so that tries of one case are not counted against another. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Logs the user in, unless a session is there. */
  readonly logIn: () => Promise<void>;
  /** Lets the user allow the device of a client that waits under the code. */
  readonly allowDevice: (userCode: string, client: OracleClient) => Promise<void>;
  stop(): Promise<void>;
}

/** Sends a request and says what became of it, in the same words for both parties. */
export async function ask(party: Party, request: OracleRequest, withSession = true): Promise<string> {
  if (request.endpoint === "authorize") return await askForCode(party, request, withSession);
  const { status, headers, text } = await party.send(toHttp(request));
  const json = parseObject(text);
  if (status === 200 || status === 201) {
    if (request.endpoint === "introspect") return json["active"] === true ? "active" : "inactive";
    return "accepted";
  }
  const [, challenged] = /error="([a-z_]+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
  const error = json["error"] ?? challenged;
  return typeof error === "string" ? error : `status ${status}`;
}

/** Sends a request for tokens, or for a device code, that must succeed. Returns the answer. */
export async function getTokens(
  party: Party,
  request: OracleRequest,
): Promise<Readonly<Record<string, string>>> {
  const { status, text } = await party.send(toHttp(request));
  if (status !== 200) throw new Error(`${party.name} refused a good request: ${status} ${text}`);
  return parseObject(text) as Readonly<Record<string, string>>;
}

/** Pushes a request that must succeed. Returns its reference. */
export async function getReference(party: Party, request: OracleRequest): Promise<string> {
  const { status, text } = await party.send(toHttp(request));
  const { request_uri: reference } = parseObject(text);
  if (status === 201 && typeof reference === "string") return reference;
  throw new Error(`${party.name} refused a good request: ${status} ${text}`);
}

/** Gets the device code of a client, for a request that must succeed, once the user has allowed the device if they are to. */
export async function getDeviceCode(
  party: Party,
  request: OracleRequest,
  how: { readonly client: OracleClient; readonly isAllowed: boolean },
): Promise<string> {
  const { user_code: userCode = "", device_code: deviceCode = "" } = await getTokens(party, request);
  if (how.isAllowed) await party.allowDevice(userCode, how.client);
  return deviceCode;
}

/** Gets a code, for a request that must succeed. */
export async function getCode(party: Party, fields: readonly Field[]): Promise<string> {
  const { url: back, page } = await party.agent.open(toAuthorizationUrl(party.issuer, fields));
  const code = back.searchParams.get("code");
  if (code === null) throw new Error(`${party.name} gave no code: ${back.href} ${page?.text ?? ""}`);
  return code;
}

/** Signs an assertion of a client for this party, good but for what the test says. */
export async function signFor(
  party: Party,
  client: OracleClient,
  wrong: { readonly claims?: object; readonly header?: object; readonly isForeign?: boolean } = {},
): Promise<string> {
  const now = Math.floor(party.clock.nowMs() / 1000);
  const claims: JWTPayload = {
    iss: client.id,
    sub: client.id,
    aud: party.issuer,
    iat: now,
    exp: now + 60,
    jti: randomBytes(12).toString("hex"),
    ...wrong.claims,
  };
  const header = { alg: "ES256", kid: client.keyId ?? "none", ...wrong.header };
  const { privateKey } = wrong.isForeign === true ? keyPairs.ES384 : keyPairs.ES256;
  return await new SignJWT(claims)
    .setProtectedHeader(wrong.isForeign === true ? { ...header, alg: "ES384" } : header)
    .sign(privateKey);
}

/** The header of client_secret_basic. */
export function basicOf(id: string, secret: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
}

async function askForCode(party: Party, request: OracleRequest, withSession: boolean): Promise<string> {
  const cookie = [...party.agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const http = toHttp(request);
  // A browser leaves the cookies of Gatehouse out of a form of another site (SameSite).
  const isBare = !withSession || (request.method === "POST" && party.name === "gatehouse");
  let answer = await party.send(isBare ? http : { ...http, headers: { ...http.headers, cookie } });
  for (let step = 0; step < 3; step++) {
    const location = answer.headers.get("location");
    if (location === null) return outcomeOfPage(answer);
    const url = new URL(location, party.issuer);
    if (url.origin !== party.issuer) return outcomeOf(url);
    if (!url.pathname.endsWith("/continue")) return "login";
    const cookies = answer.headers.getSetCookie().map((line) => line.replace(/;.*/, ""));
    const all = [...(withSession ? [cookie] : []), ...cookies].join("; ");
    answer = await party.send({ method: "GET", path: url.pathname + url.search, headers: { cookie: all } });
  }
  return "endless";
}

/** A page of an error, or one with the form that goes to the application. */
function outcomeOfPage({ status, text }: HttpAnswer): string {
  const [, action] = /<form method="post" action="(https:[^"]*)"/.exec(text) ?? [];
  if (action === undefined) return status === 400 ? "page" : `status ${status}`;
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = new URLSearchParams(inputs.map(([, name = "", value = ""]) => [name, value]));
  return outcomeOf(new URL(`?${fields.toString()}`, action));
}

function outcomeOf(url: URL): string {
  const parameters = new URLSearchParams(url.search === "" ? url.hash.slice(1) : url.search);
  const error = parameters.get("error");
  if (error !== null) return error;
  return parameters.get("code") === null ? `redirect to ${url.origin}` : "code";
}

function toHttp({ endpoint, method, fields, headers, body }: OracleRequest): HttpRequest {
  const form = new URLSearchParams(fields.map((field) => [...field])).toString();
  const path = endpointPaths[endpoint];
  if (method === "GET") return { method, path: form === "" ? path : `${path}?${form}`, headers };
  if (body === "json")
    return {
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(Object.fromEntries(fields)),
    };
  return {
    method,
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: form,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? { ...json } : {};
  } catch {
    return {};
  }
}
