import type { JsonObject } from "@bufbuild/protobuf";
import { decodeJwt } from "jose";
import { tokenExchange, tokenTypes } from "../../sites/oidc/support/exchange.ts";
import { authorizePath } from "../../sites/oidc/support/signed-in.ts";
import type { Finding } from "./findings.ts";
import type { Scene } from "./scene.ts";
import { apiScope, authenticate, ofUserScope, passesFor, reachOf, redeem, richScope } from "./tokens.ts";
import { isConnected } from "./victims.ts";
import { evilUri, type Victim, type World } from "./world.ts";

/** Tries the tokens of the actor, and the secrets and keys of service users. */
export async function useTokens({ world, purse, layout }: Scene): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [token, by] of purse.tokens) found.push(...(await reachOf(world, layout, token, by)));
  for (const userId of new Set([...purse.machines.keys(), ...purse.keys.keys()])) {
    const credentials = await authenticate(world, purse, userId);
    const form = { grant_type: "client_credentials", scope: richScope(world), ...credentials };
    const { access_token: token } = await world.ground.post("/oauth/v2/token", form);
    if (typeof token !== "string") continue;
    found.push(...(await reachOf(world, layout, token, "a service user")));
    const owner = await organizationOf(world, userId);
    found.push(
      ...(await passesFor(world, {
        token,
        who: `the service user ${userId}`,
        own: "",
        organizationId: owner,
      })),
    );
  }
  for (const [refresh, clientId] of purse.refreshes) {
    const { apps } = world;
    const { secret } = Object.values(apps).find((app) => app.clientId === clientId) ?? apps.desk;
    const form = { grant_type: "refresh_token", refresh_token: refresh, client_id: clientId };
    const answer = await world.ground.post("/oauth/v2/token", { ...form, client_secret: secret });
    const token = answer["access_token"];
    if (typeof token === "string") found.push(...(await reachOf(world, layout, token, "a refresh token")));
  }
  return found;
}

async function organizationOf({ ground }: World, userId: string): Promise<string> {
  const [user] = await ground.service.place.raw.peek<{ owner: string }>(
    "SELECT CAST(resource_owner AS TEXT) AS owner FROM stored_users WHERE CAST(id AS TEXT) = ?",
    [userId],
  );
  return user?.owner ?? "";
}

interface Receiver {
  readonly clientId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly redirectUri: string;
}

/** Opens a link in the browser of each victim, for each application whose codes come to the actor. */
export async function sendLinks(scene: Scene): Promise<readonly Finding[]> {
  const receivers = await listReceivers(scene);
  const found = await Promise.all(
    receivers.flatMap((receiver) =>
      scene.world.victims.flatMap((victim) =>
        linksFor(scene, receiver, victim).map((parameters) => sendLink(scene, receiver, victim, parameters)),
      ),
    ),
  );
  return found.flat();
}

async function listReceivers({ world, actor }: Scene): Promise<readonly Receiver[]> {
  const rows = await world.ground.service.place.raw.peek<Record<string, string>>(
    `SELECT CAST(id AS TEXT) AS id, CAST(project_id AS TEXT) AS project_id,
       CAST(resource_owner AS TEXT) AS resource_owner, settings FROM stored_applications WHERE kind = 'oidc'`,
  );
  const own = new Set([evilUri, ...actor.runs.map(({ redirectUri }) => redirectUri)]);
  return rows.flatMap((row) => {
    const { redirect_uris: uris } = JSON.parse(row["settings"] ?? "{}") as {
      redirect_uris?: readonly string[];
    };
    const redirectUri = uris?.find((uri) => own.has(uri));
    if (redirectUri === undefined) return [];
    const { id = "", project_id: projectId = "", resource_owner: organizationId = "" } = row;
    return [{ clientId: id, projectId, organizationId, redirectUri }];
  });
}

/**
 * What a link asks for: everything at once; our own API; and of users of other organizations everything without other projects, which
 * always have a page. Of somebody who was asked before also what may be taken for the same.
 */
function linksFor(
  { world }: Scene,
  receiver: Receiver,
  victim: Victim,
): readonly Readonly<Record<string, string>>[] {
  const all = [{ scope: richScope(world) }, { scope: `openid ${apiScope}` }];
  if (receiver.organizationId === world.organizations[victim.place]) return all;
  const plain = { scope: ofUserScope };
  if (!isConfirmed(world, receiver, victim)) return [...all, plain];
  const claims = { email: null, name: null, phone_number: null };
  const asClaims = { scope: "openid", claims: JSON.stringify({ userinfo: claims, id_token: claims }) };
  return [...all, plain, { scope: "openid" }, asClaims];
}

