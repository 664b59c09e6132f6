import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { KeyType } from "../../../gen/gatehouse/v1/key_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { logIn } from "../../support/logins.ts";
import type { TestService } from "../../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createServiceUser,
  idOf,
  nextPhone,
  publicKeySample,
  samlMetadata,
  type TestUser,
  uniqueName,
} from "../../support/world.ts";
import {
  callers,
  type OrganizationName,
  type PlaceName,
  placeNames,
  places,
  type RoleName,
} from "./tenancy-roles.ts";
import { createGroups } from "./tenancy-groups.ts";
import { createLink } from "./tenancy-providers.ts";
import { instanceIdOf } from "./tenancy-instance.ts";
import { createTargetWithDelivery, type TargetObjects } from "./tenancy-targets.ts";
import type { ScopeKind } from "./tenancy-rpcs.ts";

/** The ids of one object of each kind; a role has its key. */
export interface Objects extends TargetObjects {
  readonly organization: string;
  readonly project: string;
  readonly role: string;
  readonly project_grant: string;
  /** A SAML application. */
  readonly application: string;
  readonly oidc_application: string;
  readonly api_application: string;
  /** Of the OIDC application. */
  readonly application_key: string;
  /** A human user with a phone that waits for its code. */
  readonly user: string;
  readonly service_user: string;
  /** Of the service user, who has a secret as well. */
  readonly key: string;
  readonly second_factor: string;
  readonly passkey: string;
  readonly personal_access_token: string;
  /** Of the user, who has let the OIDC application in. */
  readonly session: string;
  readonly refresh_token: string;
  readonly identity_provider: string;
  /** The identity at the provider that is linked to the user. */
  readonly idp_link: string;
  /** The provider, which the own policy of the organization lists. */
  readonly login_policy_idp: string;
  readonly user_grant: string;
  /** Who has the user grant. */
  readonly grant_user: string;
  readonly group: string;
  readonly group_grant: string;
  /** Has the group grant: a group of the organization that gave it. */
  readonly grant_group: string;
  /** A user of the organization that the project is granted to. */
  readonly grantee: string;
  readonly instance_membership: string;
  readonly organization_membership: string;
  readonly project_membership: string;
  readonly project_grant_membership: string;
}

/** What the matrix is about. */
export interface TenancyWorld {
  readonly service: TestService;
  readonly organizations: Readonly<Record<OrganizationName | "instance", string>>;
  readonly objects: Readonly<Record<PlaceName, Objects>>;
  /** By the name of the caller. */
  readonly users: ReadonlyMap<string, TestUser>;
}

/** The role that a new membership of the matrix gives. */
export const roleOn: Readonly<Record<ScopeKind, string>> = {
  instance: "INSTANCE_VIEWER",
  organization: "ORGANIZATION_VIEWER",
  project: "PROJECT_VIEWER",
  project_grant: "PROJECT_GRANT_OWNER",
};

/** Makes the organizations, an object of each kind in each place, and everybody who calls. */
export async function createTenancyWorld(service: TestService): Promise<TenancyWorld> {
  const made = await createOrganizations(service);
  const instance = await instanceIdOf(service);
  const organizations = { ...made, never: neverExisted(made.ours), instance };
  const instanceMembership = await addMember(service, {
    userId: await createHumanUser(service, made.hq),
    scope: { case: "instance", value: true },
    role: roleOn.instance,
  });
  const there = await Promise.all(
    placeNames
      .filter((place) => places[place].isThere)
      .map(async (place) => {
        const objects = await createObjects(service, place, organizations);
        return [place, { ...objects, instance_membership: instanceMembership }] as const;
      }),
  );
  const { own, ...others } = Object.fromEntries(there) as Record<PlaceName, Objects>; // those that are there
  const never = Object.fromEntries(
    Object.entries(own).map(([kind, id]) => [kind, kind === "role" ? "role-never00" : neverExisted(id)]),
  ) as unknown as Objects; // the same keys
  const removed = await removeAll(service, organizations, own.project);
  const objects = { ...others, own, removed, never };
  return { service, organizations, objects, users: await createUsers(service, organizations, objects) };
}

/** Returns an id of the same length, from a time at which there was no service. */
function neverExisted(id: string): string {
  return String(BigInt(id) - (1n << 44n));
}

async function createOrganizations(service: TestService) {
  const add = async (stem: string) =>
    idOf(
      await service.call(OrganizationService.method.addOrganization, { name: uniqueName(stem) }),
      "organizationId",
    );
  return {
    hq: await add("Hq"),
    ours: await add("Ours"),
    theirs: await add("Theirs"),
    grantor: await add("Grantor"),
    partner: await add("Partner"),
    removed: await add("Removed"),
  };
}

type Organizations = TenancyWorld["organizations"];

