import { permissionNames, roleHolds, type RoleName } from "../../api/support/tenancy-roles.ts";
import { type Finding, type Layout, toScope } from "./findings.ts";
import type { World } from "./world.ts";

/** What was given to users so far, by memberships and grants. */
export type Given = ReadonlyMap<string, Finding>;

/** Reads it. */
export async function readGiven({ ground, things }: World, layout: Layout): Promise<Given> {
  const { raw } = ground.service.place;
  const members = await raw.peek<Record<string, string>>(
    `SELECT CAST(id AS TEXT) AS id, CAST(user_id AS TEXT) AS user_id, scope_kind, CAST(scope_id AS TEXT) AS scope_id, roles
       FROM held_memberships`,
  );
  const grants = await raw.peek<Record<string, string>>(
    `SELECT CAST(g.id AS TEXT) AS id, CAST(g.user_id AS TEXT) AS user_id, CAST(g.project_id AS TEXT) AS project_id, k.value AS role_key
       FROM (SELECT id, user_id, project_id, project_grant_id, role_keys, state FROM stored_user_grants
         UNION ALL
         SELECT h.id, m.user_id, h.project_id, h.project_grant_id, h.role_keys, h.state FROM stored_group_grants h
           JOIN nested_groups n ON n.outer_id = h.group_id JOIN group_members m ON m.group_id = n.inner_id) g,
         json_each(g.role_keys) k
       JOIN stored_projects p ON p.id = g.project_id AND p.state = 'ACTIVE'
       LEFT JOIN stored_project_grants pg ON pg.id = g.project_grant_id
       WHERE g.state = 'ACTIVE' AND (g.project_grant_id IS NULL OR g.project_grant_id = '' OR pg.state = 'ACTIVE')`,
  );
  const nameOf = (id = "") => things.find(({ ids }) => ids["userId"] === id)?.name ?? `the user ${id}`;
  const found = new Map<string, Finding>();
  for (const { id, user_id: user, scope_kind: kind = "", scope_id: on = "", roles = "[]" } of members) {
    const scope = toScope(layout, kind, on);
    for (const role of JSON.parse(roles) as readonly string[])
      for (const permission of permissionsOf(role))
        found.set(`${id} ${user} ${permission}`, { kind: "gives", permission, scope, to: nameOf(user) });
  }
  for (const { user_id: user = "", project_id: projectId = "", role_key: roleKey = "" } of grants)
    found.set(`${user} ${projectId} ${roleKey}`, { kind: "grants", projectId, roleKey, to: nameOf(user) });
  return found;
}

function permissionsOf(role: string): readonly string[] {
  return permissionNames.filter((name) => roleHolds(role as RoleName, name)); // as stored
}
