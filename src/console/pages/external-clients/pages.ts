import { definePage } from "../../routing/page-entry.ts";

/** Which clients may use the instance that nobody has created. */
export const externalClientPages = [
  definePage({
    pattern: "/external-clients",
    title: { en: "External clients", de: "Externe Clients" },
    permission: "project.app.read",
    menu: "instance",
    load: async () => (await import("./external-clients-page.tsx")).ExternalClientsPage,
  }),
];
