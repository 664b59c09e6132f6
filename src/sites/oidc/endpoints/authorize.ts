import { readUserIdOf } from "../tokens/subject.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { mustPush } from "../../../identity/applications/oidc/security-profile.ts";
import { isRedirectUriRegistered } from "../../../identity/applications/oidc/redirect-uri.ts";
import type { OwnTokens } from "../../../identity/signing-keys/jwt.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { toId } from "../../../kernel/base/ids.ts";
import { letsPeopleRegister } from "../../../identity/policies/login-policy.ts";
import { readLoginPolicy } from "../../../identity/policies/repository.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { Logins } from "../../login/logins.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { ClientPlace, OidcClient } from "../clients/client.ts";
import { toLoginData } from "../login/login-data.ts";
import {
  type AuthorizationFault,
  type AuthorizationRequest,
  findFault,
  findFaultInTarget,
  responseModeOf,
  toLocales,
  toAuthorizationRequest,
} from "../login/authorization-request.ts";
import { findAsked, homeOfClient } from "../pushed/find-asked.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { Parameters } from "../requests/form.ts";
import { toBrowserAnswer } from "../requests/response-mode.ts";
import { type AskedApis, findAskedApis } from "../tokens/asked-apis.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { isOrganizationActive } from "../tokens/requested-organization.ts";

/** What requests of applications are answered with. */
export interface AuthorizePorts {
  readonly context: Pick<FeatureContext, "database" | "keyring" | "clock">;
  readonly ownTokens: OwnTokens;
  readonly logins: Pick<Logins, "begin" | "answer">;
}

/**
 * Answers the request of an application that a user log in (RFC 6749 §3.1, OpenID Connect Core §3.1.2). Raises a page of an error
 * for as long as it is not known where to send the browser; from then on errors are sent there.
 */
export async function answerAuthorization(
  ports: AuthorizePorts,
  exchange: Exchange,
  { issuer, parameters: brought }: { readonly issuer: string; readonly parameters: Parameters },
): Promise<Reply> {
  const { database } = ports.context;
  const { client, parameters, use } = await findAsked(ports.context, brought, issuer);
  const redirectUri = requireTarget(parameters, client);
  const sendBack = async (fault: Fault): Promise<Reply> => {
    const error = {
      error: fault.code,
      error_description: fault.description,
      state: stateOf(parameters),
      iss: issuer, // RFC 9207 §2
    };
    const answer = toBrowserAnswer({ redirectUri, responseMode: responseModeOf(parameters) }, error);
    return await ports.logins.answer(exchange, answer, toLocales(parameters.values.get("ui_locales")));
  };
  if (client === undefined) throw new PageRefusal("unknown-application");
  if (use === undefined && mustPush(client.settings))
    return await sendBack({
      code: "invalid_request",
      description: "this application must push its requests to the pushed_authorization_request_endpoint",
    });
  const fault = findFault(parameters, client.settings);
  if (fault !== undefined) return await sendBack(fault);
  const request = toAuthorizationRequest(parameters, client.settings);
  if (!(await database.read((tx) => isOrganizationActive(tx, request.scopes.organizationId))))
    return await sendBack({
      code: "invalid_scope",
      description: "scope names an organization that is not active",
    });
  if (!(await database.read((tx) => mayAskToRegister(tx, request, client.place))))
    return await sendBack({
      code: "invalid_request",
      description: "prompt=create is not possible: the login policy lets nobody register",
    });
  const subject = await findSubject(ports.ownTokens, request, { issuer, clientId: client.id });
  if (subject === "invalid")
    return await sendBack({
      code: "invalid_request",
      description: "id_token_hint is no ID token for this client",
    });
  const subjects = await database.read((tx) => readSubjects(tx, client, { request, hinted: subject }));
  if (subjects?.length === 0)
    return await sendBack({ code: "login_required", description: "nobody is the user who is asked for" });
  const apis = await readApis(ports, client, { parameters, issuer });
  if (apis instanceof OAuthError)
    return await sendBack({ code: "invalid_target", description: apis.message });
  const asked = toLoginRequest(client, request, { redirectUri, subjects, apis });
  return await ports.logins.begin(exchange, issuer, asked, { use });
}

/** What is wrong with a request, or that no user can be the one that it asks for. */
type Fault = AuthorizationFault | { readonly code: "login_required"; readonly description: string };

