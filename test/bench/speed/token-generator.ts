/**
 * The load on the endpoints of OAuth, in a process of its own: it is told over IPC what to send (`TokenOrder`) and answers what
 * it found (`TokenAnswer`), or why it failed.
 */
import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from "node:crypto";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import type { TokenAnswer, TokenGround, TokenLoad, TokenOrder } from "./token-load.ts";

const formType = { "content-type": "application/x-www-form-urlencoded" };
const keys = new Map<string, KeyObject>();

async function run({ load, refreshTokens }: TokenOrder): Promise<TokenAnswer> {
  const tokens = [...refreshTokens];
  const http = createHttpClient(load.url);
  const startedMs = performance.now();
  const untilMs = startedMs + load.seconds * 1000;
  let count = 0;
  let due = 0;
  const work = async (slot: number): Promise<void> => {
    for (;;) {
      if (load.rate !== undefined) {
        const dueMs = startedMs + (1000 * due++) / load.rate;
        if (dueMs > untilMs) return;
        await until(dueMs);
      } else if (performance.now() > untilMs) return;
      tokens[slot] = (await send(http, load, tokens[slot] ?? "")) ?? "";
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, (_, slot) => work(slot)));
  http.close();
  return { result: { count }, refreshTokens: tokens };
}

function until(timeMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, timeMs - performance.now()));
  });
}

/** Sends one call, which must succeed. Returns the next refresh token. */
async function send(
  http: HttpClient,
  { kind, ground }: TokenLoad,
  token: string,
): Promise<string | undefined> {
  const { path, headers = {}, form } = requestOf(kind, ground, token);
  const body = new URLSearchParams(form).toString();
  const { status, text } = await http.send({
    method: "POST",
    path,
    headers: { ...formType, ...headers },
    body,
  });
  const json = JSON.parse(text) as { readonly active?: boolean; readonly refresh_token?: string };
  if (status !== 200 || (kind === "introspection" && json.active !== true))
    throw new Error(`${kind} was refused: ${status} ${text}`);
  return kind === "refresh" ? json.refresh_token : token;
}

interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

function requestOf(kind: TokenLoad["kind"], ground: TokenGround, token: string): Request {
  const { id, secret } = ground.application;
  const headers = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
  switch (kind) {
    case "client_credentials":
      return {
        path: "/oauth/v2/token",
        form: {
          grant_type: "client_credentials",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: signAssertion(ground),
        },
      };
    case "dpop":
      return { ...requestOf("client_credentials", ground, token), headers: { dpop: signProof(ground) } };
    case "introspection":
      return { path: "/oauth/v2/introspect", headers, form: { token: ground.accessToken } };
    case "exchange":
      return {
        path: "/oauth/v2/token",
        headers,
        form: {
          grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
          subject_token: ground.accessToken,
          subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        },
      };
    case "refresh":
      return {
        path: "/oauth/v2/token",
        headers,
        form: { grant_type: "refresh_token", refresh_token: token },
      };
  }
}

function signAssertion({ issuer, machine }: TokenGround): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: machine.id, sub: machine.id, aud: issuer, iat, exp: iat + 60, jti: randomUUID() };
  return signJwt({ kid: machine.keyId }, claims, keyOf(machine));
}

/** The machine proves to hold the key that it also authenticates with: one is as quick as another. */
function signProof({ issuer, machine }: TokenGround): string {
  const key = keyOf(machine);
  const jwk = createPublicKey(key).export({ format: "jwk" });
  const iat = Math.floor(Date.now() / 1000);
  const claims = { htm: "POST", htu: `${issuer}/oauth/v2/token`, iat, jti: randomUUID() };
  return signJwt({ typ: "dpop+jwt", jwk }, claims, key);
}

function keyOf(machine: TokenGround["machine"]): KeyObject {
  const key = keys.get(machine.keyId) ?? createPrivateKey(machine.privateKey);
  keys.set(machine.keyId, key);
  return key;
}

function signJwt(header: object, claims: object, key: KeyObject): string {
  const input = [{ alg: "ES256", ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
  return `${input}.${signature.toString("base64url")}`;
}

process.on("message", (order: TokenOrder) => {
  run(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
