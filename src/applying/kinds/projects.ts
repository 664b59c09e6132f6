import { ProjectSchema } from "../../../gen/gatehouse/v1/project_pb.ts";
import { ProjectGrantSchema } from "../../../gen/gatehouse/v1/project_grant_pb.ts";
import { RoleSchema } from "../../../gen/gatehouse/v1/project_role_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import { applicationKinds, claimMappingsOf } from "./applications.ts";
import { membershipsOn } from "./memberships.ts";
import { metadataOf } from "./metadata.ts";
import type { ObjectKind } from "./object-kind.ts";
import { toStored, withSettings } from "./stored.ts";

const roles: ObjectKind = {
  key: "roles",
  noun: "role",
  form: "list",
  names: ["role_key"],
  add: "addProjectRole",
  updates: ["updateProjectRole"],
  remove: "removeProjectRole",
  path: { project_id: "projects" },
  order: 30,
  children: [],
  async read(reader, { organizationId, ids: { projects: projectId = "" } }) {
    const service = reader.in(organizationId, ProjectService);
    const all = await collect(listAll(service.listProjectRoles, { projectId }));
    return all.map((role) => {
      const stored = toStored(RoleSchema, role);
      return withSettings(stored, { ...stored.settings, role_key: role.key });
    });
  },
};

const grants: ObjectKind = {
  key: "grants",
  noun: "project grant",
  form: "list",
  names: ["granted_organization_id"],
  own: "grant_id",
  add: "addProjectGrant",
  updates: ["updateProjectGrant"],
  remove: "removeProjectGrant",
  switches: { deactivate: "deactivateProjectGrant", reactivate: "reactivateProjectGrant" },
  path: { project_id: "projects" },
  order: 50,
  target: "projectGrant",
  children: [membershipsOn("project_grant_id", "grants")],
  async read(reader, { organizationId, ids: { projects: projectId = "" } }) {
    const service = reader.in(organizationId, ProjectService);
    const all = await collect(listAll(service.listProjectGrants, { projectId }));
    return all.map((grant) => toStored(ProjectGrantSchema, grant));
  },
};

/** The projects of an organization, with all that belongs to them. */
export const projectKind: ObjectKind = {
  key: "projects",
  noun: "project",
  form: "list",
  names: ["name"],
  isFolded: true,
  own: "id",
  add: "addProject",
  updates: ["updateProject"],
  remove: "removeProject",
  switches: { deactivate: "deactivateProject", reactivate: "reactivateProject" },
  order: 20,
  target: "project",
  children: [
    roles,
    ...applicationKinds,
    grants,
    claimMappingsOf("Project", "projects"),
    metadataOf("Project", { project_id: "projects" }),
    membershipsOn("project_id", "projects"),
  ],
  async read(reader, { organizationId }) {
    const service = reader.in(organizationId, ProjectService);
    const all = await reader.once(`projects ${organizationId}`, () =>
      collect(listAll(service.listProjects, {})),
    );
    return all.map((project) => toStored(ProjectSchema, project));
  },
};
