import { hash } from "node:crypto";
import type { Call } from "../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../kernel/base/database.ts";
import { fieldInvalid, notFound, Problem } from "../kernel/base/problem.ts";
import type { EmulatedParts } from "../app/setup.ts";
import { loginNameKinds } from "../identity/policies/login-policy.ts";
import { findNamedUser } from "../identity/people/user/login-name-repository.ts";
import { findUserById } from "../identity/people/user/repository.ts";
import type { HumanUser } from "../identity/people/user/user.ts";
import type { SessionMethod } from "../identity/logins/sessions/session.ts";
import type { Exchange } from "../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../kernel/http/exchanges/reply.ts";
import type { ComingReply } from "../sites/login/browser-answer.ts";
import { finishLogin } from "../sites/login/flow/finish.ts";
import { readState } from "../sites/login/flow/read-state.ts";
import { answerFor } from "../sites/login/flow/write-for.ts";
import { newCookieValue } from "../sites/login/cookies/cookies.ts";
import { addCheck, beginInteraction } from "../sites/login/interaction.ts";
import type { LoginState, LoginUser } from "../sites/login/login-state.ts";
import type { LoginRequest } from "../sites/login/login-request.ts";
import { findLoginUser } from "../sites/login/login-users.ts";
import { PageRefusal } from "../sites/login/page-refusal.ts";
import type { HookSession } from "../identity/hooks/calls/ask-hooks.ts";
import type { LoginPorts } from "../sites/login/ports.ts";
import { listAskedGift } from "../sites/login/steps/confirm-application.ts";
import { createKeyImport } from "../sites/oidc/clients/key-imports.ts";
import { createKnownClients } from "../sites/oidc/clients/known-clients.ts";
import type { OidcClient } from "../sites/oidc/clients/client.ts";
import { answerAuthorization } from "../sites/oidc/endpoints/authorize.ts";
import { endpointPaths } from "../sites/oidc/endpoints/paths.ts";
import { giveForCode } from "../sites/oidc/grants/authorization-code.ts";
import { OAuthError } from "../sites/oidc/requests/oauth-error.ts";
import type { IssuePorts, TokenAnswer } from "../sites/oidc/tokens/issue.ts";
import { createKnownReach } from "../sites/oidc/tokens/known-reach.ts";
import { findNamedApplication } from "./find-application.ts";
import { createSilentExchange } from "./silent-exchange.ts";

/** A user and an application. Texts are empty where nothing is asked for. */
export interface AskedSignIn {
  readonly user: string;
  readonly application: string;
  readonly result: "CODE" | "TOKENS";
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeChallenge: string;
  readonly methods: readonly SessionMethod[];
}

/** A login that was made. */
export interface SignedIn {
  readonly userId: string;
  readonly cookie: { readonly name: string; readonly value: string };
  readonly code: string;
  /** Where the browser would bring the code. */
  readonly callbackUrl: string;
  /** Undefined if the code was asked for. */
  readonly tokens: TokenAnswer | undefined;
}

/** Logs a user in without a page. Raises NOT_FOUND, FIELD_INVALID and SIGN_IN_REFUSED. */
export type SignIn = (call: Call, asked: AskedSignIn) => Promise<SignedIn>;

/**
 * Creates the login without pages. It asks as an application asks and answers as the pages answer, and leaves out only what a user
 * would do in between: their steps are taken as done. So what decides about a login decides about this one, too.
 */
