import { unindexed } from "../../kernel/base/sql.ts";
import type { TakenAlong } from "../../kernel/events/event.ts";
import {
  groupsOfOrganization,
  projectsOfOrganization,
  usersOfOrganization,
} from "../../kernel/events/taken-along.ts";

/** The memberships that go with another object. */
export const takenMemberships: TakenAlong = {
  "user.removed": [{ type: "membership", rows: ["SELECT 1 FROM memberships WHERE user_id = :id"] }],
  "group.removed": [{ type: "membership", rows: ["SELECT 1 FROM memberships WHERE group_id = :id"] }],
  "project.removed": [
    {
      type: "membership",
      rows: ["SELECT 1 FROM memberships WHERE scope_kind = 'project' AND scope_id = :id"],
      ofEach: [
        {
          parents: {
            ids: "SELECT id FROM project_grants WHERE project_id = :id ORDER BY creation_date, id",
          },
          rows: "SELECT 1 FROM memberships WHERE scope_kind = 'project-grant' AND scope_id IN :ids",
        },
      ],
    },
  ],
  "project_grant.removed": [
    {
      type: "membership",
      rows: ["SELECT 1 FROM memberships WHERE scope_kind = 'project-grant' AND scope_id = :id"],
    },
  ],
  // Its own, those of its users and groups elsewhere, and those of others on the project grants that it has made.
  "organization.removed": [
    {
      type: "membership",
      rows: ["SELECT 1 FROM memberships WHERE resource_owner = :id"],
      ofEach: [
        {
          parents: usersOfOrganization,
          rows: `SELECT 1 FROM memberships WHERE user_id IN :ids AND ${unindexed("resource_owner")} <> :id`,
        },
        {
          parents: groupsOfOrganization,
          rows: `SELECT 1 FROM memberships WHERE group_id IN :ids AND ${unindexed("resource_owner")} <> :id`,
        },
        {
          parents: {
            of: projectsOfOrganization,
            ids: "SELECT id FROM project_grants WHERE project_id IN :ids",
          },
          rows: `SELECT 1 FROM memberships m LEFT JOIN users u ON u.id = m.user_id LEFT JOIN groups h ON h.id = m.group_id
             WHERE COALESCE(u.resource_owner, h.resource_owner) <> :id AND m.scope_kind = 'project-grant' AND m.scope_id IN :ids AND ${unindexed("m.resource_owner")} <> :id`,
        },
      ],
    },
  ],
};
