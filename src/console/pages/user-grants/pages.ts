import { definePage } from "../../routing/page-entry.ts";

const title = { en: "User grants", de: "Rollenzuweisungen" };
const permission = "user.grant.read";
/** The pages of user grants: of an organization, a project, a granted project and a user, and of one grant. */
export const userGrantPages = [
  definePage({
    pattern: "/orgs/:organization/user-grants",
    title,
    permission,
    menu: "organization",
    load: async () => (await import("./list-page.tsx")).OrganizationUserGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/user-grants/new",
    title: { en: "Give roles to a user", de: "Rollen an Benutzer vergeben" },
    permission: "user.grant.write",
    load: async () => (await import("./add-user-grant-page.tsx")).AddUserGrantPage,
  }),
  definePage({
    pattern: "/orgs/:organization/user-grants/several",
    title: { en: "Give roles to several users", de: "Rollen an mehrere Benutzer vergeben" },
    permission: "user.grant.write",
    load: async () => (await import("./several-page.tsx")).SeveralUserGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/user-grants/:user/:grant",
    title: { en: "User grant", de: "Rollenzuweisung" },
    permission,
    load: async () => (await import("./user-grant-page.tsx")).UserGrantPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/user-grants",
    title,
    permission,
    tab: "project",
    load: async () => (await import("./project-pages.tsx")).ProjectUserGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/granted-projects/:project/:grant/user-grants",
    title,
    permission,
    tab: "granted-project",
    load: async () => (await import("./project-pages.tsx")).GrantedProjectUserGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/user-grants",
    title: { en: "Roles", de: "Rollen" },
    permission,
    tab: "user",
    load: async () => (await import("./user-roles-page.tsx")).UserRolesPage,
  }),
];
