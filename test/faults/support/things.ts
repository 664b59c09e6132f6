import type Sqlite from "better-sqlite3";
import type { Caller, Json } from "./calls.ts";

export type Kind = "project" | "roles" | "user" | "grant" | "provider";

/** Something that a writer has made, and what they were told of it last. */
export interface Thing {
  readonly kind: Kind;
  /** Unknown while nobody has answered its creation. Roles have that of their project. */
  id: string | undefined;
  /** Found in its table by this, when it has no id. */
  readonly label: string;
  /** The user of a grant, the project of roles. */
  readonly parent: Thing | undefined;
  /** What reading it shows; undefined when it is not there. */
  now: string | undefined;
  /** Its sequence, if that is known. */
  sequence: number | undefined;
}

/** What the service shows of a thing. */
export interface Shown {
  readonly now: string | undefined;
  readonly sequence: number | undefined;
}

interface Reading {
  readonly method: string;
  readonly body: (thing: Thing) => object;
  readonly show: (json: Json, thing: Thing) => Shown;
  /** Finds the id by the label. */
  readonly sql: string;
}

const ofDetails = (now: string, details: Json): Shown => ({ now, sequence: Number(details.sequence) });

const readings: Readonly<Record<Kind, Reading>> = {
  project: {
    method: "ProjectService/GetProject",
    body: ({ id }) => ({ id }),
    show: ({ project }) => ofDetails(project.name, project.details),
    sql: "SELECT id FROM projects WHERE name = ?",
  },
  roles: {
    method: "ProjectService/ListProjectRoles",
    body: ({ parent }) => ({ projectId: parent?.id, pageSize: 1000 }),
    show({ projectRoles: roles = [] }, { label }) {
      const own = roles.map((role: Json) => role.key).filter((key: string) => key.startsWith(label));
      return { now: own.length === 0 ? undefined : own.toSorted().join(), sequence: undefined };
    },
    sql: "SELECT DISTINCT project_id FROM project_roles WHERE role_key = ? || '0'",
  },
  user: {
    method: "UserService/GetUser",
    body: ({ id }) => ({ userId: id }),
    show: ({ user }) => ofDetails(`${user.username} ${user.human.givenName}`, user.details),
    sql: "SELECT id FROM users WHERE username = ?",
  },
  grant: {
    method: "UserGrantService/GetUserGrant",
    body: ({ id, parent }) => ({ userId: parent?.id, grantId: id }),
    show: ({ userGrant }) => ofDetails(userGrant.roleKeys.toSorted().join(), userGrant.details),
    sql: "SELECT id FROM user_grants WHERE user_id || ' ' || project_id = ?",
  },
  provider: {
    method: "IdentityProviderService/GetIdentityProvider",
    body: ({ id }) => ({ idpId: id }),
    show: ({ identityProvider: { name, details } }) => ofDetails(name, details),
    sql: "SELECT id FROM identity_providers WHERE name = ?",
  },
};

/** Reads a thing through the service. Throws when the service answers neither with it nor with NOT_FOUND. */
export async function read(caller: Caller, thing: Thing): Promise<Shown> {
  const { method, body, show } = readings[thing.kind];
  if (thing.id === undefined) return { now: undefined, sequence: undefined };
  const ending = await caller.call(method, body(thing));
  if (ending.kind === "answer") return show(ending.json, thing);
  if (ending.kind === "refused" && ending.code === 5) return { now: undefined, sequence: undefined };
  throw new Error(`${method} ended with ${JSON.stringify(ending)}`);
}

/** Looks up the ids of things whose creation nobody has answered. */
export function findIds(database: Sqlite.Database, things: readonly Thing[]): void {
  for (const thing of things)
    thing.id ??= database.prepare<[string], string>(readings[thing.kind].sql).pluck().get(thing.label);
}
