import type { StoredValue } from "./stored-value.ts";

const oidcConfig = ["CreateOidcApplication", "UpdateOidcConfig"];

/** The values of applications and projects: they decide where the tokens and assertions of users go, and what these contain. */
export const valuesOfApplications: readonly StoredValue[] = [
  {
    value: "api_access: whether tokens of the application are for our own API",
    setBy: [{ calls: oidcConfig, fields: ["api_access"] }],
    lets: "the application do whatever anybody may do who logs in to it, up to INSTANCE_OWNER",
    needs: ["permission", "api-access"],
    because: "to take it away, and change nothing else, needs only the permission",
  },
  {
    value: "where an application of OpenID Connect sends browsers and codes",
    setBy: [
      {
        calls: oidcConfig,
        fields: ["redirect_uris", "post_logout_redirect_uris", "dev_mode", "app_type"],
      },
    ],
    lets: "the owner of the address receive the codes, and so the tokens, of everybody who logs in",
    needs: ["permission", "api-access"],
    because:
      "without api_access the tokens are for the project and the application, which the caller administers",
  },
  {
    value: "the other addresses of such an application",
    setBy: [{ calls: oidcConfig, fields: ["additional_origins", "back_channel_logout_uri"] }],
    lets: "its pages receive codes for passwords, if a caller who may act as the user names them in url_template; its server hear who has logged out",
    needs: ["permission", "api-access"],
    because:
      "the call that sends a code names the page itself, and its caller could have the code returned; no code goes to a page because it is stored here",
  },
  {
    value: "how an application proves itself, and what it may ask the token endpoint for",
    setBy: [
      {
        calls: oidcConfig,
        fields: [
          "auth_method_type",
          "grant_types",
          "response_types",
          "require_pkce",
          "security_profile",
          "require_par",
          "require_dpop",
        ],
      },
      { calls: ["CreateApiApplication", "UpdateApiConfig"], fields: ["auth_method_type"] },
      { calls: ["GenerateClientSecret"] },
      { calls: ["AddApplicationKey"], fields: ["type", "expiration_date", "public_key"] },
    ],
    lets: "get tokens in its name: by its codes, its devices and its exchanges, and learn by introspection what tokens for its project say",
    needs: ["permission", "api-access"],
  },
  {
    value: "what an API is named by, and who may have which scope of it",
    setBy: [
      {
        calls: ["CreateApiApplication", "UpdateApiConfig"],
        fields: ["resource", "dev_mode", "scopes"],
      },
    ],
    lets: "clients get tokens that the API takes, with more of what it defines",
    needs: ["permission"],
    because:
      "the API is of the project that the caller administers, and a resource of others is not taken before its own metadata, or an administrator of the instance, vouch for it",
  },
  {
    value: "that clients may have tokens for an API that nobody has created",
    setBy: [{ calls: ["CreateApiApplication", "UpdateApiConfig"], fields: ["allow_external_clients"] }],
    lets: "any program that a user confirms get tokens for the API, with the scopes that the API defines",
    needs: ["permission"],
    because:
      "the API is of the project that the caller administers, and the instance decides whether there are such clients",
  },
  {
    value: "which clients may introduce themselves, and the project that they belong to",
    setBy: [{ calls: ["UpdateExternalClientSettings"], fields: ["kinds", "host_patterns", "project_id"] }],
    lets: "programs of anybody ask users of the whole instance to log in, and get what these confirm",
    needs: ["instance"],
  },
  {
    value: "that a resource is verified without its metadata",
    setBy: [{ calls: ["CreateApiApplication", "UpdateApiConfig"], fields: ["resource_verified"] }],
    lets: "the caller have tokens made whose audience is the API of somebody else",
    needs: ["permission", "instance"],
  },
  {
    value: "subject: whether an application knows its users by the ids that they had in another system",
    setBy: [{ calls: oidcConfig, fields: ["subject"] }],
    lets: "the application take one user for another",
    needs: ["permission", "instance"],
  },
  {
    value: "what the tokens of an application tell, and in which form",
    setBy: [
      {
        calls: oidcConfig,
        fields: [
          "access_token_type",
          "access_token_role_assertion",
          "id_token_role_assertion",
          "id_token_userinfo_assertion",
          "signing_algorithm",
          "groups_claim",
        ],
      },
    ],
    lets: "the application learn roles, groups and profile of users that log in; a JWT outlives the session",
    needs: ["permission", "api-access"],
  },
  {
    value: "claim mappings: what tokens and assertions tell of users beside the claims of the service",
    setBy: [{ calls: ["SetProjectClaimMappings", "SetApplicationClaimMappings"], fields: ["mappings"] }],
    lets: "applications learn metadata, groups and roles of users that log in, or take one user for another by a claim that says so",
    needs: ["permission", "api-access", "reading"],
    because:
      "reserved names cannot be mapped, users of other organizations confirm what is told, and a mapping rests while its author may not read the source",
  },
  {
    value: "which metadata of its users an organization shares with others",
    setBy: [{ calls: ["SetUserMetadataSharing"], fields: ["shared"] }],
    lets: "applications of these organizations learn the metadata of users that confirm it",
    needs: ["permission"],
  },
  {
    value: "the name of an application, as pages show it that ask the user",
    setBy: [
      {
        calls: [
          "CreateOidcApplication",
          "CreateSamlApplication",
          "CreateApiApplication",
          "UpdateApplication",
        ],
        fields: ["name"],
      },
    ],
    lets: "users believe that they log in to something else",
    needs: ["permission", "api-access"],
  },
  {
    value: "what a project demands and tells",
    setBy: [
      {
        calls: ["AddProject", "UpdateProject"],
        fields: [
          "name",
          "project_role_assertion",
          "project_role_check",
          "has_project_check",
          "private_labeling_setting",
        ],
      },
    ],
    lets: "more users log in to its applications, under another name, and its applications learn their roles",
    needs: ["permission", "api-access"],
  },
  {
    value: "that an application or a project was stopped",
    setBy: [{ calls: ["ReactivateApplication", "ReactivateProject"] }],
    lets: "secrets and addresses that were stopped because others have them count again",
    needs: ["permission", "api-access"],
  },
  {
    value: "that an organization was stopped",
    setBy: [{ calls: ["ReactivateOrganization"] }],
    lets: "the same, and its users and their tokens",
    needs: ["permission", "api-access", "stopping"],
  },
  {
    value:
      "metadata of a SAML application: its addresses (ACS), keys and entity id, or where they are fetched from",
    setBy: [
      { calls: ["CreateSamlApplication", "UpdateSamlConfig"], fields: ["metadata_xml", "metadata_url"] },
    ],
    lets: "the owner of the address receive the assertions of everybody who logs in",
    needs: ["permission"],
    because: "an assertion is for one service provider alone, and never for our own API",
  },
  {
    value: "what a SAML application demands and is told",
    setBy: [
      {
        calls: ["UpdateSamlSettings"],
        fields: [
          "require_signed_requests",
          "encryption",
          "name_id_format",
          "allow_idp_initiated",
          "default_relay_state",
          "logout_disabled",
          "only_requested_attributes",
          "attributes",
        ],
      },
    ],
    lets: "the service provider take a user for another one, by a NameID or an attribute that says so",
    needs: ["permission"],
    because: "the administrators of an application decide which of our names it knows users by",
  },
];
