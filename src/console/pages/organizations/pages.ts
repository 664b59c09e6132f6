import { definePage } from "../../routing/page-entry.ts";

/** The list of organizations, and the creation of one. */
export const organizationPages = [
  definePage({
    pattern: "/orgs",
    title: { en: "Organizations", de: "Organisationen" },
    permission: "organization.read",
    menu: "instance",
    spansOrganizations: true,
    load: async () => (await import("./organizations-page.tsx")).OrganizationsPage,
  }),
  definePage({
    pattern: "/orgs/new",
    title: { en: "Add organization", de: "Organisation hinzufügen" },
    permission: "organization.create",
    load: async () => (await import("./add-organization-page.tsx")).AddOrganizationPage,
  }),
];

/** The settings of an organization, which stand last in its menu. */
export const organizationSettingsPages = [
  definePage({
    pattern: "/orgs/:organization",
    title: { en: "Settings", de: "Einstellungen" },
    permission: "organization.read",
    menu: "organization",
    tab: "organization",
    load: async () => (await import("./organization-page.tsx")).OrganizationPage,
  }),
];
