import { definePage } from "../../routing/page-entry.ts";

/** The first page. */
export const overviewPages = [
  definePage({
    pattern: "/",
    title: { en: "Overview", de: "Übersicht" },
    menu: "instance",
    load: async () => (await import("./overview-page.tsx")).OverviewPage,
  }),
  definePage({
    pattern: "/orgs/:organization/overview",
    title: { en: "Overview", de: "Übersicht" },
    permission: "event.read",
    menu: "organization",
    load: async () => (await import("./organization-overview-page.tsx")).OrganizationOverviewPage,
  }),
];
