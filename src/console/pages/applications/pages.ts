import { definePage } from "../../routing/page-entry.ts";

/** The pages of the applications of a project. */
export const applicationPages = [
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications",
    title: { en: "Applications", de: "Anwendungen" },
    permission: "project.app.read",
    tab: "project",
    load: async () => (await import("./applications-page.tsx")).ApplicationsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications/new",
    title: { en: "Add application", de: "Anwendung hinzufügen" },
    permission: "project.app.write",
    load: async () => (await import("./choose-kind-page.tsx")).ChooseKindPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications/new/:kind",
    title: { en: "Add application", de: "Anwendung hinzufügen" },
    permission: "project.app.write",
    load: async () => (await import("./add-application-page.tsx")).AddApplicationPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications/:application",
    title: { en: "Application", de: "Anwendung" },
    permission: "project.app.read",
    load: async () => (await import("./application-page.tsx")).ApplicationPage,
  }),
];
