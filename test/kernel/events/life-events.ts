import { goneGroup } from "./group-events.ts";
import { goneLabel } from "./label-events.ts";
import { goneTarget } from "./target-events.ts";
import { goneTexts } from "./text-events.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { addApplications, type Applications, changeApplications, changeSaml } from "./application-events.ts";
import { useFactors } from "./factor-events.ts";
import { addSession, takePart } from "./session-events.ts";
import { canary, ids as sampleIds, loginPolicy } from "./sample-events.ts";
import { projectPayload, rolePayload } from "../../support/samples.ts";

/** Ids of what `lifeEvents` adds. Those named `gone` are removed by its end. */
export const lifeIds = {
  organization: "12",
  goneOrganization: "13",
  human: "120",
  service: "121",
  goneUser: "122",
  userOfGoneOrganization: "123",
  jwt: "130",
  oidc: "131",
  goneProvider: "132",
  project: "140",
  goneProject: "141",
  projectGrant: "142",
  goneProjectGrant: "143",
  projectOfGoneOrganization: "144",
  userGrant: "150",
  grantByProjectGrant: "151",
  goneUserGrant: "152",
  application: "160",
  goneApplication: "161",
  oidcApplication: "1601",
  apiApplication: "1602",
  goneApplicationSecret: "1603",
  goneApiSecret: "1604",
  goneApplicationKey: "1605",
  membership: "170",
  goneMembership: "171",
  factor: "180",
  passkey: "169",
  formerTotp: "181",
  totp: "182",
  formerCodes: "183",
  codes: "184",
  token: "190",
  goneKey: "191",
  goneSecret: "192",
  session: "201",
  goneSession: "202",
  goneConfirmation: "211",
  goneLoginPolicy: "222",
} as const;

const ids = lifeIds;
const owner = ids.organization;
const organization = { aggregateId: owner, resourceOwner: owner };
const human = { aggregateId: ids.human, resourceOwner: owner };
const service = { aggregateId: ids.service, resourceOwner: owner };
const project = { aggregateId: ids.project, resourceOwner: owner };
const nothing = { payload: {} } as const;

const profile = {
  given_name: `${canary}-given`,
  family_name: `${canary}-family`,
  display_name: `${canary}-display`,
  preferred_language: `${canary}-tongue`,
  email: `${canary}-mail`,
};
const program = { name: `${canary}-program-name`, description: `${canary}-program-description` };
const settings = (name: string) => projectPayload({ name });
const jwt = {
  jwt_endpoint: "https://idp.test/jwt",
  issuer: "https://idp.test",
  keys_endpoint: "https://idp.test/keys",
  header_name: "x-jwt",
  audiences: [],
};
const oidc = (secretId: string) => ({
  client_id: "client",
  client_secret_id: secretId,
  issuer: "https://idp.test",
  scopes: ["openid"],
  display_name_mapping: "A",
  username_mapping: "B",
});
const metadata = (entityId: string) => ({
  entity_id: entityId,
  metadata_xml: `<EntityDescriptor entityID="${entityId}"/>`,
  assertion_consumer_services: [
    { binding: "POST", location: "https://sp.test/acs", index: 0, is_default: true },
  ],
});

const applications: Applications = {
  organization: owner,
  project: ids.project,
  oidc: ids.oidcApplication,
  api: ids.apiApplication,
  secrets: [ids.goneApplicationSecret, ids.goneApiSecret],
  key: ids.goneApplicationKey,
};

