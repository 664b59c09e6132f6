import { useSigningKeys } from "./signing-key-events.ts";
import { addSession, checkLink, takePart } from "./session-events.ts";
import { linkEvents, linkIds, offerEvents } from "./link-events.ts";
import { groupEvents } from "./group-events.ts";
import { labelEvents } from "./label-events.ts";
import { claimEvents, metadataEvents } from "./metadata-events.ts";
import { hookEvents } from "./hook-events.ts";
import { targetEvents } from "./target-events.ts";
import { textEvents } from "./text-events.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { addApplications, externalClientEvents } from "./application-events.ts";
import { projectPayload } from "../../support/samples.ts";

/** What stands in every personal field of the sample: nothing of it may be found in clear. What its human user has beside them. */
export const canary = "canary-7d1f";
export const humanRest = { kind: "human", imported_id_digest: "0".repeat(64) } as const;

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
  oidcApplication: "52",
  apiApplication: "53",
  applicationSecret: "54",
  apiSecret: "55",
  applicationKey: "56",
  factor: "60",
  passkey: "62",
  codes: "61",
  token: "70",
  childToken: "71",
  removedToken: "72",
  limitedToken: "73",
  key: "702",
  secret: "708",
  tokenKeys: { signing: "90", retired: "96", former: "97" },
  samlKeys: { signing: "91", retired: "98", former: "99" },
  session: "200",
  openSession: "203",
  authorization: "210",
  loginPolicy: "220",
  defaultLoginPolicy: "221",
  ...linkIds,
} as const;

