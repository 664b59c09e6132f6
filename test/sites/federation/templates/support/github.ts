import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { canaries } from "../../../../support/canaries.ts";
import { sendJson } from "../../support/provider.ts";

/** An account, and what the API says about it. */
export interface GithubAccount {
  readonly user: object;
  /** A number: the status that the endpoint answers with. */
  readonly emails: readonly object[] | number;
}

/** A GitHub Enterprise Server on loopback: OAuth 2.0 with PKCE, without ID token and metadata. */
export interface TestGithub {
  readonly baseUrl: string;
  readonly clientSecret: string;
  /** Who logs in from now on. */
  play(account: GithubAccount): void;
  /** Lets that account in, and returns where the browser is sent back to. */
  logIn(url: URL): URL;
  stop(): void;
}

const clientId = "Iv1.gatehouse";

/** Starts one. It does what the real one is known to do: it tells errors of the token endpoint with status 200, and wants a User-Agent. */
export async function startGithub(): Promise<TestGithub> {
  const clientSecret = randomBytes(20).toString("hex");
  canaries.add("client secret", clientSecret);
  const codes = new Map<string, URLSearchParams>();
  const tokens = new Map<string, GithubAccount>();
  let account: GithubAccount = { user: {}, emails: [] };
  const redeem = (form: URLSearchParams): object => {
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret)
      return { error: "incorrect_client_credentials" };
    const isRight =
      asked?.get("code_challenge") === challenge && asked.get("redirect_uri") === form.get("redirect_uri");
    if (!isRight) return { error: "bad_verification_code" };
    const token = `gho_${randomBytes(18).toString("hex")}`;
    canaries.add("access token of a provider", token);
    tokens.set(token, account);
    return { access_token: token, scope: "read:user,user:email", token_type: "bearer" };
  };
  const findAccount = ({ headers }: IncomingMessage) =>
    headers["user-agent"] === undefined
      ? undefined
      : tokens.get((headers.authorization ?? "").replace(/^Bearer /, ""));
  const server = createServer((request, response) => {
    void (async () => {
      const form = new URLSearchParams(await text(request));
      if (request.url === "/login/oauth/access_token") return sendJson(response, redeem(form));
      const found = findAccount(request);
      if (found === undefined) return sendJson(response, { message: "Bad credentials" }, 401);
      if (request.url === "/api/v3/user") return sendJson(response, found.user);
      const { emails } = found;
      if (request.url !== "/api/v3/user/emails" || typeof emails === "number")
        return sendJson(response, {}, typeof emails === "number" ? emails : 404);
      return sendJson(response, emails);
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    clientSecret,
    play(played) {
      account = played;
    },
    logIn({ searchParams }) {
      const code = randomBytes(10).toString("hex");
      codes.set(code, searchParams);
      const url = new URL(searchParams.get("redirect_uri") ?? "");
      url.searchParams.set("code", code);
      url.searchParams.set("state", searchParams.get("state") ?? "");
      return url;
    },
    stop: () => server.close(),
  };
}