export function createSignIn(parts: EmulatedParts): SignIn {
  const { context } = parts;
  const ports: IssuePorts = {
    ...parts,
    findClient: createKnownClients(context.database),
    importKey: createKeyImport(),
    knownReach: createKnownReach(context.database),
  };
  return async (call, asked) => {
    const issuer = parts.issuer();
    if (issuer === undefined) throw new Error("an emulator has an issuer");
    const client = await findApplication(ports, asked.application, { issuer, nowMs: context.clock.nowMs() });
    const user = await context.database.read((tx) => findUser(tx, asked.user, client));
    const redirectUri =
      asked.redirectUri === "" ? (client.settings.redirectUris[0] ?? "") : asked.redirectUri;
    const verifier = Buffer.from(context.random.bytes(32)).toString("base64url");
    const isForTokens = asked.result === "TOKENS";
    const challenge = isForTokens ? hash("sha256", verifier, "base64url") : asked.codeChallenge;
    const exchange = createSilentExchange({ ...call, path: endpointPaths.authorization });
    const reply = await refuseInWords(async () => {
      const logins = await createLogins(parts, { user, methods: asked.methods });
      const values = toParameters(asked, { clientId: client.id, redirectUri, challenge });
      const parameters = { values, repeated: new Set<string>(), lists: new Map<string, string[]>() };
      return await answerAuthorization({ ...ports, logins }, exchange, { issuer, parameters });
    });
    const { code, callbackUrl } = readAnswer(reply);
    const signedIn = { userId: user.id, cookie: readSessionCookieOf(reply) };
    if (!isForTokens) return { ...signedIn, code, callbackUrl, tokens: undefined };
    const tokens = await refuseInWords(() =>
      redeem(ports, call, { issuer, client, code, redirectUri, verifier }),
    );
    return { ...signedIn, code: "", callbackUrl: "", tokens };
  };
}

async function findApplication(
  { context, findClient }: IssuePorts,
  name: string,
  lookup: { readonly issuer: string; readonly nowMs: number },
): Promise<OidcClient> {
  const { id } = await findNamedApplication(context.database, name);
  const client = await findClient(id, { ...lookup, remoteAddress: undefined });
  if (client?.kind !== "oidc") throw notFound("application", name);
  return client;
}

async function findUser(tx: ReadTransaction, name: string, client: OidcClient): Promise<HumanUser> {
  const byId = await findUserById(tx, name);
  if (byId?.kind === "human") return byId;
  const organizationId = client.place?.organization.id;
  const named = await findNamedUser(tx, { name, kinds: loginNameKinds, organizationId });
  if (named === undefined) throw notFound("user", name);
  return named.user;
}

function toParameters(
  { scopes, state, nonce }: AskedSignIn,
  of: { readonly clientId: string; readonly redirectUri: string; readonly challenge: string },
): Map<string, string> {
  const values = new Map([
    ["client_id", of.clientId],
    ["response_type", "code"],
    ["redirect_uri", of.redirectUri],
    ["scope", scopes.length === 0 ? "openid profile email" : scopes.join(" ")],
  ]);
  if (state !== "") values.set("state", state);
  if (nonce !== "") values.set("nonce", nonce);
  if (of.challenge === "") return values;
  return values.set("code_challenge", of.challenge).set("code_challenge_method", "S256");
}

/** Creates logins of which nothing is missing as soon as they begin. */
async function createLogins(
  { loadLoginPorts }: Pick<EmulatedParts, "loadLoginPorts">,
  by: { readonly user: HumanUser; readonly methods: readonly SessionMethod[] },
) {
  const ports = await loadLoginPorts();
  return {
    async begin(exchange: Exchange, issuer: string, request: LoginRequest): Promise<Reply> {
      return await answerFor({ ports, exchange }, (tx, hooks) =>
        complete(tx, { ports, exchange, issuer, hooks, request, ...by }),
      );
    },
    answer: async (_exchange: Exchange, answer: { readonly kind: string; readonly location?: string }) => ({
      status: 303,
      headers: { location: answer.location ?? "" },
    }),
  };
}

