import type { StoredValue } from "./stored-value.ts";

const anyProvider = ["CreateIdentityProvider", "UpdateIdentityProvider"];

const policyFields = [
  "allow_password",
  "allow_external_idps",
  "allow_passkeys",
  "allow_registration",
  "force_mfa",
  "force_mfa_local_only",
  "min_password_length",
  "max_password_attempts",
  "session_idle_seconds",
  "session_lifetime_seconds",
  "second_factors",
  "link_by_verified_email",
  "notify_security_changes",
  "login_names",
];

const labelFields = ["light", "dark", "theme", "corner_radius", "hide_product_name"];

const linkFields = ["terms_url", "privacy_url", "help_url", "support_email"];

/** The values of identity providers and login policies: they decide which provider is trusted to identify users. */
export const valuesOfLogins: readonly StoredValue[] = [
  {
    value: "the issuer of an OpenID provider, which the stored client secret is sent to",
    setBy: [
      { calls: anyProvider, fields: ["oidc.issuer"] },
      { calls: ["AddOidcIdentityProvider"], fields: ["issuer"] },
    ],
    lets: "the owner of the address learn the client secret, and choose which user logs in",
    needs: ["permission", "secret-again"],
    because: "links belong to an issuer: with another one all former identities are unknown",
  },
  {
    value: "how we are known to an OpenID provider",
    setBy: [
      { calls: anyProvider, fields: ["oidc.client_id", "oidc.client_secret", "oidc.scopes"] },
      { calls: ["AddOidcIdentityProvider"], fields: ["client_id", "client_secret", "scopes"] },
    ],
    lets: "the provider take us for another client of it",
    needs: ["permission"],
  },
  {
    value: "who vouches for the users of a JWT provider: addresses, issuer, keys, header and audiences",
    setBy: [
      {
        calls: anyProvider,
        fields: ["jwt.jwt_endpoint", "jwt.issuer", "jwt.keys_endpoint", "jwt.header_name", "jwt.audiences"],
      },
      {
        calls: ["AddJwtIdentityProvider", "UpdateJwtIdentityProvider"],
        fields: ["jwt_endpoint", "issuer", "keys_endpoint", "header_name"],
      },
    ],
    lets: "the owner of the keys log in as each user of the organization who is linked to the provider",
    needs: ["permission"],
    because:
      "idp.write comes with user.credential.write on the same users, and a login at a provider carries no role outside of its organization",
  },
  {
    value:
      "the vouchers for the users of a SAML provider: entity id, metadata, and the attribute that identifies people",
    setBy: [
      {
        calls: anyProvider,
        fields: [
          "saml.entity_id",
          "saml.metadata_url",
          "saml.metadata_xml",
          "saml.id_attribute",
          "saml.trust_mail",
        ],
      },
    ],
    lets: "the owner of the keys in the metadata log in as each user of the organization who is linked to the provider",
    needs: ["permission"],
    because:
      "idp.write comes with user.credential.write on the same users, and a login at a provider carries no role outside of its organization",
  },
  {
    value: "the address of a provider that is known beforehand, which its client secret is sent to",
    setBy: [{ calls: anyProvider, fields: ["entra.base_url", "github.base_url", "gitlab.base_url"] }],
    lets: "the owner of the address learn the client secret, and choose which user logs in",
    needs: ["permission", "secret-again"],
    because: "links belong to an issuer: with another address all former identities are unknown",
  },
  {
    value: "the tenants of Entra that vouch for their people",
    setBy: [{ calls: anyProvider, fields: ["entra.tenants"] }],
    lets: "the people of a tenant log in as the users who are linked to them",
    needs: ["permission"],
    because:
      "an identity has its tenant in front of its subject: nobody of one tenant has the identity of somebody of another",
  },
  {
    value: "how we are known to a provider that is known beforehand",
    setBy: [
      {
        calls: anyProvider,
        fields: [
          "google.client_id",
          "google.client_secret",
          "entra.client_id",
          "entra.client_secret",
          "github.client_id",
          "github.client_secret",
          "gitlab.client_id",
          "gitlab.client_secret",
          "apple.client_id",
          "apple.team_id",
          "apple.private_key_id",
          "apple.private_key",
        ],
      },
    ],
    lets: "the provider take us for another client of it",
    needs: ["permission"],
  },
  {
    value: "the servers of a directory, which the password of its service account is sent to",
    setBy: [{ calls: anyProvider, fields: ["ldap.servers", "ldap.plain_text", "ldap.ca_certificates"] }],
    lets: "the owner of a server learn that password and those that people type, and choose which user logs in",
    needs: ["permission", "secret-again"],
    because:
      "idp.write comes with user.credential.write on the same users, and a login at a provider carries no role outside of its organization",
  },
  {
    value: "which entries of a directory are whom",
    setBy: [
      {
        calls: anyProvider,
        fields: [
          "ldap.bind_dn",
          "ldap.bind_password",
          "ldap.base_dn",
          "ldap.user_filter",
          "ldap.login_attributes",
          "ldap.id_attribute",
        ],
      },
    ],
    lets: "people log in as the users who are linked to their entries",
    needs: ["permission"],
    because: "links belong to an id_attribute: with another one all former identities are unknown",
  },
  {
    value: "what a directory says about its people: profile, addresses and groups",
    setBy: [
      {
        calls: anyProvider,
        fields: [
          "ldap.username_attribute",
          "ldap.email_attribute",
          "ldap.given_name_attribute",
          "ldap.family_name_attribute",
          "ldap.display_name_attribute",
          "ldap.preferred_language_attribute",
          "ldap.trust_mail",
          "ldap.member_of_attribute",
          "ldap.group_base_dn",
          "ldap.group_member_attribute",
        ],
      },
    ],
    lets: "the writers of those attributes change the profile of users, and the members of groups that have the provider as source",
    needs: ["permission"],
    because:
      "a source of groups is set by a caller who may give all that they reach, and an address that a provider answers for gives no login with roles outside",
  },
  {
    value: "what becomes of a new identity at a provider",
    setBy: [
      {
        calls: anyProvider,
        fields: ["auto_register", "oidc.display_name_mapping", "oidc.username_mapping"],
      },
      { calls: ["AddJwtIdentityProvider"], fields: ["auto_register"] },
      {
        calls: ["AddOidcIdentityProvider"],
        fields: ["auto_register", "display_name_mapping", "username_mapping"],
      },
    ],
    lets: "strangers have accounts, without any role, under names that the provider gives",
    needs: ["permission"],
  },
  {
    value: "the name and the look of the button of a provider",
    setBy: [
      {
        calls: [...anyProvider, "AddJwtIdentityProvider", "AddOidcIdentityProvider"],
        fields: ["name", "styling_type"],
      },
    ],
    lets: "users believe that they log in at another provider",
    needs: ["permission"],
  },
  {
    value: "which providers the pages of an organization offer",
    setBy: [
      { calls: ["ReactivateIdentityProvider"] },
      { calls: ["AddIdpToLoginPolicy"], fields: ["idp_id"] },
    ],
    lets: "the provider say who logs in",
    needs: ["permission"],
    because: "only a provider of the same organization can be offered",
  },
  {
    value:
      "how users of an organization log in: ways, names, factors, tries, times, linking, registration, notices",
    setBy: [
      {
        calls: ["UpdateLoginPolicy"],
        fields: policyFields,
      },
      { calls: ["ResetLoginPolicy", "RemoveIdpFromLoginPolicy"] },
    ],
    lets: "users log in with less, for longer, or not at all, or not hear of changes",
    needs: ["permission"],
  },
  {
    value: "how users of all organizations without a policy of their own log in",
    setBy: [
      {
        calls: ["UpdateDefaultLoginPolicy"],
        fields: policyFields,
      },
    ],
    lets: "the same, over the whole instance",
    needs: ["instance"],
  },
  {
    value: "how the pages and mails of an organization look: colors and images",
    setBy: [
      { calls: ["UpdateLabelPolicy"], fields: labelFields },
      { calls: ["SetLabelPolicyImage"], fields: ["kind", "image"] },
      { calls: ["ActivateLabelPolicy", "ResetLabelPolicy"] },
    ],
    lets: "users believe that they are at another company; the address of the pages stays, and the title names the organization",
    needs: ["permission"],
  },
  {
    value:
      "how the pages and mails of the instance and of all organizations without a branding of their own look",
    setBy: [
      { calls: ["UpdateDefaultLabelPolicy"], fields: labelFields },
      { calls: ["SetDefaultLabelPolicyImage"], fields: ["kind", "image"] },
      { calls: ["ActivateDefaultLabelPolicy"] },
    ],
    lets: "the same, over the whole instance",
    needs: ["instance"],
  },
  {
    value: "the links at the foot of the pages and mails of an organization: terms, privacy, help, support",
    setBy: [{ calls: ["UpdateLabelPolicy"], fields: linkFields }],
    lets: "users who follow them come to a page of somebody else; links open a window of their own, and their texts stay those of the instance",
    needs: ["permission"],
  },
  {
    value: "the same links of the instance and of all organizations without a branding of their own",
    setBy: [{ calls: ["UpdateDefaultLabelPolicy"], fields: linkFields }],
    lets: "the same, over the whole instance",
    needs: ["instance"],
  },
  {
    value: "what the pages and emails of an organization say",
    setBy: [
      { calls: ["SetCustomTexts"], fields: ["language", "texts"] },
      { calls: ["ResetCustomTexts"], fields: ["language"] },
    ],
    lets: "pages and emails ask users for something else; never the pages and emails that users must be able to trust, and never a link",
    needs: ["permission"],
  },
  {
    value: "what the pages and emails of all organizations say that have no texts of their own",
    setBy: [{ calls: ["SetDefaultCustomTexts"], fields: ["language", "texts"] }],
    lets: "the same, over the whole instance, on every page",
    needs: ["instance"],
  },
  {
    value: "the keys that sign our tokens and SAML messages",
    setBy: [{ calls: ["RotateSigningKeys"], fields: ["revoke_old", "use"] }],
    lets: "end what they have signed; the keys themselves are shown to nobody",
    needs: ["instance"],
  },
];
