import { definePage } from "../../routing/page-entry.ts";

/** The first page. */
export const overviewPages = [
  definePage({
    pattern: "/",
    title: { en: "Overview", de: "Übersicht" },
    menu: "instance",
    load: async () => (await import("./overview-page.tsx")).OverviewPage,
  }),
];
