import { definePage } from "../../routing/page-entry.ts";

/** The pages of users: the list, creations, and the profile. */
export const userPages = [
  definePage({
    pattern: "/orgs/:organization/users",
    title: { en: "Users", de: "Benutzer" },
    permission: "user.read",
    menu: "organization",
    load: async () => (await import("./users-page.tsx")).UsersPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/new",
    title: { en: "Add person", de: "Person hinzufügen" },
    permission: "user.write",
    load: async () => (await import("./add-human-page.tsx")).AddHumanPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/new-service",
    title: { en: "Add service user", de: "Dienstbenutzer hinzufügen" },
    permission: "user.write",
    load: async () => (await import("./add-service-page.tsx")).AddServicePage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/import",
    title: { en: "Import people", de: "Personen importieren" },
    permission: "user.write",
    load: async () => (await import("./import/import-page.tsx")).ImportPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user",
    title: { en: "Profile", de: "Profil" },
    permission: "user.read",
    tab: "user",
    load: async () => (await import("./user-page.tsx")).UserPage,
  }),
];
