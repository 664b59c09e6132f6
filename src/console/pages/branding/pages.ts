import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Branding", de: "Erscheinungsbild" };

/** The branding of the instance, and that of an organization. */
export const brandingPages = [
  definePage({
    pattern: "/branding",
    title,
    permission: "policy.read",
    menu: "instance",
    load: async () => (await import("./branding-pages.tsx")).DefaultBrandingPage,
  }),
  definePage({
    pattern: "/orgs/:organization/branding",
    title,
    permission: "policy.read",
    menu: "organization",
    load: async () => (await import("./branding-pages.tsx")).OrganizationBrandingPage,
  }),
];
