import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Memberships", de: "Mitgliedschaften" };
const permission = "membership.read";
/** The pages of memberships: on the installation, an organization, a project, a granted project, and of a user or a group. */
export const membershipPages = [
  definePage({
    pattern: "/memberships",
    title,
    permission,
    menu: "instance",
    load: async () => (await import("./membership-pages.tsx")).InstanceMembershipsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/memberships",
    title,
    permission,
    menu: "organization",
    load: async () => (await import("./membership-pages.tsx")).OrganizationMembershipsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/memberships",
    title,
    permission,
    tab: "project",
    load: async () => (await import("./project-pages.tsx")).ProjectMembershipsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/granted-projects/:project/:grant/memberships",
    title,
    permission,
    tab: "granted-project",
    load: async () => (await import("./project-pages.tsx")).GrantedProjectMembershipsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/memberships",
    title,
    permission,
    tab: "user",
    load: async () => (await import("./user-memberships-page.tsx")).UserMembershipsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/:group/memberships",
    title,
    permission,
    tab: "group",
    load: async () => (await import("./group-memberships-page.tsx")).GroupMembershipsPage,
  }),
];
