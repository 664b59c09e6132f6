import { definePage } from "../../routing/page-entry.ts";

const permission = "project.grant.read";

/** The pages of the grants of a project to other organizations, and of projects that others have granted. */
export const projectGrantPages = [
  definePage({
    pattern: "/orgs/:organization/projects/:project/grants",
    title: { en: "Grants", de: "Freigaben" },
    permission,
    tab: "project",
    load: async () => (await import("./project-grants-page.tsx")).ProjectGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/grants/new",
    title: { en: "Grant project", de: "Projekt freigeben" },
    permission: "project.grant.write",
    load: async () => (await import("./add-project-grant-page.tsx")).AddProjectGrantPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/grants/:grant",
    title: { en: "Grant", de: "Freigabe" },
    permission,
    load: async () => (await import("./project-grant-page.tsx")).ProjectGrantPage,
  }),
  definePage({
    pattern: "/orgs/:organization/granted-projects",
    title: { en: "Granted projects", de: "Freigegebene Projekte" },
    permission,
    menu: "organization",
    load: async () => (await import("./granted-projects-page.tsx")).GrantedProjectsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/granted-projects/:project/:grant",
    title: { en: "Grant", de: "Freigabe" },
    permission,
    tab: "granted-project",
    load: async () => (await import("./granted-project-page.tsx")).GrantedProjectPage,
  }),
];
