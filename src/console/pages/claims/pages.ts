import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Claims", de: "Claims" };

/** The claims of projects and applications. */
export const claimPages = [
  definePage({
    pattern: "/orgs/:organization/projects/:project/claims",
    title,
    permission: "project.read",
    tab: "project",
    load: async () => (await import("./claim-pages.tsx")).ProjectClaimsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications/:application/claims",
    title,
    permission: "project.app.read",
    load: async () => (await import("./claim-pages.tsx")).ApplicationClaimsPage,
  }),
];