async function complete(
  tx: WriteTransaction,
  login: {
    readonly ports: LoginPorts;
    readonly exchange: Exchange;
    readonly issuer: string;
    readonly hooks: HookSession;
    readonly request: LoginRequest;
    readonly user: HumanUser;
    readonly methods: readonly SessionMethod[];
  },
): Promise<ComingReply> {
  const { ports, exchange, issuer, request } = login;
  const { clock, random } = ports.context;
  const nowMs = clock.nowMs();
  const user = await findLoginUser(tx, login.user.id);
  if (user === undefined) throw refused("the user or their organization is not active");
  const isMultiFactor = user.policy.forceMfa || request.wantsMfa;
  const ways = login.methods.length > 0 ? [login.methods] : isMultiFactor ? waysByTwoFactors : waysByOne;
  const begun = beginInteraction(tx.nextId(), { ...request, prompts: [] }, nowMs);
  let state: LoginState | undefined;
  for (const methods of ways) {
    const proved = methods.reduce(
      (each, method) => addCheck(each, toHolder(user), { method, dateMs: nowMs }),
      begun,
    );
    // All checks are settled: there is no factor that could be gone.
    const position = { ports, issuer, nowMs, interaction: proved, sessionHash: undefined, isSettled: true };
    state = await readState(tx, position);
    if (state.user !== undefined) break;
  }
  if (state?.user === undefined)
    throw refused("the login policy does not allow this first factor, or not this user here");
  const confirmed = state.application === undefined ? undefined : (await listAskedGift(tx, state)).gift;
  const interaction = { ...state.interaction, confirmed };
  const cookie = newCookieValue(random);
  return await finishLogin(tx, {
    ports,
    exchange,
    hooks: login.hooks,
    state: { ...state, interaction },
    cookie,
    isNew: true,
    events: [],
  });
}

/** What is tried until the login policy allows it, if the call says nothing. */
const waysByOne: readonly (readonly SessionMethod[])[] = [["PASSWORD"], ["PASSKEY"]];
const waysByTwoFactors: readonly (readonly SessionMethod[])[] = [["PASSWORD", "TOTP"], ["PASSKEY"]];

function toHolder({ user, lockCount }: LoginUser) {
  return { id: user.id, lockCount };
}

async function redeem(
  ports: IssuePorts,
  { requestId, remoteAddress }: Call,
  given: {
    readonly issuer: string;
    readonly client: OidcClient;
    readonly code: string;
    readonly redirectUri: string;
    readonly verifier: string;
  },
): Promise<TokenAnswer> {
  const { issuer, client, code, redirectUri, verifier } = given;
  const endpoint = `${issuer}${endpointPaths.token}`;
  const form = new Map([
    ["client_id", client.id],
    ["code", code],
    ["redirect_uri", redirectUri],
    ["code_verifier", verifier],
  ]);
  const request = {
    issuer,
    endpoint,
    tokenEndpoint: endpoint,
    verb: "POST",
    form,
    lists: new Map<string, readonly string[]>(),
    authorization: undefined,
    dpop: undefined,
    remoteAddress,
    requestId,
    makeSignal: () => new AbortController().signal,
    assertion: { note() {}, settle() {} },
  };
  return await giveForCode(ports, request, { client, use: undefined });
}

/** Reads where the browser would be sent. Raises SIGN_IN_REFUSED for an error of OAuth. */
function readAnswer({ headers }: Reply): { readonly code: string; readonly callbackUrl: string } {
  const callbackUrl = String(headers?.["location"] ?? "");
  const answer = new URLSearchParams(callbackUrl.slice(callbackUrl.indexOf("?") + 1));
  const code = answer.get("code");
  if (code !== null) return { code, callbackUrl };
  throw refused(
    answer.get("error_description") ?? "the application cannot be answered",
    answer.get("error") ?? "",
  );
}

/** The first cookie whose name ends so; the others are of no use to a browser that begins no page. */
function readSessionCookieOf({ headers }: Reply): SignedIn["cookie"] {
  const cookies = [headers?.["set-cookie"] ?? []].flat();
  const pairs = cookies.map((each) => each.slice(0, each.indexOf(";")));
  const pair = pairs.find((each) => each.startsWith("gh_session=")) ?? "=";
  const equals = pair.indexOf("=");
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

async function refuseInWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) throw refused(error.message, error.code);
    if (error instanceof PageRefusal && error.kind === "unregistered-redirect")
      throw fieldInvalid("redirect_uri", "is not one of those of the application");
    if (error instanceof PageRefusal) throw refused(`the page of the error ${error.kind}`);
    throw error;
  }
}

function refused(description: string, error = ""): Problem {
  return new Problem({
    kind: "precondition",
    reason: "SIGN_IN_REFUSED",
    message: `the login is refused: ${description}`,
    metadata: { ...(error === "" ? {} : { error }), error_description: description },
  });
}
