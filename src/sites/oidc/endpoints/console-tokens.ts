import { hash } from "node:crypto";
import { consoleCallback, consoleHomeOf, consoleId } from "../../../identity/applications/oidc/console.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { Logins } from "../../login/logins.ts";
import { answerWithUse } from "../clients/answer-with-use.ts";
import { grantByAuthorizationCode } from "../grants/authorization-code.ts";
import { signalOf } from "../requests/gone-signal.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { IssuePorts, TokenAnswer } from "../tokens/issue.ts";
import { answerAuthorization } from "./authorize.ts";
import { endpointPaths } from "./paths.ts";

/** What every page of the console begins with, as messages in base64: a `User`, and the answer of GetMyPermissions. */
export interface FirstAnswers {
  readonly user: string;
  readonly permissions: string;
}

/** Reads it with the access token. */
export type ReadFirstAnswers = (exchange: Exchange, token: string) => Promise<FirstAnswers>;

/** What the tokens of the console are made with. */
export interface ConsoleTokenPorts extends IssuePorts {
  readonly logins: Pick<Logins, "begin" | "answer">;
  readonly readFirstAnswers: ReadFirstAnswers;
}

/** The tokens of the user who is signed in to this browser, or why there are none. */
export type ConsoleTokens = (TokenAnswer & FirstAnswers) | { readonly error: string };

/**
 * Gives the console its tokens in one request: a login without a page (`prompt=none`) and the redemption of its code, one after the
 * other as the endpoints do them, with all their rules. Only a script of this origin gets an answer: the browser itself says where a
 * request comes from (Fetch Metadata §2), which no page can change, and other origins could not read it (no CORS). Raises
 * access_denied for any other request. No status says that nobody is signed in, because a browser would complain of it.
 */
export async function answerConsole(
  ports: ConsoleTokenPorts,
  exchange: Exchange,
  issuer: string,
): Promise<{ readonly tokens: ConsoleTokens; readonly cookies: Reply["headers"] }> {
  if (exchange.header("sec-fetch-site") !== "same-origin" || exchange.header("sec-fetch-dest") !== "empty")
    throw new OAuthError("access_denied", "only a script of this origin may ask", { status: 403 });
  const verifier = Buffer.from(ports.context.random.bytes(32)).toString("base64url");
  const redirectUri = `${consoleHomeOf(issuer)}${consoleCallback}`;
  const login = new Map([
    ["client_id", consoleId],
    ["response_type", "code"],
    ["redirect_uri", redirectUri],
    ["scope", "openid profile"],
    ["prompt", "none"],
    ["code_challenge", hash("sha256", verifier, "base64url")],
    ["code_challenge_method", "S256"],
  ]);
  const parameters = { values: login, repeated: new Set<string>(), lists: new Map<string, string[]>() };
  const { headers } = await answerAuthorization(ports, exchange, { issuer, parameters });
  const cookies = { "set-cookie": headers?.["set-cookie"] ?? [] };
  const answer = readAnswer(headers?.["location"], redirectUri);
  const code = answer.get("code");
  if (code === null) return { tokens: { error: answer.get("error") ?? "server_error" }, cookies };
  const form = new Map([
    ["client_id", consoleId],
    ["code", code],
    ["redirect_uri", redirectUri],
    ["code_verifier", verifier],
  ]);
  const tokenEndpoint = `${issuer}${endpointPaths.token}`;
  const { verb, remoteAddress, requestId } = exchange;
  const request = {
    issuer,
    endpoint: tokenEndpoint,
    tokenEndpoint,
    verb,
    form,
    lists: new Map<string, readonly string[]>(),
    authorization: undefined,
    dpop: undefined,
    remoteAddress,
    requestId,
    makeSignal: () => signalOf(exchange),
  };
  const given = await answerWithUse(ports.context.database, request, (asked) =>
    grantByAuthorizationCode(ports, asked),
  );
  return {
    tokens: { ...given, ...(await ports.readFirstAnswers(exchange, given.access_token)) },
    cookies,
  };
}

/** Reads where the browser would be sent; nothing of a redirect that leads elsewhere, such as to the host of the issuer. */
function readAnswer(location: unknown, redirectUri: string): URLSearchParams {
  const isOurs = typeof location === "string" && location.startsWith(`${redirectUri}?`);
  return new URLSearchParams(isOurs ? location.slice(redirectUri.length) : "");
}
