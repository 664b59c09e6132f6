import type { JsonObject } from "@bufbuild/protobuf";
import type { Call } from "./calls.ts";
import type { Actor } from "./actors.ts";
import { mirrorSecret, type Thing } from "./world.ts";
import { evilPassword } from "./values.ts";

/** What the actor has in hand. */
export interface Purse {
  /** Tokens for our API, with where they come from. */
  readonly tokens: Map<string, string>;
  /** Secrets of applications, by client id. */
  readonly clients: Map<string, string>;
  /** Applications and service users that have a key of the actor. */
  readonly keys: Map<string, string>;
  /** Secrets of service users. */
  readonly machines: Map<string, string>;
  readonly passwords: Map<string, string>;
  /** Codes with which a new password may be set, by user. */
  readonly resets: Map<string, string>;
  /** Refresh tokens, with the client that they were given to. */
  readonly refreshes: Map<string, string>;
  /** Cookies of sessions, with how they were begun. */
  readonly sessions: Map<string, string>;
  /** The codes of authenticator apps that the actor has registered, by user. */
  readonly apps: Map<string, (atMs: number) => string>;
  /** Secrets that the actor has said, so that it is no news to hear them. */
  readonly said: Set<string>;
}

/** Returns what the actor begins with. */
export function openPurse(actor: Actor): Purse {
  return {
    tokens: new Map(actor.token === "" ? [] : [[actor.token, "their own token"]]),
    clients: new Map(actor.runs.map(({ clientId, secret }) => [clientId, secret])),
    keys: new Map(),
    machines: new Map(),
    passwords: new Map(),
    resets: new Map(),
    refreshes: new Map(),
    sessions: new Map(),
    apps: new Map(),
    said: new Set([mirrorSecret]),
  };
}

/** Puts in what a call has answered, and what it has made known. */
export function keepAnswer(purse: Purse, { method, body }: Call, answer: JsonObject): void {
  const userId = text(body, "userId");
  const token = text(answer, "token");
  if (token !== "") purse.tokens.set(token, `the answer of ${method.name}`);
  const secret = text(answer, "clientSecret");
  const clientId = text(answer, "clientId");
  if (secret !== "" && userId !== "") purse.machines.set(userId, secret);
  else if (secret !== "") purse.clients.set(clientId === "" ? text(body, "appId") : clientId, secret);
  const owner = userId === "" ? text(body, "appId") : userId;
  if (/^Add(?:ServiceUser|Application)Key$/.test(method.name))
    purse.keys.set(owner, text(answer, "keyId") || text(answer, "id"));
  for (const [, said = ""] of JSON.stringify(body).matchAll(/"clientSecret":"([^"]*)"/g))
    purse.said.add(said);
  if (method.name === "SetPassword") purse.passwords.set(userId, evilPassword);
  if (method.name === "RequestPasswordReset") purse.resets.set(userId, text(answer, "verificationCode"));
}

function text(from: JsonObject, name: string): string {
  const value = from[name];
  return typeof value === "string" ? value : "";
}

/** Returns the object that a call has made, for later calls. */
export function madeBy({ method, body, organizationId }: Call, answer: JsonObject): Thing | undefined {
  const made: Readonly<Record<string, readonly [kind: string, id: string, as: string]>> = {
    CreateOidcApplication: ["oidc", "appId", "appId"],
    CreateApiApplication: ["api", "appId", "appId"],
    AddProject: ["project", "id", "id"],
    AddProjectGrant: ["projectGrant", "grantId", "grantId"],
    CreateIdentityProvider: ["provider", "idpId", "idpId"],
    AddOidcIdentityProvider: ["provider", "idpId", "idpId"],
    AddJwtIdentityProvider: ["provider", "idpId", "idpId"],
    AddHumanUser: ["human", "userId", "userId"],
    AddServiceUser: ["service", "userId", "userId"],
    AddUserGrant: ["userGrant", "userGrantId", "grantId"],
    AddMembership: ["membership", "membershipId", "membershipId"],
    AddGroup: ["group", "id", "groupId"],
    AddGroupGrant: ["groupGrant", "groupGrantId", "grantId"],
    AddApplicationKey: ["applicationKey", "id", "keyId"],
    AddServiceUserKey: ["serviceKey", "keyId", "keyId"],
    AddPersonalAccessToken: ["token", "tokenId", "tokenId"],
  };
  if (method.name === "AddIdpLink") {
    const { userId, idpId, externalUserId } = body as Record<string, string>; // as drawn
    const ids = { userId: userId ?? "", idpId: idpId ?? "", externalUserId: externalUserId ?? "" };
    return { name: "the new link", kind: "link", organizationId, ids };
  }
  if (method.name === "AddProjectRole") {
    const { projectId, roleKey } = body as Record<string, string>; // as drawn
    const ids = { projectId: projectId ?? "", roleKey: roleKey ?? "" };
    return { name: "the new role", kind: "role", organizationId, ids };
  }
  const [kind, id, as] = made[method.name] ?? [];
  if (kind === undefined || id === undefined || as === undefined) return undefined;
  const value = text(answer, id);
  // The id of the object itself comes last.
  const ids: Record<string, string> = {};
  for (const name of ["projectId", "userId", "groupId", "appId"]) {
    const outer = body[name];
    if (typeof outer === "string" && !(kind === "userGrant" && name === "projectId")) ids[name] = outer;
  }
  if (kind === "project") ids["projectId"] = value;
  if (kind === "group") ids["id"] = value;
  ids[as] = value;
  return { name: `the new ${kind}`, kind, organizationId, ids };
}
