import { definePage } from "../../routing/page-entry.ts";

/** The events of the instance and of an organization, and the histories of objects. */
export const eventPages = [
  definePage({
    pattern: "/events",
    title: { en: "Events", de: "Ereignisse" },
    permission: "event.read",
    menu: "instance",
    load: async () => (await import("./events-page.tsx")).InstanceEventsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/events",
    title: { en: "Events", de: "Ereignisse" },
    permission: "event.read",
    menu: "organization",
    load: async () => (await import("./events-page.tsx")).OrganizationEventsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/history",
    title: { en: "History", de: "Verlauf" },
    permission: "event.read",
    tab: "project",
    load: async () => (await import("./history-pages.tsx")).ProjectHistoryPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/history",
    title: { en: "History", de: "Verlauf" },
    permission: "event.read",
    tab: "user",
    load: async () => (await import("./history-pages.tsx")).UserHistoryPage,
  }),
];
