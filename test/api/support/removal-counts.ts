import type { Dump, Row } from "../../process/support/tables.ts";

/** How many objects there are of each type, sorted by type. */
export type Counts = readonly (readonly [type: string, count: number])[];

/** The type of the object that a row holds, and what tells it from others; undefined: no caller can list it. */
const objectOf: Readonly<Record<string, (row: Row, nowMs: number) => string | undefined>> = {
  stored_organizations: () => "organization",
  stored_users: () => "user",
  second_factors: ({ type }) =>
    type === "TOTP" ? "user.totp" : type === "U2F" ? "user.u2f" : "user.code_factor",
  passkeys: () => "user.passkey",
  idp_links: () => "user.idp_link",
  credentials: ({ kind }) => (kind === "secret" || kind === "target" ? undefined : `user.${String(kind)}`),
  identity_providers: () => "identity_provider",
  stored_projects: () => "project",
  project_roles: () => "project.role",
  stored_project_grants: () => "project_grant",
  stored_user_grants: () => "user_grant",
  stored_groups: () => "group",
  group_members: () => "group.member",
  subgroups: () => "group.member",
  stored_group_grants: () => "group_grant",
  stored_memberships: () => "membership",
  stored_applications: () => "application",
  application_keys: () => "application.key",
  sessions: () => "session",
  authorizations: (row, nowMs) =>
    Number(row["has_refresh"]) === 1 && Number(row["is_ended"]) === 0 && Number(row["expiration_ms"]) > nowMs
      ? "authorization"
      : undefined,
  label_policies: () => "label_policy",
  custom_texts: () => "custom_texts",
  login_policies: () => "login_policy",
  login_policy_idps: () => "login_policy.idp",
  signing_keys: () => "signing_key",
  targets: () => "target",
  hooks: () => "hook",
};

/** The tables whose rows are objects that callers can list. */
export const tablesOfObjects: readonly string[] = Object.keys(objectOf);

/** The other tables of projections: their rows are parts of objects, or nothing that an rpc lists. */
export const tablesOfParts: readonly string[] = [
  "recovery_codes",
  "project_grant_roles",
  "user_grant_roles",
  "left_out_roles",
  "nested_groups",
  "right_events",
  "external_client_settings",
  "session_links",
  "confirmations",
  "session_applications",
  "former_signing_keys",
  "saml_keys",
  "organization_words",
  "user_words",
  "project_words",
  "application_words",
  "group_words",
  "imported_ids",
  "metadata",
];

/** The columns that tell rows of the same table apart: those of them that it has. */
const keys = ["id", "project_id", "role_key", "policy_id", "idp_id", "user_id", "group_id", "subgroup_id"];

/** Returns the objects that the tables hold, by a key, with their types. */
export function objectsIn(dump: Dump, nowMs: number): Map<string, string> {
  const objects = new Map<string, string>();
  for (const [table, typeOf] of Object.entries(objectOf))
    for (const row of dump[table] ?? []) {
      const type = typeOf(row, nowMs);
      if (type !== undefined) objects.set(JSON.stringify([table, ...keys.map((name) => row[name])]), type);
    }
  return objects;
}

/** Counts objects by type. */
export function countsOf(objects: ReadonlyMap<string, string>): Counts {
  const types = [...objects.values()];
  return [...new Set(types)].toSorted().map((type) => [type, types.filter((each) => each === type).length]);
}