async function createObjects(
  service: TestService,
  place: PlaceName,
  organizations: Organizations,
): Promise<Omit<Objects, "instance_membership">> {
  const facts = places[place];
  const organization = organizations[facts.organization];
  const inside = createCaller(service, organization);
  const project = await createProject(service, organization, `role-${place}`.padEnd(12, "0"));
  const grant = await inside(ProjectService.method.addProjectGrant, {
    projectId: project.id,
    grantedOrganizationId: organizations[facts.grantedTo],
    roleKeys: [project.role],
  });
  const projectGrantId = idOf(grant, "grantId");
  const user = await createHumanUser(service, organization);
  const grantee = await createHumanUser(service, organizations[facts.grantedTo]);
  const isOwner = facts.giver === facts.organization;
  const grantUser = await createHumanUser(service, organizations[facts.giver]);
  const userGrant = await createCaller(service, organizations[facts.giver])(
    UserGrantService.method.addUserGrant,
    {
      userId: grantUser,
      projectId: project.id,
      projectGrantId: isOwner ? "" : projectGrantId,
      roleKeys: [project.role],
    },
  );
  const groups = await createGroups(service, {
    organization,
    userId: user,
    giver: organizations[facts.giver],
    projectId: project.id,
    projectGrantId: isOwner ? "" : projectGrantId,
  });
  const member = (userId: string, scope: MembershipScope, kind: ScopeKind) =>
    addMember(service, { userId, scope, role: roleOn[kind] });
  const clients = await createClients(service, organization, project.id);
  return {
    organization,
    project: project.id,
    role: project.role,
    project_grant: projectGrantId,
    application: await createApplication(service, organization, project.id),
    ...clients,
    user,
    ...(await createLogin(service, user, clients.oidc_application)),
    ...(await createPartsOf(service, user)),
    ...(await createServiceUserWithKey(service, organization)),
    ...(await createLink(service, organization, user)),
    ...(await createTargetWithDelivery(service, organization)),
    ...groups,
    user_grant: idOf(userGrant, "userGrantId"),
    grant_user: grantUser,
    grantee,
    organization_membership: await member(
      await createHumanUser(service, organization),
      { case: "organizationId", value: organization },
      "organization",
    ),
    project_membership: await member(
      await createHumanUser(service, organization),
      { case: "projectId", value: project.id },
      "project",
    ),
    project_grant_membership: await member(
      grantee,
      { case: "projectGrantId", value: projectGrantId },
      "project_grant",
    ),
  };
}

async function createPartsOf(service: TestService, userId: string) {
  await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  return {
    second_factor: idOf(await service.call(UserService.method.registerU2f, { userId }), "u2fId"),
    passkey: idOf(await service.call(UserService.method.registerPasskey, { userId }), "passkeyId"),
    personal_access_token: idOf(
      await service.call(UserService.method.addPersonalAccessToken, { userId }),
      "tokenId",
    ),
  };
}

/** Logs a user in, and lets an application have a refresh token. */
export async function createLogin(service: TestService, userId: string, applicationId: string) {
  const made = await logIn(service.context, { userId, applicationId, hasRefresh: true });
  return { session: made.sessionId, refresh_token: made.authorizationId };
}

async function createServiceUserWithKey(service: TestService, organization: string) {
  const { id: userId } = await createServiceUser(service, organization);
  const added = await service.call(UserService.method.addServiceUserKey, {
    userId,
    type: KeyType.JSON,
    publicKey: publicKeySample,
  });
  await service.call(UserService.method.generateServiceUserSecret, { userId });
  return { service_user: userId, key: idOf(added, "keyId") };
}

/** Makes a project with one role. */
export async function createProject(service: TestService, organization: string, role: string) {
  const inside = createCaller(service, organization);
  const id = idOf(await inside(ProjectService.method.addProject, { name: uniqueName("Project") }), "id");
  await inside(ProjectService.method.addProjectRole, { projectId: id, roleKey: role });
  return { id, role };
}

/** Makes an application and returns its id. */
export async function createApplication(service: TestService, organization: string, projectId: string) {
  const name = uniqueName("Application");
  const added = await createCaller(service, organization)(ApplicationService.method.createSamlApplication, {
    projectId,
    name,
    metadataXml: samlMetadata(`https://sp.example.com/${encodeURIComponent(name)}`),
  });
  return idOf(added, "appId");
}

/** Makes an OIDC application with a key, and an API application. */
export async function createClients(service: TestService, organization: string, projectId: string) {
  const inside = createCaller(service, organization);
  const appId = await createOidcApplication(service, organization, projectId);
  const key = { projectId, appId, type: KeyType.JSON, publicKey: publicKeySample };
  const api = { projectId, name: uniqueName("Api") };
  return {
    oidc_application: appId,
    application_key: idOf(await inside(ApplicationService.method.addApplicationKey, key), "id"),
    api_application: idOf(await inside(ApplicationService.method.createApiApplication, api), "appId"),
  };
}

export type MembershipScope = NonNullable<
  MessageInitShape<typeof MembershipService.method.addMembership.input>["scope"]
>;

