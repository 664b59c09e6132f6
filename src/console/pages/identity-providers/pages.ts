import { definePage } from "../../routing/page-entry.ts";

/** The pages of the identity providers of an organization. */
export const identityProviderPages = [
  definePage({
    pattern: "/orgs/:organization/idps",
    title: { en: "Identity providers", de: "Identitätsanbieter" },
    permission: "idp.read",
    menu: "organization",
    load: async () => (await import("./identity-providers-page.tsx")).IdentityProvidersPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new",
    title: { en: "Add identity provider", de: "Identitätsanbieter hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./shared/choose-kind-page.tsx")).ChooseProviderKindPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new/oidc",
    title: { en: "Add OpenID Connect provider", de: "OpenID-Connect-Anbieter hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./oidc/add-oidc-page.tsx")).AddOidcProviderPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new/saml",
    title: { en: "Add SAML provider", de: "SAML-Anbieter hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./saml/add-saml-page.tsx")).AddSamlProviderPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new/ldap",
    title: { en: "Add directory", de: "Verzeichnis hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./ldap/add-ldap-page.tsx")).AddLdapProviderPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new/jwt",
    title: { en: "Add JWT provider", de: "JWT-Anbieter hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./jwt/add-jwt-page.tsx")).AddJwtProviderPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/new/template/:template",
    title: { en: "Add identity provider", de: "Identitätsanbieter hinzufügen" },
    permission: "idp.write",
    load: async () => (await import("./template/add-template-page.tsx")).AddTemplateProviderPage,
  }),
  definePage({
    pattern: "/orgs/:organization/idps/:provider",
    title: { en: "Identity provider", de: "Identitätsanbieter" },
    permission: "idp.read",
    load: async () => (await import("./identity-provider-page.tsx")).IdentityProviderPage,
  }),
];
