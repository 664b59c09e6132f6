import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { callRest, layLoginGround, type LoginGround, type RestService } from "../../demo/login-ground.ts";
import { createHttpClient } from "../../support/http-client.ts";
import type { TokenGround } from "./token-load.ts";

/** Who may ask for tokens, and refresh tokens to begin with. */
export interface TokenStock {
  readonly ground: TokenGround;
  readonly refreshTokens: readonly string[];
}

const verifier = "a-verifier-of-the-bench-that-is-long-enough-0123456789";
const formType = "application/x-www-form-urlencoded";

/** Makes a service user with a key, an application, and somebody who has logged in to it that often. */
export async function fillTokenStock(service: RestService, families: number): Promise<TokenStock> {
  const login = await layLoginGround(service, "SIGNING_ALGORITHM_ES256");
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const machine = await callRest(service, "/v1/users/service", {
    username: `machine-${randomUUID()}`,
    name: "Machine",
    accessTokenType: "OIDC_TOKEN_TYPE_JWT",
    signingAlgorithm: "SIGNING_ALGORITHM_ES256",
  });
  const { keyId = "" } = await callRest(service, `/v1/users/${machine["userId"]}/keys`, {
    type: "KEY_TYPE_JSON",
    publicKey: Buffer.from(publicKey.export({ format: "pem", type: "spki" })).toString("base64"),
  });
  const all = await logInOften(service.url, login, families);
  return {
    ground: {
      issuer: login.issuer,
      machine: {
        id: machine["userId"] ?? "",
        keyId,
        privateKey: privateKey.export({ format: "pem", type: "pkcs8" }),
      },
      application: login.client,
      accessToken: all[0]?.["access_token"] ?? "",
    },
    refreshTokens: all.map((tokens) => tokens["refresh_token"] ?? ""),
  };
}

type Tokens = Readonly<Record<string, string>>;

/** Logs somebody in: with the password once, and then with the session of the browser. */
async function logInOften(url: string, login: LoginGround, count: number): Promise<readonly Tokens[]> {
  const { issuer, client, person, redirectUri } = login;
  const http = createHttpClient(url);
  const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
  const asked = toAuthorizationUrl(
    issuer,
    Object.entries({
      client_id: client.id,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid offline_access",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  );
  const found: Tokens[] = [];
  for (let index = 0; index < count; index++) {
    const back = await logIn(agent, await agent.open(asked), person);
    const form = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const authorization = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`;
    const headers = { authorization, "content-type": formType };
    const body = new URLSearchParams(form).toString();
    const { status, text } = await http.send({ method: "POST", path: "/oauth/v2/token", headers, body });
    if (status !== 200) throw new Error(`a code was refused: ${text}`);
    found.push(JSON.parse(text) as Tokens);
  }
  http.close();
  return found;
}