/** Gives a user a role, whatever ways to sign in that takes from them, and returns the id of the membership. */
export async function addMember(
  service: TestService,
  member: { readonly userId: string; readonly scope: MembershipScope; readonly role: string },
): Promise<string> {
  const { userId, scope, role } = member;
  return idOf(
    await service.call(MembershipService.method.addMembership, { userId, scope, roles: [role], force: true }),
    "membershipId",
  );
}

/** Makes objects in ours, removes each by its own call, and removes an organization too. */
async function removeAll(
  service: TestService,
  organizations: Organizations,
  ownProjectId: string,
): Promise<Objects> {
  const objects = await createObjects(service, "own", organizations);
  const inside = createCaller(service, organizations.ours);
  const scope = { case: "instance", value: true } as const;
  const userId = await createHumanUser(service, organizations.hq);
  const instanceMembership = await addMember(service, { userId, scope, role: roleOn.instance });
  const projectId = objects.project;
  const removedRole = { projectId: ownProjectId, roleKey: "role-removed" };
  await inside(ProjectService.method.addProjectRole, removedRole);
  const removals: readonly (readonly [DescMethodUnary, Readonly<Record<string, unknown>>])[] = [
    [ProjectService.method.removeProjectRole, removedRole],
    [GroupService.method.removeGroupGrant, { groupId: objects.grant_group, grantId: objects.group_grant }],
    ...[objects.group, objects.grant_group].map((id) => [GroupService.method.removeGroup, { id }] as const),
    [UserGrantService.method.removeUserGrant, { userId: objects.grant_user, grantId: objects.user_grant }],
    ...[
      instanceMembership,
      objects.organization_membership,
      objects.project_membership,
      objects.project_grant_membership,
    ].map((membershipId) => [MembershipService.method.removeMembership, { membershipId }] as const),
    [UserService.method.removeU2f, { userId: objects.user, u2fId: objects.second_factor }],
    [UserService.method.removePasskey, { userId: objects.user, passkeyId: objects.passkey }],
    [
      UserService.method.removePersonalAccessToken,
      { userId: objects.user, tokenId: objects.personal_access_token },
    ],
    [UserService.method.removeRefreshToken, { userId: objects.user, tokenId: objects.refresh_token }],
    [
      UserService.method.removeIdpLink,
      { userId: objects.user, idpId: objects.identity_provider, externalUserId: objects.idp_link },
    ],
    [UserService.method.removeServiceUserKey, { userId: objects.service_user, keyId: objects.key }],
    [TargetService.method.removeTarget, { targetId: objects.target }],
    [HookService.method.removeHook, { hookId: objects.hook }],
    [IdentityProviderService.method.removeIdentityProvider, { idpId: objects.identity_provider }],
    [
      ApplicationService.method.removeApplicationKey,
      { projectId, appId: objects.oidc_application, keyId: objects.application_key },
    ],
    ...[objects.application, objects.oidc_application, objects.api_application].map(
      (appId) => [ApplicationService.method.removeApplication, { projectId, appId }] as const,
    ),
    [ProjectService.method.removeProjectGrant, { projectId, grantId: objects.project_grant }],
    [ProjectService.method.removeProject, { id: projectId }],
    ...[objects.user, objects.service_user, objects.grant_user, objects.grantee].map(
      (id) => [UserService.method.removeUser, { userId: id }] as const,
    ),
    [OrganizationService.method.removeOrganization, { id: organizations.removed }],
  ];
  for (const [method, request] of removals) await inside(method, request);
  return {
    ...objects,
    organization: organizations.removed,
    instance_membership: instanceMembership,
    role: removedRole.roleKey,
  };
}

/** Makes a service user with a role, and a token that does not carry it: somebody without it made the token. */
async function createLimited(service: TestService, organization: string, role: RoleName): Promise<TestUser> {
  const { id } = await createServiceUser(service, organization);
  const maker = await createServiceUser(service, organization, "ORGANIZATION_USER_MANAGER");
  const request = { userId: id };
  const made = await service.call(UserService.method.addPersonalAccessToken, request, maker.token);
  await addMember(service, { userId: id, scope: { case: "organizationId", value: organization }, role });
  return { id, token: idOf(made, "token") };
}

async function createUsers(
  service: TestService,
  organizations: Organizations,
  objects: TenancyWorld["objects"],
): Promise<ReadonlyMap<string, TestUser>> {
  const users = new Map<string, TestUser>();
  for (const { name, home, held, leftOut } of callers) {
    const user =
      leftOut === undefined
        ? await createServiceUser(service, organizations[home])
        : await createLimited(service, organizations[home], leftOut);
    users.set(name, user);
    if (held === undefined) continue;
    const at: Readonly<Record<ScopeKind, () => MembershipScope>> = {
      instance: () => ({ case: "instance", value: true }),
      organization: () => ({ case: "organizationId", value: organizations[home] }),
      project: () => ({ case: "projectId", value: objects.own.project }),
      project_grant: () => ({ case: "projectGrantId", value: objects.granted.project_grant }),
    };
    await addMember(service, { userId: user.id, scope: at[held.scope.kind](), role: held.role });
  }
  return users;
}
