import type { EventType } from "../../src/events/payloads.ts";
import type { NewEvent } from "../../src/events/event.ts";
import { projectPayload } from "../support/samples.ts";

/** What stands in every personal field of the sample: nothing of it may be found in clear. */
export const canary = "canary-7d1f";

/** Ids of the sample. */
export const ids = {
  instance: "1",
  organization: "10",
  partner: "11",
  human: "20",
  service: "23",
  jwt: "30",
  oidc: "31",
  project: "40",
  projectGrant: "41",
  userGrant: "42",
  sent: "50",
  pending: "51",
  factor: "60",
  token: "70",
  childToken: "71",
  removedToken: "72",
  limitedToken: "73",
  key: "702",
  secret: "708",
  signingKey: "90",
  retiredKey: "96",
} as const;

const organization = { aggregateId: ids.organization, resourceOwner: ids.organization };
const human = { aggregateId: ids.human, resourceOwner: ids.organization };
const service = { aggregateId: ids.service, resourceOwner: ids.organization };
const project = { aggregateId: ids.project, resourceOwner: ids.organization };
const pending = { aggregateId: ids.pending, resourceOwner: ids.organization };

const metadata = (version: number) => ({
  entity_id: `https://sp.test/${version}`,
  metadata_xml: `<EntityDescriptor v="${version}"/>`,
  assertion_consumer_services: [
    { binding: "POST", location: "https://sp.test/acs", index: version, is_default: true },
  ],
});
const settings = projectPayload({ projectRoleAssertion: true, hasProjectCheck: true });
const jwt = {
  jwt_endpoint: "https://idp.test/jwt",
  issuer: "https://idp.test",
  keys_endpoint: "https://idp.test/keys",
  header_name: "x-jwt",
};

/** The personal fields of a human user. */
export const humanFields = {
  username: `${canary}-username`,
  given_name: `${canary}-given-name`,
  family_name: `${canary}-family-name`,
  display_name: `${canary}-display-name`,
  preferred_language: `${canary}-language`,
  email: `${canary}-email`,
  phone: `${canary}-phone`,
};

/** The personal fields of a service user. */
export const serviceFields = {
  username: `${canary}-program`,
  name: `${canary}-name`,
  description: `${canary}-description`,
};

