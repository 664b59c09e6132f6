import { createHash, randomBytes } from "node:crypto";
import type { SessionId } from "../../../../src/kernel/base/ids.ts";
import { putSessionValue } from "../../../../src/identity/logins/sessions/repository.ts";
import { type SessionMethod, startSession } from "../../../../src/identity/logins/sessions/session.ts";
import { findStoredOrganizationOfUser, getUser } from "../../../../src/identity/people/user/repository.ts";
import { formsOf } from "../../login/support/browser.ts";
import { canaries } from "../../../support/canaries.ts";
import type { HttpAnswer } from "../../../support/http-client.ts";
import type { TestService } from "../../../support/service.ts";
import type { TestApplication } from "./application.ts";
import { askForTokens, type Fields, toForm } from "./machine.ts";

/** A browser in which a user has logged in. */
export interface TestBrowser {
  readonly userId: string;
  readonly sessionId: string;
  /** The header `cookie`. */
  readonly cookie: string;
}

const hourMs = 3_600_000;

/** Makes a session of the user as a login would, without its pages. */
export async function signIn(
  service: TestService,
  userId: string,
  methods: readonly SessionMethod[] = ["PASSWORD"],
): Promise<TestBrowser> {
  const { database, log, clock } = service.context;
  const value = randomBytes(32).toString("base64url");
  canaries.add("session", value);
  const nowMs = clock.nowMs();
  const sessionId = await database.write(async (tx) => {
    const organizationId = await findStoredOrganizationOfUser(tx, userId);
    if (organizationId === undefined) throw new Error(`there is no user ${userId}`);
    const { id } = await getUser(tx, organizationId, userId);
    const session = tx.nextId<SessionId>();
    const checks = methods.map((method) => ({ method, dateMs: nowMs }));
    const from = { id: session, userId: id, organizationId, checks, expirationMs: nowMs + 24 * hourMs };
    await log.append(tx, { editor: id, remoteAddress: undefined, requestId: "test" }, startSession(from));
    const hash = createHash("sha256").update(value).digest("base64url");
    await putSessionValue(tx, { sessionId: session, hash, nowMs, idleMs: 12 * hourMs });
    return session;
  });
  return { userId, sessionId, cookie: `gh_session=${value}` };
}

/** Sends a browser to the service, under the name that its issuer has. */
export function browse(
  service: TestService,
  path: string,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<HttpAnswer> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string][];
  const host = `localhost:${service.port}`;
  return service.http.send({ method: "GET", path, headers: { host, ...Object.fromEntries(sent) } });
}

/** A verifier of PKCE, and what is sent first. */
export const pkce = (() => {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return { verifier, code_challenge: challenge, code_challenge_method: "S256" } as const;
})();

// Neither is for anybody but the application.
canaries.add("nonce", "the nonce of a request");
canaries.add("state", "the state of a request");

type Parameters = Fields;

/** The parameters of a good request of an application. */
export function requestOf(application: TestApplication) {
  return {
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: "code",
    scope: "openid",
    state: "the state of a request",
    nonce: "the nonce of a request",
    code_challenge: pkce.code_challenge,
    code_challenge_method: pkce.code_challenge_method,
  };
}

/** Writes the path of a request of an application, good but for what the test says. */
export function authorizePath(application: TestApplication, parameters: Parameters = {}): string {
  return `/oauth/v2/authorize?${toForm({ ...requestOf(application), ...parameters })}`;
}

/** Sends a browser with the request of an application, and reads where it is sent back to. */
export async function authorize(
  service: TestService,
  application: TestApplication,
  how: { readonly browser?: TestBrowser; readonly parameters?: Parameters } = {},
) {
  const path = authorizePath(application, how.parameters);
  const answer = await browse(service, path, { cookie: how.browser?.cookie });
  const location = answer.headers.get("location") ?? "";
  const isBack = location.startsWith(application.redirectUri);
  const back = isBack ? Object.fromEntries(new URL(location).searchParams) : {};
  if (back["code"] !== undefined) canaries.add("code", back["code"]);
  return { ...answer, location, back };
}

/** Sends a browser with the request of an application, and continues where a page asks whether the application may have all that. */
export async function authorizeAndConfirm(
  service: TestService,
  application: TestApplication,
  how: { readonly browser: TestBrowser; readonly parameters?: Parameters },
) {
  const answer = await authorize(service, application, how);
  const { pathname } = new URL(answer.location, "http://none");
  if (!pathname.startsWith("/login/")) return answer;
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
  const headers = { cookie: [how.browser.cookie, ...cookies].join("; ") };
  const page = await browse(service, pathname, headers);
  const form = formsOf(page.text).find(({ action }) => action === `${pathname}/confirm`);
  if (form === undefined) throw new Error(`no page asks: ${page.status} ${page.text}`);
  const sent = await service.http.send({
    method: "POST",
    path: form.action,
    headers: {
      ...headers,
      host: `localhost:${service.port}`,
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
    },
    body: new URLSearchParams({ ...form.fields, choice: "continue" }).toString(),
  });
  const location = sent.headers.get("location") ?? "";
  const isBack = location.startsWith(application.redirectUri);
  const back = isBack ? Object.fromEntries(new URL(location).searchParams) : {};
  if (back["code"] !== undefined) canaries.add("code", back["code"]);
  return { ...sent, location, back, page: page.text };
}

/** Gets a code for a user whose session suffices, and who continues where a page asks. */
export async function getCode(
  service: TestService,
  application: TestApplication,
  how: { readonly browser: TestBrowser; readonly parameters?: Parameters },
): Promise<string> {
  const { back, status, location, text } = await authorizeAndConfirm(service, application, how);
  if (back["code"] === undefined) throw new Error(`no code: ${status} ${location} ${text}`);
  return back["code"];
}

/** The form that redeems a code. */
export function redemption(application: TestApplication, code: string, more: Parameters = {}) {
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: application.redirectUri,
    code_verifier: pkce.verifier,
    ...credentialsOf(application),
    ...more,
  };
}

/** What an application sends to say who it is. */
export function credentialsOf({ clientId, secret }: TestApplication) {
  return { client_id: clientId, client_secret: secret === "" ? undefined : secret };
}

/** Gets tokens for a user whose session suffices. */
export async function getTokens(
  service: TestService,
  application: TestApplication,
  how: { readonly browser: TestBrowser; readonly scope?: string; readonly parameters?: Parameters },
) {
  const scope = how.scope ?? "openid offline_access";
  const code = await getCode(service, application, { ...how, parameters: { scope, ...how.parameters } });
  const { status, json } = await askForTokens(service, redemption(application, code));
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(json)}`);
  return {
    code,
    accessToken: String(json["access_token"]),
    idToken: String(json["id_token"]),
    refreshToken: typeof json["refresh_token"] === "string" ? json["refresh_token"] : "",
    json,
  };
}

/** Sends a refresh token. */
export function refresh(
  service: TestService,
  application: TestApplication,
  token: string,
  more: Parameters = {},
) {
  const form = { grant_type: "refresh_token", refresh_token: token, ...credentialsOf(application), ...more };
  return askForTokens(service, form);
}