const addOrganization = (id: string, name: string): NewEvent => ({
  type: "organization.added",
  aggregateId: id,
  resourceOwner: id,
  payload: { name },
});
const addUser = (id: string, resourceOwner: string): NewEvent => ({
  type: "user.added",
  aggregateId: id,
  resourceOwner,
  payload: { kind: "human", username: `${canary}-user-${id}`, ...profile, phone: `${canary}-phone-${id}` },
});
const addProject = (id: string, resourceOwner: string): NewEvent => ({
  type: "project.added",
  aggregateId: id,
  resourceOwner,
  payload: settings(`Project ${id}`),
});
const addRole = (projectId: string, resourceOwner: string, key: string): NewEvent => ({
  type: "project.role.added",
  aggregateId: projectId,
  resourceOwner,
  payload: rolePayload(key),
});
const addProjectGrant = (id: string, of: { project: string; owner: string; to: string }): NewEvent => ({
  type: "project_grant.added",
  aggregateId: id,
  resourceOwner: of.owner,
  payload: { project_id: of.project, granted_organization_id: of.to, role_keys: ["reader", "writer"] },
});
const addUserGrant = (
  id: string,
  of: { owner: string; user: string; project: string; by: string },
): NewEvent => ({
  type: "user_grant.added",
  aggregateId: id,
  resourceOwner: of.owner,
  payload: {
    user_id: of.user,
    project_id: of.project,
    project_grant_id: of.by,
    role_keys: ["reader", "writer"],
  },
});
const addMembership = (id: string, userId: string, scope: object, resourceOwner: string): NewEvent => ({
  type: "membership.added",
  aggregateId: id,
  resourceOwner,
  payload: { user_id: userId, ...scope, roles: ["ORGANIZATION_VIEWER"] },
});
const addApplication = (id: string, projectId: string, name: string): NewEvent => ({
  type: "application.added",
  aggregateId: id,
  resourceOwner: owner,
  payload: {
    project_id: projectId,
    name,
    metadata_url: "",
    metadata: metadata(`https://sp.test/life/${id}`),
  },
});
const stopAndStart = (noun: "project" | "project_grant" | "user_grant", id: string): readonly NewEvent[] => [
  { type: `${noun}.deactivated`, aggregateId: id, resourceOwner: owner, payload: {} },
  { type: `${noun}.reactivated`, aggregateId: id, resourceOwner: owner, payload: {} },
];