/** Finds the APIs that the request names, or the refusal of one of them. */
async function readApis(
  { context: { database } }: AuthorizePorts,
  client: OidcClient,
  { parameters: { lists, values }, issuer }: { readonly parameters: Parameters; readonly issuer: string },
): Promise<AskedApis | OAuthError> {
  try {
    const asked = readAskedResources(lists.get("resource"), issuer);
    return await database.read((tx) => findAskedApis(tx, client, { asked, scope: values.get("scope") }));
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_target") return error;
    throw error;
  }
}

/** Returns where the browser is sent back to. Raises the page of an error. */
function requireTarget(parameters: Parameters, client: OidcClient | undefined): string {
  const isRegistered = client && ((uri: string) => isRedirectUriRegistered(client.settings, uri));
  const fault = findFaultInTarget(parameters, isRegistered);
  if (fault !== undefined) throw new PageRefusal(fault, { backUrl: homeOfClient(client) });
  if (client?.isActive === false) throw new PageRefusal("inactive-application");
  return parameters.values.get("redirect_uri") ?? "";
}

/** Initiating User Registration §3: an application asks for what the organization that logs in allows. */
async function mayAskToRegister(
  tx: ReadTransaction,
  { prompts, scopes }: AuthorizationRequest,
  place: ClientPlace | undefined,
): Promise<boolean> {
  if (!prompts.includes("create")) return true;
  if (place === undefined) return false; // nobody becomes somebody at the console
  return letsPeopleRegister(await readLoginPolicy(tx, toId(scopes.organizationId ?? place.organization.id)));
}

/** A state that was sent twice is none. */
function stateOf({ values, repeated }: Parameters): string | undefined {
  return repeated.has("state") ? undefined : values.get("state");
}

/** Reads the user whom the application expects to log in (OpenID Connect Core §3.1.2.1), whenever the hint has expired. */
async function findSubject(
  ownTokens: OwnTokens,
  { idTokenHint }: AuthorizationRequest,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
): Promise<string | undefined> {
  if (idTokenHint === undefined) return undefined;
  const claims = await ownTokens.verify(idTokenHint, { typ: "JWT", issuer, mayBeOfFormerKey: true });
  const { aud, sub } = claims ?? {};
  return aud === clientId && typeof sub === "string" ? sub : "invalid";
}

/** Returns the ids of the only users who may log in, by the hint and by the claims; undefined: any. */
async function readSubjects(
  tx: ReadTransaction,
  client: OidcClient,
  { request, hinted }: { readonly request: AuthorizationRequest; readonly hinted: string | undefined },
): Promise<readonly string[] | undefined> {
  const toIds = async (subjects: readonly string[]) =>
    await Promise.all(subjects.map((subject) => readUserIdOf(tx, client, subject)));
  const claimed = request.claims.subjects && (await toIds(request.claims.subjects));
  if (hinted === undefined) return claimed;
  const hint = await readUserIdOf(tx, client, hinted);
  return claimed === undefined || claimed.includes(hint) ? [hint] : [];
}

function toLoginRequest(
  client: OidcClient,
  request: AuthorizationRequest,
  {
    redirectUri,
    subjects,
    apis,
  }: {
    readonly redirectUri: string;
    readonly subjects: readonly string[] | undefined;
    readonly apis: AskedApis;
  },
): LoginRequest {
  const { organizationId, identityProviderId } = request.scopes;
  const granted = [...new Set([...request.scopes.granted, ...apis.scopes])];
  const { responseMode, state, nonce, codeChallenge, jkt, claims } = request;
  const data = { redirectUri, responseMode, state, nonce, codeChallenge, jkt, scopes: granted };
  return {
    protocol: "oidc",
    applicationId: client.id,
    organizationId: organizationId === undefined ? undefined : toId(organizationId),
    identityProviderId,
    prompts: request.prompts,
    maxAgeSeconds: request.maxAgeSeconds,
    loginHint: request.loginHint,
    uiLocales: request.uiLocales,
    wantsMfa: request.wantsMfa,
    scopes: [...new Set([...granted, ...claims.scopes])],
    resources: apis.resources,
    subject: subjects?.length === 1 ? subjects[0] : undefined,
    data: toLoginData({ ...data, claims: claims.claims, subjects, requiresMfa: claims.mfa === "required" }),
  };
}