/** Anna was asked once whether she wants to use that application. */
function isConfirmed({ apps }: World, { clientId }: Receiver, { name }: Victim): boolean {
  return clientId === apps.game.clientId && name === "anna";
}

async function sendLink(
  scene: Scene,
  receiver: Receiver,
  victim: Victim,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const { world, purse, layout } = scene;
  const application = { ...receiver, secret: "" };
  const path = authorizePath(application, { ...parameters, prompt: "none" });
  const { headers } = await world.ground.send(path, { cookie: victim.cookie });
  const location = headers.get("location") ?? "";
  if (!location.startsWith(receiver.redirectUri)) return [];
  const code = new URL(location).searchParams.get("code");
  if (code === null) return [];
  const tokens = await redeem(world, await authenticate(world, purse, receiver.clientId), {
    code,
    redirectUri: receiver.redirectUri,
  });
  const token = tokens["access_token"];
  if (typeof token !== "string") return []; // a code that nobody can redeem is worth nothing
  const at = {
    app: receiver.clientId,
    isSameOrganization: receiver.organizationId === world.organizations[victim.place],
    isConnected: await isConnected(world, victim, receiver.projectId),
    isConfirmed: isConfirmed(world, receiver, victim),
  };
  const claims = at.isSameOrganization ? ["sub"] : await claimsOf(world, token, tokens); // it may learn them all
  const who = `${victim.name} by ${receiver.clientId}`;
  return [
    ...claims.map((what): Finding => ({ kind: "learns", what, of: victim.name, at })),
    ...(await passesFor(world, { token, who, own: receiver.projectId })),
    ...(await reachOf(world, layout, token, who)),
    ...(await exchangeToken(scene, token, who)),
  ];
}

/** Exchanges a token at every application of the actor, for all that there is. */
async function exchangeToken(
  { world, purse, layout }: Scene,
  subject: string,
  who: string,
): Promise<readonly Finding[]> {
  const form = {
    grant_type: tokenExchange,
    subject_token: subject,
    subject_token_type: `${tokenTypes}access_token`,
    scope: richScope(world),
  };
  const found: Finding[] = [];
  for (const clientId of purse.clients.keys()) {
    const credentials = await authenticate(world, purse, clientId);
    const { access_token: token } = await world.ground.post("/oauth/v2/token", { ...form, ...credentials });
    if (typeof token !== "string") continue;
    const own = Object.values(world.apps).find((app) => app.clientId === clientId)?.projectId ?? "";
    const by = `${who}, exchanged at ${clientId}`;
    found.push(
      ...(await passesFor(world, { token, who: by, own })),
      ...(await reachOf(world, layout, token, by)),
    );
  }
  return found;
}

/** Returns the names of the claims about a user that come with the tokens, and whether access lasts. */
async function claimsOf({ ground }: World, token: string, tokens: JsonObject): Promise<readonly string[]> {
  const { text } = await ground.send("/oidc/v1/userinfo", { authorization: `Bearer ${token}` });
  const told = text.startsWith("{") ? (JSON.parse(text) as object) : {};
  const idToken = typeof tokens["id_token"] === "string" ? decodeJwt(tokens["id_token"]) : {};
  const names = new Set([...Object.keys(told), ...Object.keys(idToken)]).difference(protocol);
  return [...names, ...(typeof tokens["refresh_token"] === "string" ? ["offline_access"] : [])];
}

/** Says nothing about the user. */
const protocol = new Set([
  "iss",
  "aud",
  "exp",
  "iat",
  "nonce",
  "at_hash",
  "auth_time",
  "amr",
  "acr",
  "sid",
  "azp",
  "jti",
]);

/** Says what of our own API a session leads to: the application that may call it takes everybody in. */
export async function useSession(
  { world, layout }: Scene,
  cookie: string,
  by: string,
): Promise<{ readonly found: readonly Finding[]; readonly token: string; readonly refresh: string }> {
  const { desk } = world.apps;
  const path = authorizePath(desk, { scope: `openid offline_access ${apiScope}`, prompt: "none" });
  const { headers } = await world.ground.send(path, { cookie });
  const code = new URL(headers.get("location") ?? "http://nowhere").searchParams.get("code");
  if (code === null) return { found: [], token: "", refresh: "" };
  const credentials = { client_id: desk.clientId, client_secret: desk.secret };
  const tokens = await redeem(world, credentials, { code, redirectUri: desk.redirectUri });
  const { access_token: token = "", refresh_token: refresh = "" } = tokens as Record<string, string>;
  return { found: token === "" ? [] : await reachOf(world, layout, token, by), token, refresh };
}
