import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Texts", de: "Texte" };

/** The texts of the instance, and those of an organization. */
export const customTextPages = [
  definePage({
    pattern: "/texts",
    title,
    permission: "policy.read",
    menu: "instance",
    load: async () => (await import("./custom-texts-pages.tsx")).DefaultTextsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/texts",
    title,
    permission: "policy.read",
    menu: "organization",
    load: async () => (await import("./custom-texts-pages.tsx")).OrganizationTextsPage,
  }),
];
