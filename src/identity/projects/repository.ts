import { defineColumns, flag, text } from "../../kernel/base/columns.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import { type OrganizationId, type ProjectId, toId } from "../../kernel/base/ids.ts";
import { defineList } from "../../kernel/base/list.ts";
import { type Access, mayAccessProject } from "../../kernel/base/permission.ts";
import { equals, insertSql, joinTable, unindexed, updateSql } from "../../kernel/base/sql.ts";
import { hasName, isNameTaken, toUniqueName } from "../../kernel/base/names/unique-name.ts";
import type { ProjectSettingsPayload } from "../../kernel/events/payloads.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { projectsOfOrganization } from "../../kernel/events/taken-along.ts";
import { type Project, projectNotFound, type ProjectSettings } from "./project.ts";
import { projectGrantAppliers, removeProjectGrants } from "./project-grant-repository.ts";
import { roleAppliers } from "./role-repository.ts";

const settings = defineColumns<ProjectSettings, ProjectSettingsPayload>({
  name: text("name"),
  projectRoleAssertion: flag("project_role_assertion"),
  projectRoleCheck: flag("project_role_check"),
  hasProjectCheck: flag("has_project_check"),
  privateLabelingSetting: text("private_labeling_setting"),
});

const columns = ["id", "state", ...detailsColumns, ...settings.names];

const written = [...settings.names, "folded_name", "sequence"];
const insertProject = insertSql("stored_projects", [
  ...written,
  "id",
  "creation_date",
  "resource_owner",
  "state",
]);
const updateSettings = updateSql("stored_projects", written);
const updateState = updateSql("stored_projects", ["state", "sequence"]);

/** The projection of projects, their roles and their grants. */
export const projectProjection: Projection = {
  tables: ["stored_projects", "project_roles", "stored_project_grants", "project_grant_roles"],
  on: {
    "project.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(insertProject, [...toWritten(payload, date), aggregateId, date, resourceOwner, "ACTIVE"]);
    },
    "project.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateSettings, [...toWritten(payload, date), aggregateId]);
    },
    "project.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "project.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    "project.removed": async (tx, { aggregateId }) => {
      await removeProject(tx, aggregateId);
    },
    ...roleAppliers,
    ...projectGrantAppliers,
  },
  owned: [
    {
      ids: "SELECT id FROM stored_project_grants WHERE granted_organization_id = ?",
      removal: "project_grant.removed",
    },
    { ids: "SELECT id FROM stored_projects WHERE resource_owner = ?", removal: "project.removed" },
  ],
  takenAlong: {
    "project.removed": [
      { type: "project.role", rows: ["SELECT 1 FROM project_roles WHERE project_id = :id"] },
      { type: "project_grant", rows: ["SELECT 1 FROM project_grants WHERE project_id = :id"] },
    ],
    "organization.removed": [
      { type: "project", rows: ["SELECT 1 FROM projects WHERE resource_owner = :id"] },
      {
        type: "project.role",
        ofEach: [
          { parents: projectsOfOrganization, rows: "SELECT 1 FROM project_roles WHERE project_id IN :ids" },
        ],
      },
      {
        type: "project_grant",
        rows: [
          `SELECT 1 FROM project_grants WHERE granted_organization_id = :id AND ${unindexed("resource_owner")} <> :id`,
        ],
        ofEach: [
          { parents: projectsOfOrganization, rows: "SELECT 1 FROM project_grants WHERE project_id IN :ids" },
        ],
      },
    ],
  },
};

const selectProject = `SELECT ${columns.join(", ")} FROM projects WHERE id = ? AND resource_owner = ?`;

/** A project in a statement that reads other tables, too: its table must be called `project` there. */
export const joinedProject = joinTable("project", columns, toProject);

/** Returns the project of that organization, or undefined. */
export async function findProject(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Project | undefined> {
  const row = await tx.get<ProjectRow>(selectProject, [id, organizationId]);
  return row === undefined ? undefined : toProject(row);
}

/**
 * Returns the project if it belongs to the organization that the call acts on and the caller may reach it. Raises
 * NOT_FOUND.
 */
export async function getProject(tx: ReadTransaction, access: Access, id: string): Promise<Project> {
  const project = await findProject(tx, access.organizationId, id);
  if (project === undefined || !mayAccessProject(access, id)) throw projectNotFound(id);
  return project;
}

/** Returns the organization that owns the project, or undefined when there is no such project. */
export async function findProjectOwner(tx: ReadTransaction, id: string): Promise<OrganizationId | undefined> {
  const row = await tx.get<{ resource_owner: string }>("SELECT resource_owner FROM projects WHERE id = ?", [
    id,
  ]);
  return row === undefined ? undefined : toId(row.resource_owner);
}

/** Says whether a project of the organization, other than `kept`, has a name that counts as the same. */
export async function isProjectNameTaken(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  name: string,
  kept?: Project,
): Promise<boolean> {
  const within = equals("resource_owner", organizationId);
  return await isNameTaken(tx, { from: "projects", column: "folded_name", within, name, kept });
}

/** Filters of a list of projects. */
export interface ProjectFilter {
  /** Compared like unique names. */
  readonly name?: string;
  readonly state?: Project["state"] | undefined;
}

/** The projects of an organization. */
export const projectList = defineList<ProjectFilter, ProjectRow, Project>({
  name: "ListProjects",
  from: "projects",
  of: "resource_owner",
  columns,
  filters: {
    name: { column: "folded_name", toCondition: hasName, leaves: "one" },
    state: { column: "state" },
  },
  toItems: (rows) => rows.map(toProject),
});

interface ProjectRow extends DetailsRow {
  readonly id: ProjectId;
  readonly state: Project["state"];
}

function toProject(row: ProjectRow): Project {
  return { id: row.id, details: toDetails(row), state: row.state, ...settings.fromRow(row) };
}

async function removeProject(tx: WriteTransaction, id: string): Promise<void> {
  await removeProjectGrants(tx, "project_id = ?", id);
  await tx.run("DELETE FROM project_roles WHERE project_id = ?", [id]);
  await tx.run("DELETE FROM stored_projects WHERE id = ?", [id]);
}

function toWritten(payload: ProjectSettingsPayload, date: number) {
  return [...settings.toValues(payload), toUniqueName(payload.name), date];
}
