import type { Guard } from "./guards.ts";

const grants = "src/identity/user-grants/user-grant.ts";
const projects = "test/api/tenancy-projects.sized.test.ts";
const lists = "test/api/tenancy-lists.test.ts";
const lastOwner = "test/api/tenancy-last-owner.test.ts";

/** What the matrix of callers and objects alone sees, over the wire. */
export const tenancyGuards: readonly Guard[] = [
  {
    name: "tenancy: a project grant is for whom has a role on it",
    file: "src/identity/projects/project-grant.ts",
    change: ["mayAccessProjectGrant(access, view.grant.id)", "true"],
    in: projects,
    test: "every object GetProjectGrant answers",
  },
  {
    name: "tenancy: a project grant is one of its project, over the wire",
    file: "src/identity/projects/project-grant.ts",
    change: [
      "if (grant?.projectId !== projectId || grant.id !== grantId) throw",
      "if (grant === undefined) throw",
    ],
    in: projects,
    test: "every object UpdateProjectGrant answers",
  },
  {
    name: "tenancy: a user grant is for whom its project is open",
    file: "src/identity/user-grants/repository.ts",
    change: ["if (found === undefined || !mayAccessUserGrant(access, found)) throw", "if (!found) throw"],
    in: projects,
    test: "every object RemoveUserGrant answers",
  },
  {
    name: "tenancy: several user grants are for whom their projects are open",
    file: grants,
    change: ["if (grant === undefined || !mayAccessUserGrant(access, grant)) throw", "if (!grant) throw"],
    in: projects,
    test: "every object BulkRemoveUserGrants answers",
  },
  {
    name: "tenancy: a user grant is given for a project that is open",
    file: grants,
    change: [" && mayAccessProject(access, source.projectId)) {", ") {"],
    in: projects,
    test: "every object AddUserGrant answers",
  },
  {
    name: "tenancy: a user grant is given by way of a project grant that is open",
    file: grants,
    change: [" && mayAccessProjectGrant(access, source.grant.id)) {", ") {"],
    in: projects,
    test: "every object AddUserGrant answers",
  },
  {
    name: "tenancy: granted projects are listed to whom has a role on them",
    file: "src/identity/projects/project-grant-commands.ts",
    change: ["filter: {}, open: projectGrants }", 'filter: {}, open: projectGrants && "all" }'],
    in: lists,
    test: "ListGrantedProjects",
  },
  {
    name: "tenancy: user grants are listed to whom their projects are open",
    file: "src/identity/user-grants/list-repository.ts",
    change: ['if (access.projects !== "all" || access.projectGrants !== "all") {', "if (tx === undefined) {"],
    in: lists,
    test: "ListUserGrants",
  },
  {
    name: "tenancy: effective roles are shown to whom their projects are open",
    file: "src/identity/user-grants/effective-role.ts",
    change: ["projectOwner: isWhole ? organizationId : undefined", "projectOwner: organizationId"],
    in: lists,
    test: "ListEffectiveRoles, of who",
  },
  {
    name: "tenancy: events of organizations that the caller may read",
    file: "src/identity/events/event.ts",
    change: ['return reach.isInstance ? "all" : reach.organizations;', 'return reach && "all";'],
    in: lists,
    test: "(: ListEvents|their organization, or nothing)",
  },
  {
    name: "the last owner of the instance: an inactive user does not count",
    file: "src/identity/held-roles/repository.ts",
    change: ["AND u.state = 'ACTIVE' AND", "AND"],
    in: lastOwner,
    test: "does not count",
  },
  {
    name: "the last owner of the instance: a user of an inactive organization does not count",
    file: "src/identity/held-roles/repository.ts",
    change: ["AND o.state = 'ACTIVE'", ""],
    in: lastOwner,
    test: "does not count",
  },
  {
    name: "stopping an owner is judged for every rpc that does it",
    file: "src/identity/access/access-rule.ts",
    change: ['rule.stopsUser ? "stops" : undefined', 'rule.stopsUser && rule.self ? "stops" : undefined'],
    in: "test/api/tenancy-escalation.sized.test.ts",
    test: "by LockUser",
  },
];
