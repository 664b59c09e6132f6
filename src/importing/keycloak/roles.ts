import type { JsonFields } from "../json-members.ts";
import { objectIn, objectsIn, textIn, textsIn, toObject } from "../json-fields.ts";

/** Clients that every realm has for Keycloak itself. */
export const builtInClients: ReadonlySet<string> = new Set([
  "account",
  "account-console",
  "admin-cli",
  "broker",
  "realm-management",
  "security-admin-console",
]);

/** A role of a realm, or of one of its clients. */
export interface RealmRole {
  /** The key that it gets: the name, for a role of a client after the client and a colon. */
  readonly key: string;
  readonly description: string;
  /** The keys of the roles that a composite role has in it, at one level. */
  readonly parts: readonly string[];
}

/** The roles of a realm that come along. */
export interface RealmRoles {
  readonly list: readonly RealmRole[];
  /** Returns a role and all roles in it, at all levels; undefined for a role of Keycloak itself. */
  expand(key: string): readonly string[] | undefined;
}

/** Names a role of a client. */
function keyOfClientRole(clientId: string, name: string): string {
  return `${clientId}:${name}`;
}

/** Reads the roles of a realm, without those that Keycloak makes for itself. */
export function readRoles(realm: JsonFields): RealmRoles {
  const roles = objectIn(realm, "roles");
  const ofClients = Object.entries(objectIn(roles, "client")).filter(
    ([client]) => !builtInClients.has(client),
  );
  const list = [
    ...objectsIn(roles, "realm")
      .filter((role) => !isBuiltIn(textIn(role, "name"), realm))
      .map((role) => toRole(role, textIn(role, "name"))),
    ...ofClients.flatMap(([client]) =>
      objectsIn(objectIn(roles, "client"), client).map((role) =>
        toRole(role, keyOfClientRole(client, textIn(role, "name"))),
      ),
    ),
  ];
  const byKey = new Map(list.map((role) => [role.key, role]));
  const expand = (key: string) => {
    if (!byKey.has(key)) return undefined;
    const found = new Set<string>();
    const open = [key];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next) || !byKey.has(next)) continue;
      found.add(next);
      open.push(...(byKey.get(next)?.parts ?? []));
    }
    return [...found];
  };
  return { list, expand };
}

function isBuiltIn(name: string, realm: JsonFields): boolean {
  return [
    "offline_access",
    "uma_authorization",
    `default-roles-${textIn(realm, "realm").toLowerCase()}`,
  ].includes(name);
}

function toRole(role: JsonFields, key: string): RealmRole {
  const composites = objectIn(role, "composites");
  const ofClients = Object.entries(objectIn(composites, "client")).flatMap(([client]) =>
    textsIn(objectIn(composites, "client"), client).map((name) => keyOfClientRole(client, name)),
  );
  return {
    key,
    description: textIn(role, "description"),
    parts: [...textsIn(composites, "realm"), ...ofClients],
  };
}

/** Lists the keys of the roles that a user or a group has: `realmRoles` and `clientRoles` of it. */
export function keysOf(holder: JsonFields): readonly string[] {
  const clients = toObject(holder["clientRoles"]) ?? {};
  return [
    ...textsIn(holder, "realmRoles"),
    ...Object.keys(clients).flatMap((client) =>
      textsIn(clients, client).map((name) => keyOfClientRole(client, name)),
    ),
  ];
}
