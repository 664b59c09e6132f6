import type { ReadTransaction } from "../../base/database.ts";
import { type OrganizationId, toId } from "../../base/ids.ts";
import type { HeldRoles, Scope } from "../../base/permission.ts";
import type { EventPayloads } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
import { findProjectGrant } from "../projects/project-grant-repository.ts";
import { findProjectOwner } from "../projects/repository.ts";
import { type ScopeName, toRoles } from "./membership.ts";

export const membershipProjection: Projection = {
  tables: ["memberships"],
  on: {
    "membership.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const scope = toScopeName(payload);
      await tx.run(
        `INSERT INTO memberships (id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          aggregateId,
          date,
          date,
          resourceOwner,
          payload.user_id,
          scope.kind,
          scope.kind === "instance" ? "" : scope.id,
          JSON.stringify(payload.roles),
        ],
      );
    },
  },
};

/** Returns everything that the user holds, each scope with its organization as it is now. */
export async function listHeldRoles(tx: ReadTransaction, userId: string): Promise<readonly HeldRoles[]> {
  const rows = await tx.all<HeldRow>(
    `SELECT m.scope_kind, m.scope_id, m.roles, p.resource_owner AS owner_id, g.granted_organization_id AS grantee_id
     FROM memberships m
     LEFT JOIN projects p ON m.scope_kind = 'project' AND p.id = m.scope_id
     LEFT JOIN project_grants g ON m.scope_kind = 'project-grant' AND g.id = m.scope_id
     WHERE m.user_id = ?`,
    [userId],
  );
  return rows.flatMap((row) => {
    const scope = toScope(row);
    return scope === undefined ? [] : [{ scope, roles: toRoles(JSON.parse(row.roles) as string[]) }]; // written by the applier
  });
}

/** Says whether the user has a membership on that scope. */
export async function hasMembership(tx: ReadTransaction, userId: string, scope: ScopeName): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM memberships WHERE user_id = ? AND scope_kind = ? AND scope_id = ?",
    [userId, scope.kind, scope.kind === "instance" ? "" : scope.id],
  );
  return row !== undefined;
}

/** Counts the memberships of the user, on whatever, up to `limit`. */
export async function countMemberships(tx: ReadTransaction, userId: string, limit: number): Promise<number> {
  const row = await tx.get<{ total: number }>(
    "SELECT COUNT(*) AS total FROM (SELECT id FROM memberships WHERE user_id = ? LIMIT ?) AS counted",
    [userId, limit],
  );
  return row?.total ?? 0;
}

/** Looks up which organization a named scope belongs to; undefined when the project or project grant is absent. */
export async function findScope(tx: ReadTransaction, name: ScopeName): Promise<Scope | undefined> {
  switch (name.kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", organizationId: toId(name.id) };
    case "project": {
      const owner = await findProjectOwner(tx, name.id);
      return owner && { kind: "project", projectId: toId(name.id), organizationId: owner };
    }
    case "project-grant": {
      const grant = await findProjectGrant(tx, name.id);
      return (
        grant && {
          kind: "project-grant",
          projectGrantId: grant.id,
          organizationId: grant.grantedOrganizationId,
        }
      );
    }
  }
}

interface HeldRow {
  readonly scope_kind: Scope["kind"];
  readonly scope_id: string;
  readonly roles: string;
  readonly owner_id: OrganizationId | null;
  readonly grantee_id: OrganizationId | null;
}

function toScope(row: HeldRow): Scope | undefined {
  switch (row.scope_kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", organizationId: toId(row.scope_id) };
    case "project":
      return row.owner_id === null
        ? undefined
        : { kind: "project", projectId: toId(row.scope_id), organizationId: row.owner_id };
    case "project-grant":
      return row.grantee_id === null
        ? undefined
        : { kind: "project-grant", projectGrantId: toId(row.scope_id), organizationId: row.grantee_id };
  }
}

function toScopeName(payload: EventPayloads["membership.added"]): ScopeName {
  if (payload.organization_id !== undefined) return { kind: "organization", id: payload.organization_id };
  if (payload.project_id !== undefined) return { kind: "project", id: payload.project_id };
  if (payload.project_grant_id !== undefined) return { kind: "project-grant", id: payload.project_grant_id };
  return { kind: "instance" };
}
