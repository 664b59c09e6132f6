import type {
  OidcApplicationPayload,
  SamlMetadataPayload,
} from "../../../src/kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";

const settings: OidcApplicationPayload = {
  redirect_uris: ["https://app.test/cb"],
  response_types: ["CODE"],
  grant_types: ["AUTHORIZATION_CODE", "REFRESH_TOKEN"],
  app_type: "WEB",
  auth_method_type: "BASIC",
  post_logout_redirect_uris: ["https://app.test/out"],
  dev_mode: true,
  access_token_type: "JWT",
  access_token_role_assertion: true,
  id_token_role_assertion: true,
  id_token_userinfo_assertion: true,
  additional_origins: ["https://app.test"],
  signing_algorithm: "ES256",
  api_access: true,
  require_pkce: true,
};

/** Where applications are, and the ids that they get. */
export interface Applications {
  readonly organization: string;
  readonly project: string;
  readonly oidc: string;
  readonly api: string;
  readonly secrets: readonly [string, string];
  readonly key: string;
}

/** Adds an OIDC and an API application, each with a secret, and a key. */
export function addApplications(of: Applications): readonly NewEvent[] {
  const { oidc, api } = aggregatesOf(of);
  const named = (name: string) => ({ project_id: of.project, name });
  return [
    { type: "application.oidc.added", ...oidc, payload: { ...named("Oidc"), ...settings } },
    { type: "application.oidc.secret.set", ...oidc, payload: { secret_id: of.secrets[0] } },
    { type: "application.api.added", ...api, payload: { ...named("Api"), auth_method_type: "BASIC" } },
    { type: "application.api.secret.set", ...api, payload: { secret_id: of.secrets[1] } },
    {
      type: "application.key.added",
      ...api,
      payload: { key_id: of.key, public_key: "{}", expiration_date: "2027-01-01T00:00:00.000Z" },
    },
  ];
}

const external = {
  name: "Agent",
  redirect_uris: ["https://agent.test/cb"],
  grant_types: ["AUTHORIZATION_CODE"],
  app_type: "WEB",
  auth_method_type: "PRIVATE_KEY_JWT",
  keys: [{ key_id: "1", public_key: "{}" }],
};

/** Lets clients introduce themselves; one does, and describes itself in another way later. */
export function externalClientEvents(of: {
  readonly instance: string;
  readonly organization: string;
  readonly project: string;
}): readonly NewEvent[] {
  const client = { aggregateId: "https://agent.test/client", resourceOwner: of.organization };
  const { project: project_id } = of;
  return [
    {
      type: "external_clients.set",
      aggregateId: "57",
      resourceOwner: of.instance,
      payload: { kinds: ["METADATA_DOCUMENT"], host_patterns: [], project_id },
    },
    {
      type: "instance.exported",
      aggregateId: of.instance,
      resourceOwner: of.instance,
      payload: { organization_id: "", with_secrets: true },
    },
    {
      type: "application.external.added",
      ...client,
      payload: { project_id, kind: "METADATA_DOCUMENT", ...external },
    },
    {
      type: "application.external.changed",
      ...client,
      payload: { ...external, name: "Other agent", is_other: true },
    },
  ];
}

/** Changes them, and takes away what they authenticate with. */
export function changeApplications(of: Applications): readonly NewEvent[] {
  const { oidc, api } = aggregatesOf(of);
  const method = { auth_method_type: "PRIVATE_KEY_JWT" };
  return [
    { type: "application.oidc.changed", ...oidc, payload: { ...settings, ...method, redirect_uris: [] } },
    {
      type: "application.logout_token.dropped",
      ...oidc,
      payload: { session_id: "1", cause: "unreachable" },
    },
    { type: "application.oidc.secret.removed", ...oidc, payload: { secret_id: of.secrets[0] } },
    { type: "application.api.changed", ...api, payload: method },
    { type: "application.api.secret.removed", ...api, payload: { secret_id: of.secrets[1] } },
    { type: "application.key.removed", ...api, payload: { key_id: of.key } },
  ];
}

/** Changes the source of the metadata of a SAML application twice, and all of its settings. */
export function changeSaml(
  of: Pick<NewEvent, "aggregateId" | "resourceOwner">,
  metadata: SamlMetadataPayload,
): readonly NewEvent[] {
  const error = "SAML_METADATA_UNREACHABLE";
  return [
    {
      type: "application.saml.changed",
      ...of,
      payload: { metadata_url: "https://sp.test/life", metadata_error: error },
    },
    { type: "application.saml.changed", ...of, payload: { metadata_url: "", metadata } },
    {
      type: "application.saml.settings.changed",
      ...of,
      payload: {
        require_signed_requests: true,
        encryption: "REQUIRED",
        name_id_format: "TRANSIENT",
        allow_idp_initiated: true,
        default_relay_state: "/start",
        logout_disabled: true,
        attributes: [
          { name: "mail", name_format: "", source: "Email" },
          { name: "tenant", name_format: "urn:test", constant: "one" },
        ],
        only_requested_attributes: true,
      },
    },
  ];
}

function aggregatesOf({ oidc, api, organization }: Applications) {
  return {
    oidc: { aggregateId: oidc, resourceOwner: organization },
    api: { aggregateId: api, resourceOwner: organization },
  };
}
