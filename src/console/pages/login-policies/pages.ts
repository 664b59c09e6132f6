import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Login policy", de: "Anmelderegelung" };

/** The login policy of the instance, and that of an organization. */
export const loginPolicyPages = [
  definePage({
    pattern: "/login-policy",
    title,
    permission: "policy.read",
    menu: "instance",
    load: async () => (await import("./default-policy-page.tsx")).DefaultPolicyPage,
  }),
  definePage({
    pattern: "/orgs/:organization/login-policy",
    title,
    permission: "policy.read",
    menu: "organization",
    load: async () => (await import("./organization-policy-page.tsx")).OrganizationPolicyPage,
  }),
];