const organization = { aggregateId: ids.organization, resourceOwner: ids.organization };
const human = { aggregateId: ids.human, resourceOwner: ids.organization };
const service = { aggregateId: ids.service, resourceOwner: ids.organization };
const project = { aggregateId: ids.project, resourceOwner: ids.organization };
const pending = { aggregateId: ids.pending, resourceOwner: ids.organization };
const session = { aggregateId: ids.session, resourceOwner: ids.organization };
const shown = { claims: ["identity"], audiences: [ids.project], api_scopes: [], offline_access: true };
const authorization = { aggregateId: ids.authorization, resourceOwner: ids.organization };
/** The settings of a login policy. */
export const loginPolicy = {
  allow_password: true,
  force_mfa: false,
  min_password_length: 12,
  max_password_attempts: 3,
  session_idle_seconds: 600,
  session_lifetime_seconds: 3600,
  second_factors: ["U2F"],
  notify_security_changes: true,
  login_names: ["USERNAME", "EMAIL"],
};
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
  imported_id: `${canary}-imported-id`,
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
  { type: "user.added", ...human, payload: { ...humanRest, ...humanFields } },
  { type: "user.added", ...service, payload: { kind: "service", ...serviceFields } },
  {
    type: "membership.added",
    aggregateId: "80",
    resourceOwner: ids.instance,
    payload: { user_id: ids.service, instance: true, roles: ["INSTANCE_OWNER"] },
  },
  { type: "user.phone.code.added", ...human, payload: {} },
  { type: "user.phone.verified", ...human, payload: { by: "sent_code" } },
  { type: "user.phone.set", ...human, payload: { phone: `${canary}-other-phone` } },
  { type: "user.email.code.added", ...human, payload: {} },
  { type: "user.email.verified", ...human, payload: { by: "sent_code" } },
  { type: "user.email.delivery.failed", ...human, payload: { message: "verification" } },
  { type: "user.phone.delivery.failed", ...human, payload: { message: "verification" } },
  { type: "user.email.unverified", ...human, payload: { cause: "roles_gained" } },
  { type: "user.email.set", ...human, payload: { email: `${canary}-other-email` } },
  { type: "user.password.reset.requested", ...human, payload: {} },
  { type: "user.invitation.sent", ...human, payload: { expiration_date: "2026-01-08T00:00:00.000Z" } },
  { type: "user.invitation.ended", ...human, payload: { cause: "accepted" } },
  {
    type: "user.password.set",
    ...human,
    payload: { change_required: true, by: ids.service, made_with_token_id: ids.token, code_to: "email" },
  },
  { type: "user.password.check.failed", ...human, payload: { reason: "not_set" } },
  { type: "user.password.check.failed", ...human, payload: { reason: "wrong" } },
  { type: "user.password.removed", ...human, payload: { cause: "roles_gained" } },
  { type: "user.password.set", ...human, payload: { change_required: false, by: ids.human } },
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
  { type: "user.u2f.questioned", ...human, payload: { u2f_id: ids.factor } },
  { type: "user.u2f.kept", ...human, payload: { u2f_id: ids.factor } },
  {
    type: "user.u2f.counter.regressed",
    ...human,
    payload: { u2f_id: ids.factor, last_counter: "7", counter: "7" },
  },
  { type: "user.passkey.added", ...human, payload: { passkey_id: ids.passkey, domain: "localhost" } },
  {
    type: "user.passkey.verified",
    ...human,
    payload: {
      passkey_id: ids.passkey,
      name: `${canary}-passkey`,
      credential_id: "AAED",
      public_key: "AwQG",
      counter: "7",
      aaguid: "00000000-0000-0000-0000-000000000000",
      attestation_format: "none",
      backup_eligible: true,
      backed_up: false,
      made_with_token_id: ids.token,
    },
  },
  { type: "user.passkey.questioned", ...human, payload: { passkey_id: ids.passkey } },
  { type: "user.passkey.kept", ...human, payload: { passkey_id: ids.passkey } },
  { type: "user.passkey.backup.changed", ...human, payload: { passkey_id: ids.passkey, backed_up: true } },
  {
    type: "user.passkey.counter.regressed",
    ...human,
    payload: { passkey_id: ids.passkey, last_counter: "7", counter: "7" },
  },
  { type: "user.recovery_codes.added", ...human, payload: { codes_id: ids.codes, count: 10 } },
  { type: "user.recovery_codes.used", ...human, payload: { codes_id: ids.codes } },
  ...linkEvents({ ...human, canary, tokenId: ids.token, providers: [ids.oidc, ids.jwt] }),
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
  { type: "user.secret.set", ...service, payload: { secret_id: ids.secret, made_with_token_id: ids.token } },
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
    type: "membership.limited",
    aggregateId: "81",
    resourceOwner: ids.organization,
    payload: { limited_token_ids: [ids.token] },
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
      held_at_home: true,
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
  ...addApplications({
    organization: ids.organization,
    project: ids.project,
    oidc: ids.oidcApplication,
    api: ids.apiApplication,
    secrets: [ids.applicationSecret, ids.apiSecret],
    key: ids.applicationKey,
  }),
  ...useSigningKeys(ids.instance, ids.tokenKeys, { use: "oidc" }),
  ...useSigningKeys(ids.instance, ids.samlKeys, { use: "saml", certificate: "MAA=" }),
  {
    type: "session.added",
    ...session,
    payload: {
      user_id: ids.human,
      application_id: ids.sent,
      methods: ["PASSWORD"],
      expiration_date: "2027-01-01T00:00:00.000Z",
      user_agent: `${canary}-browser`,
      remote_address: `${canary}-address`,
    },
  },
  {
    type: "session.checked",
    ...session,
    payload: { method: "U2F", factor_id: ids.factor, counter: "9" },
  },
  checkLink(session, { link_id: linkIds.link, idp_id: ids.oidc }),
  {
    type: "session.checked",
    ...session,
    payload: { method: "IDP", auth_date: "2026-01-01T00:00:00.000Z", issuer: "https://idp.example" },
  },
  takePart(ids.authorization, { id: ids.session, userId: ids.human, owner: ids.organization }, ids.sent),
  {
    type: "authorization.unconfirmed",
    ...authorization,
    payload: { user_id: ids.human, application_id: ids.sent },
  },
  {
    type: "authorization.confirmed",
    ...authorization,
    payload: { user_id: ids.human, application_id: ids.sent, shown },
  },
  { type: "authorization.revoked", ...authorization, payload: { reason: "removed" } },
  { type: "session.terminated", ...session, payload: { reason: "logout" } },
  addSession(ids.openSession, ids.human, ids.organization),
  takePart("212", { id: ids.openSession, userId: ids.human, owner: ids.organization }, ids.oidcApplication),
  ...[ids.loginPolicy, ids.defaultLoginPolicy].map(
    (id): NewEvent => ({
      type: "login_policy.added",
      aggregateId: id,
      resourceOwner: id === ids.loginPolicy ? ids.organization : ids.instance,
      payload: loginPolicy,
    }),
  ),
  ...offerEvents({ id: ids.loginPolicy, owner: ids.organization, providers: [ids.oidc, ids.jwt] }),
  {
    type: "login_policy.changed",
    aggregateId: ids.defaultLoginPolicy,
    resourceOwner: ids.instance,
    payload: { ...loginPolicy, force_mfa: true },
  },
  ...labelEvents(ids),
  ...[textEvents, externalClientEvents, targetEvents].flatMap((make) => make(ids)),
  ...groupEvents({ organization: ids.organization, user: ids.human, project: ids.project }),
  ...metadataEvents(ids, canary),
  ...claimEvents(ids),
  ...hookEvents(ids),
];