/** What happens to objects after they were added, with all types that the sample does not have. Comes after the sample. */
export const lifeEvents: readonly NewEvent[] = [
  addOrganization(owner, "Life"),
  addOrganization(ids.goneOrganization, "Gone"),
  { type: "organization.changed", ...organization, payload: { name: "Life 2" } },
  { type: "organization.deactivated", ...organization, ...nothing },
  { type: "organization.reactivated", ...organization, ...nothing },
  addUser(ids.human, owner),
  addUser(ids.goneUser, owner),
  addUser(ids.userOfGoneOrganization, ids.goneOrganization),
  {
    type: "user.added",
    ...service,
    payload: { kind: "service", username: `${canary}-service`, ...program },
  },
  { type: "user.changed", ...human, payload: { username: `${canary}-renamed`, ...profile } },
  { type: "user.changed", ...service, payload: { username: `${canary}-service-2`, ...program } },
  { type: "user.phone.removed", ...human, ...nothing },
  { type: "user.password.set", ...human, payload: { change_required: true, by: ids.human } },
  { type: "user.password.removed", ...human, ...nothing },
  { type: "user.u2f.added", ...human, payload: { u2f_id: ids.factor, domain: "localhost" } },
  { type: "user.u2f.removed", ...human, payload: { u2f_id: ids.factor } },
  ...useFactors(human, ids, sampleIds.token),
  addSession(ids.session, ids.human, owner),
  takePart("213", { id: ids.session, userId: ids.human, owner }, ids.oidcApplication),
  { type: "user.locked", ...human, payload: { cause: "wrong_passwords" } },
  { type: "user.locked", ...human, ...nothing },
  { type: "user.unlocked", ...human, ...nothing },
  { type: "user.deactivated", ...human, ...nothing },
  { type: "user.reactivated", ...human, ...nothing },
  {
    type: "user.token.added",
    aggregateId: ids.goneUser,
    resourceOwner: owner,
    payload: { token_id: ids.token },
  },
  addMembership(ids.membership, ids.human, { organization_id: owner }, owner),
  addMembership(ids.goneMembership, ids.human, { instance: true }, sampleIds.instance),
  {
    type: "membership.changed",
    aggregateId: ids.membership,
    resourceOwner: owner,
    payload: { roles: ["ORGANIZATION_OWNER"] },
  },
  {
    type: "membership.removed",
    aggregateId: ids.goneMembership,
    resourceOwner: sampleIds.instance,
    ...nothing,
  },
  addMembership("172", ids.goneUser, { organization_id: owner }, owner),
  {
    type: "identity_provider.added",
    aggregateId: ids.jwt,
    resourceOwner: owner,
    payload: { name: "Jwt", styling_type: "STYLING_TYPE_UNSPECIFIED", auto_register: false, jwt },
  },
  {
    type: "identity_provider.added",
    aggregateId: ids.oidc,
    resourceOwner: owner,
    payload: {
      name: "Oidc",
      styling_type: "STYLING_TYPE_UNSPECIFIED",
      auto_register: false,
      oidc: oidc("client-secret:131"),
    },
  },
  {
    type: "identity_provider.changed",
    aggregateId: ids.jwt,
    resourceOwner: owner,
    payload: {
      name: "Jwt 2",
      styling_type: "STYLING_TYPE_GOOGLE",
      auto_register: true,
      jwt: { ...jwt, issuer: "https://other.test", audiences: ["a"] },
    },
  },
  {
    type: "identity_provider.changed",
    aggregateId: ids.oidc,
    resourceOwner: owner,
    payload: {
      name: "Oidc 2",
      styling_type: "STYLING_TYPE_UNSPECIFIED",
      auto_register: false,
      oidc: oidc("client-secret:other"),
    },
  },
  { type: "identity_provider.deactivated", aggregateId: ids.jwt, resourceOwner: owner, ...nothing },
  { type: "identity_provider.reactivated", aggregateId: ids.jwt, resourceOwner: owner, ...nothing },
  {
    type: "identity_provider.added",
    aggregateId: ids.goneProvider,
    resourceOwner: owner,
    payload: { name: "Gone", styling_type: "STYLING_TYPE_UNSPECIFIED", auto_register: false, jwt },
  },
  { type: "identity_provider.removed", aggregateId: ids.goneProvider, resourceOwner: owner, ...nothing },
  addProject(ids.project, owner),
  addProject(ids.goneProject, owner),
  addProject(ids.projectOfGoneOrganization, ids.goneOrganization),
  addRole(ids.project, owner, "reader"),
  addRole(ids.project, owner, "writer"),
  addRole(ids.project, owner, "gone"),
  addRole(ids.goneProject, owner, "reader"),
  addRole(ids.goneProject, owner, "writer"),
  addRole(ids.projectOfGoneOrganization, ids.goneOrganization, "reader"),
  addRole(ids.projectOfGoneOrganization, ids.goneOrganization, "writer"),
  {
    type: "project.role.changed",
    ...project,
    payload: { role_key: "reader", display_name: "Reads", group: "G" },
  },
  ...stopAndStart("project", ids.project),
  addProjectGrant(ids.projectGrant, { project: ids.project, owner, to: sampleIds.partner }),
  addProjectGrant(ids.goneProjectGrant, { project: ids.project, owner, to: ids.goneOrganization }),
  addProjectGrant("145", { project: ids.goneProject, owner, to: sampleIds.partner }),
  addProjectGrant("146", {
    project: ids.projectOfGoneOrganization,
    owner: ids.goneOrganization,
    to: owner,
  }),
  ...stopAndStart("project_grant", ids.projectGrant),
  addUserGrant(ids.userGrant, { owner, user: ids.human, project: ids.project, by: "" }),
  addUserGrant(ids.goneUserGrant, { owner, user: ids.service, project: ids.project, by: "" }),
  addUserGrant(ids.grantByProjectGrant, {
    owner: sampleIds.partner,
    user: ids.human,
    project: ids.project,
    by: ids.projectGrant,
  }),
  addUserGrant("153", { owner, user: ids.goneUser, project: ids.project, by: "" }),
  addUserGrant("154", { owner, user: ids.human, project: ids.goneProject, by: "" }),
  addUserGrant("155", { owner, user: ids.human, project: ids.projectOfGoneOrganization, by: "146" }),
  addUserGrant("156", {
    owner: ids.goneOrganization,
    user: ids.userOfGoneOrganization,
    project: ids.project,
    by: ids.goneProjectGrant,
  }),
  addMembership("173", ids.human, { project_grant_id: ids.goneProjectGrant }, ids.goneOrganization),
  addMembership("174", ids.human, { project_id: ids.goneProject }, owner),
  addMembership("175", ids.human, { project_grant_id: "145" }, sampleIds.partner),
  addMembership("176", ids.userOfGoneOrganization, { project_id: ids.project }, owner),
  {
    type: "user_grant.changed",
    aggregateId: ids.userGrant,
    resourceOwner: owner,
    payload: { role_keys: ["gone", "reader"] },
  },
  ...stopAndStart("user_grant", ids.userGrant),
  addApplication(ids.application, ids.project, "App"),
  addApplication(ids.goneApplication, ids.project, "Gone"),
  addApplication("162", ids.goneProject, "App of a project that goes"),
  {
    type: "application.changed",
    aggregateId: ids.application,
    resourceOwner: owner,
    payload: { name: "App 2" },
  },
  ...changeSaml(
    { aggregateId: ids.application, resourceOwner: owner },
    metadata("https://sp.test/life/other"),
  ),
  ...addApplications(applications),
  ...changeApplications(applications),
  { type: "application.deactivated", aggregateId: ids.application, resourceOwner: owner, ...nothing },
  { type: "application.reactivated", aggregateId: ids.application, resourceOwner: owner, ...nothing },
  { type: "application.removed", aggregateId: ids.goneApplication, resourceOwner: owner, ...nothing },
  { type: "user_grant.removed", aggregateId: ids.goneUserGrant, resourceOwner: owner, ...nothing },
  { type: "project.role.removed", ...project, payload: { role_key: "gone" } },
  {
    type: "project_grant.changed",
    aggregateId: ids.projectGrant,
    resourceOwner: owner,
    payload: { role_keys: ["writer"] },
  },
  { type: "project_grant.removed", aggregateId: ids.goneProjectGrant, resourceOwner: owner, ...nothing },
  { type: "project.removed", aggregateId: ids.goneProject, resourceOwner: owner, ...nothing },
  {
    type: "user.key.added",
    aggregateId: ids.service,
    resourceOwner: owner,
    payload: { key_id: ids.goneKey, public_key: "{}" },
  },
  {
    type: "user.key.removed",
    aggregateId: ids.service,
    resourceOwner: owner,
    payload: { key_id: ids.goneKey },
  },
  {
    type: "user.secret.set",
    aggregateId: ids.service,
    resourceOwner: owner,
    payload: { secret_id: ids.goneSecret },
  },
  {
    type: "user.secret.removed",
    aggregateId: ids.service,
    resourceOwner: owner,
    payload: { secret_id: ids.goneSecret },
  },
  addSession(ids.goneSession, ids.goneUser, owner),
  {
    type: "authorization.confirmed",
    aggregateId: ids.goneConfirmation,
    resourceOwner: owner,
    payload: { user_id: ids.goneUser, application_id: ids.application },
  },
  {
    type: "login_policy.added",
    aggregateId: ids.goneLoginPolicy,
    resourceOwner: owner,
    payload: loginPolicy,
  },
  ...goneLabel(owner),
  ...goneGroup({ organization: owner, user: ids.human, project: ids.project }),
  ...goneTexts(owner),
  ...goneTarget(owner),
  { type: "login_policy.removed", aggregateId: ids.goneLoginPolicy, resourceOwner: owner, ...nothing },
  { type: "user.removed", aggregateId: ids.goneUser, resourceOwner: owner, ...nothing },
  {
    type: "organization.removed",
    aggregateId: ids.goneOrganization,
    resourceOwner: ids.goneOrganization,
    ...nothing,
  },
];
