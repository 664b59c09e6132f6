import { definePage } from "../../routing/page-entry.ts";

/** The pages of projects and their roles. */
export const projectPages = [
  definePage({
    pattern: "/orgs/:organization/projects",
    title: { en: "Projects", de: "Projekte" },
    permission: "project.read",
    menu: "organization",
    load: async () => (await import("./projects-page.tsx")).ProjectsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/new",
    title: { en: "Add project", de: "Projekt hinzufügen" },
    permission: "project.create",
    load: async () => (await import("./add-project-page.tsx")).AddProjectPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project",
    title: { en: "Settings", de: "Einstellungen" },
    permission: "project.read",
    tab: "project",
    load: async () => (await import("./project-page.tsx")).ProjectPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/roles",
    title: { en: "Roles", de: "Rollen" },
    permission: "project.read",
    tab: "project",
    load: async () => (await import("./roles-page.tsx")).RolesPage,
  }),
];
