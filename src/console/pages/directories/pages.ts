import { definePage } from "../../routing/page-entry.ts";

/** The page of a service user that is a directory's: a tab of it. */
export const directoryPages = [
  definePage({
    pattern: "/orgs/:organization/users/:user/scim",
    title: { en: "Directory (SCIM)", de: "Verzeichnis (SCIM)" },
    permission: "user.read",
    tab: "service",
    load: async () => (await import("./directory-page.tsx")).DirectoryPage,
  }),
];
