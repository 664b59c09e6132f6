import type { JsonObject } from "@bufbuild/protobuf";
import { createPageBrowser, type PageBrowser } from "../../../sites/login/support/browser.ts";
import { createHttpClient } from "../../../support/http-client.ts";
import type { JsonApi } from "./json-api.ts";

/** An application that people have logged in to. */
export interface FrozenClient {
  readonly clientId: string;
  readonly secret: string;
  readonly projectId: string;
}

/** What applications have got of logins, under names that say how; the values are secrets of the fixture. */
export interface FrozenLogins {
  readonly clients: Readonly<Record<string, FrozenClient>>;
  readonly given: Readonly<Record<string, FrozenGift>>;
  /** A code that nobody has redeemed. */
  readonly code: { readonly client: string; readonly value: string };
  readonly userId: string;
  /** The session of the browser: the header `cookie`. */
  readonly cookie: string;
}

/** What one login has given. */
export interface FrozenGift {
  readonly client: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const frozenRedirectUri = "https://app.example/callback";
export const frozenPassword = "a password of the fixture";

function idOf(answer: JsonObject, field: string): string {
  return textOf(answer[field]);
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new Error("a text is missing");
  return value;
}

/** Logs somebody in to applications of two organizations, in all ways that decide whether a page asks. */
export async function playLogins(api: JsonApi, url: string): Promise<FrozenLogins> {
  const call = async (
    organizationId: string | undefined,
    rpc: string,
    request: JsonObject,
  ): Promise<JsonObject> => {
    const scope = organizationId === undefined ? {} : { organizationId };
    const answer = await api.find({ rpc, request, ...scope });
    if (answer === undefined) throw new Error(`${rpc} is unknown`);
    return answer;
  };
  const addOrganization = async (name: string) =>
    idOf(await call(undefined, "OrganizationService/AddOrganization", { name }), "organizationId");
  const [home, elsewhere] = [await addOrganization("Home of logins"), await addOrganization("Elsewhere")];
  const addProject = async (owner: string, name: string) => {
    const projectId = idOf(await call(owner, "ProjectService/AddProject", { name }), "id");
    const role = { projectId, roleKey: "reader", displayName: "Reader" };
    await call(owner, "ProjectService/AddProjectRole", role);
    return projectId;
  };
  const addClient = async (owner: string, name: string): Promise<FrozenClient> => {
    const projectId = await addProject(owner, name);
    const made = await call(owner, "ApplicationService/CreateOidcApplication", {
      projectId,
      name,
      redirectUris: [frozenRedirectUri],
      grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
      authMethodType: "OIDC_AUTH_METHOD_TYPE_POST",
    });
    return { clientId: idOf(made, "clientId"), secret: idOf(made, "clientSecret"), projectId };
  };
  const grantTo = async (projectId: string) => {
    const grant = { projectId, grantedOrganizationId: home, roleKeys: ["reader"] };
    return idOf(await call(elsewhere, "ProjectService/AddProjectGrant", grant), "grantId");
  };
  const clients = {
    own: await addClient(home, "Own"),
    sister: await addClient(home, "Sister"),
    confirmed: await addClient(elsewhere, "Confirmed"),
    granted: await addClient(elsewhere, "Granted"),
    connected: await addClient(elsewhere, "Connected"),
  };
  const person = { givenName: "Ada", familyName: "Lovelace" };
  const email = { email: "login@example.com", username: "login" };
  const userId = idOf(await call(home, "UserService/AddHumanUser", { ...person, ...email }), "userId");
  await call(home, "UserService/SetPassword", { userId, password: frozenPassword });
  await grantTo(clients.granted.projectId);
  const { projectId } = clients.connected;
  const projectGrantId = await grantTo(projectId);
  const userGrant = { userId, projectId, projectGrantId, roleKeys: ["reader"] };
  await call(home, "UserGrantService/AddUserGrant", userGrant);
  await makeClosedPolicy(call);
  const issuer = `http://localhost:${new URL(url).port}`;
  const browser = createPageBrowser(url, issuer);
  const audience = (client: FrozenClient) => ` urn:zitadel:iam:org:project:id:${client.projectId}:aud`;
  const give = async (name: keyof typeof clients, more = "") => {
    const scope = `openid offline_access${more}`;
    const code = await getFrozenCode(browser, clients[name], scope);
    const { json } = await askFrozen(url, "token", clients[name], {
      grant_type: "authorization_code",
      code,
      redirect_uri: frozenRedirectUri,
    });
    return {
      client: name,
      accessToken: textOf(json["access_token"]),
      refreshToken: textOf(json["refresh_token"]),
    };
  };
  const given = {
    "at home": await give("own"),
    "at home, for a project of the organization": await give("own", audience(clients.sister)),
    "at home, for a project of another organization": await give("own", audience(clients.confirmed)),
    "elsewhere, after a page": await give("confirmed"),
    "elsewhere, by a project grant": await give("granted"),
    "elsewhere, by a grant of the user's organization": await give("connected"),
  };
  const code = { client: "confirmed", value: await getFrozenCode(browser, clients.confirmed, "openid") };
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  browser.close();
  return { clients, given, code, userId, cookie };
}

/** An organization whose own policy lets nobody in, with somebody who holds a role on the instance. */
async function makeClosedPolicy(
  call: (organizationId: string | undefined, rpc: string, request: JsonObject) => Promise<JsonObject>,
): Promise<void> {
  const added = await call(undefined, "OrganizationService/AddOrganization", { name: "Closed" });
  const closed = idOf(added, "organizationId");
  const owner = { username: "owner", givenName: "Grace", familyName: "Hopper", email: "owner@example.com" };
  const userId = idOf(await call(closed, "UserService/AddHumanUser", owner), "userId");
  await call(closed, "UserService/SetPassword", { userId, password: frozenPassword });
  await call(undefined, "MembershipService/AddMembership", {
    userId,
    instance: true,
    roles: ["INSTANCE_OWNER"],
  });
  await call(closed, "LoginPolicyService/UpdateLoginPolicy", {
    allowPassword: false,
    allowPasskeys: false,
    allowExternalIdps: true,
    maxPasswordAttempts: 1,
  });
}

/** Asks for a code as the application, on all pages that there are. */
async function getFrozenCode(browser: PageBrowser, client: FrozenClient, scope: string): Promise<string> {
  const asked = { client_id: client.clientId, redirect_uri: frozenRedirectUri, response_type: "code", scope };
  let page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`);
  for (let step = 0; step < 4 && page.location === undefined; step++)
    page = await page.submit({ username: "login", password: frozenPassword, choice: "continue" });
  const code = new URL(page.location ?? "about:blank").searchParams.get("code");
  if (code === null) throw new Error(`no code: ${page.status} ${page.location ?? page.text}`);
  return code;
}

/** Sends a form of the application to an endpoint of OAuth. */
export async function askFrozen(
  url: string,
  endpoint: "token" | "introspect",
  { clientId, secret }: FrozenClient,
  form: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const http = createHttpClient(url);
  try {
    const { status, text } = await http.send({
      method: "POST",
      path: `/oauth/v2/${endpoint}`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        host: `localhost:${new URL(url).port}`,
      },
      body: new URLSearchParams({ ...form, client_id: clientId, client_secret: secret }).toString(),
    });
    return { status, json: JSON.parse(text) as Readonly<Record<string, unknown>> };
  } finally {
    http.close();
  }
}