/** A log with every type of event, in an order that a service could have recorded. */
export const sampleEvents: readonly NewEvent[] = [
  { type: "organization.added", ...organization, payload: { name: "Acme" } },
  {
    type: "organization.added",
    aggregateId: ids.partner,
    resourceOwner: ids.partner,
    payload: { name: "Partner" },
  },
  { type: "user.added", ...human, payload: { kind: "human", ...humanFields } },
  { type: "user.added", ...service, payload: { kind: "service", ...serviceFields } },
  {
    type: "membership.added",
    aggregateId: "80",
    resourceOwner: ids.instance,
    payload: { user_id: ids.service, instance: true, roles: ["INSTANCE_OWNER"] },
  },
  { type: "user.phone.code.added", ...human, payload: {} },
  { type: "user.phone.verified", ...human, payload: {} },
  { type: "user.phone.set", ...human, payload: { phone: `${canary}-other-phone` } },
  { type: "user.u2f.added", ...human, payload: { u2f_id: ids.factor, domain: "localhost" } },
  {
    type: "user.u2f.verified",
    ...human,
    payload: {
      u2f_id: ids.factor,
      name: `${canary}-factor`,
      credential_id: "AAEC",
      public_key: "AwQF",
      counter: "7",
      aaguid: "00000000-0000-0000-0000-000000000000",
      attestation_format: "none",
    },
  },
  {
    type: "user.token.added",
    ...service,
    payload: { token_id: ids.token, expiration_date: "2027-01-01T00:00:00.000Z" },
  },
  {
    type: "user.token.added",
    ...service,
    payload: { token_id: ids.removedToken, made_with_token_id: ids.token },
  },
  {
    type: "user.token.added",
    ...service,
    payload: { token_id: ids.childToken, made_with_token_id: ids.removedToken },
  },
  { type: "user.token.removed", ...service, payload: { token_id: ids.removedToken } },
  {
    type: "user.key.added",
    ...service,
    payload: {
      key_id: ids.key,
      public_key: "{}",
      expiration_date: "2027-01-01T00:00:00.000Z",
      made_with_token_id: ids.token,
    },
  },
  {
    type: "user.secret.set",
    ...service,
    payload: { secret_id: ids.secret, made_with_token_id: ids.token },
  },
  {
    type: "membership.added",
    aggregateId: "81",
    resourceOwner: ids.organization,
    payload: {
      user_id: ids.service,
      organization_id: ids.organization,
      roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"],
      limited_token_ids: [ids.token],
    },
  },
  {
    type: "user.token.added",
    ...service,
    payload: { token_id: ids.limitedToken, made_with_token_id: ids.token },
  },
  {
    type: "identity_provider.added",
    aggregateId: ids.jwt,
    resourceOwner: ids.organization,
    payload: {
      name: "Jwt",
      styling_type: "STYLING_TYPE_UNSPECIFIED",
      auto_register: true,
      jwt: { ...jwt, audiences: ["a", "b"] },
    },
  },
  {
    type: "identity_provider.added",
    aggregateId: ids.oidc,
    resourceOwner: ids.organization,
    payload: {
      name: "Oidc",
      styling_type: "STYLING_TYPE_GOOGLE",
      auto_register: false,
      oidc: {
        client_id: "client",
        client_secret_id: "client-secret:31",
        issuer: "https://idp.test",
        scopes: ["openid"],
        display_name_mapping: "A",
        username_mapping: "B",
      },
    },
  },
  {
    type: "identity_provider.jwt.changed",
    aggregateId: ids.jwt,
    resourceOwner: ids.organization,
    payload: { ...jwt, header_name: "" },
  },
  { type: "project.added", ...project, payload: settings },
  { type: "project.changed", ...project, payload: { ...settings, name: "Portal 2" } },
  { type: "project.role.added", ...project, payload: { role_key: "reader", display_name: "R", group: "" } },
  { type: "project.role.added", ...project, payload: { role_key: "writer", display_name: "", group: "G" } },
  {
    type: "project_grant.added",
    aggregateId: ids.projectGrant,
    resourceOwner: ids.organization,
    payload: {
      project_id: ids.project,
      granted_organization_id: ids.partner,
      role_keys: ["writer", "reader"],
    },
  },
  {
    type: "user_grant.added",
    aggregateId: ids.userGrant,
    resourceOwner: ids.organization,
    payload: {
      user_id: ids.human,
      project_id: ids.project,
      project_grant_id: "",
      role_keys: ["writer", "reader"],
    },
  },
  {
    type: "application.added",
    aggregateId: ids.sent,
    resourceOwner: ids.organization,
    payload: { project_id: ids.project, name: "Sent", metadata_url: "", metadata: metadata(1) },
  },
  {
    type: "application.added",
    ...pending,
    payload: {
      project_id: ids.project,
      name: "Pending",
      metadata_url: "https://sp.test/metadata",
      metadata_error: "SAML_METADATA_UNREACHABLE",
    },
  },
  { type: "application.metadata.fetched", ...pending, payload: metadata(2) },
  {
    type: "application.metadata.failed",
    ...pending,
    payload: { error: "SAML_METADATA_ROOT", is_final: true },
  },
  ...[ids.signingKey, ids.retiredKey].map(
    (id): NewEvent => ({
      type: "signing_key.added",
      aggregateId: id,
      resourceOwner: ids.instance,
      payload: { algorithm: "ES256", public_key: '{"kty":"EC"}', state: "NEXT" },
    }),
  ),
  { type: "signing_key.activated", aggregateId: ids.signingKey, resourceOwner: ids.instance, payload: {} },
  {
    type: "signing_key.retired",
    aggregateId: ids.retiredKey,
    resourceOwner: ids.instance,
    payload: { expiration_date: "2027-01-01T00:00:00.000Z" },
  },
];

/** Returns the events of the sample that are of that type. */
export function samplesOf<T extends EventType>(type: T): readonly Extract<NewEvent, { type: T }>[] {
  return sampleEvents.filter((event): event is Extract<NewEvent, { type: T }> => event.type === type);
}
