import type { JsonObject } from "@bufbuild/protobuf";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { KeyType } from "../../../gen/gatehouse/v1/key_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { addOrganization, addPerson } from "../../sites/login/support/people.ts";
import { logIn } from "../../support/logins.ts";
import type { TestService } from "../../support/service.ts";
import { addCodeFactorOf } from "../../support/code-factor.ts";
import { generateRecoveryCodes, registerTotp } from "../../support/totp.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import {
  createCaller,
  createProject,
  createServiceUser,
  idOf,
  publicKeySample,
} from "../../support/world.ts";
import { createGroup } from "./tenancy-groups.ts";
import { createLink } from "./tenancy-providers.ts";
import { createHook } from "./tenancy-hooks.ts";
import { createTarget } from "./tenancy-targets.ts";
import { addMember, createApplication, createClients } from "./tenancy-world.ts";

/** Two organizations that hang on each other in every way. What is named is in `home`. */
export interface RemovalWorld {
  readonly home: string;
  readonly partner: string;
  readonly project: string;
  readonly projectGrant: string;
  readonly userGrant: string;
  /** Two others of the organization `home`. */
  readonly otherUserGrants: readonly string[];
  readonly membership: string;
  /** With the person, a grant of each organization, a membership, and another group in it. */
  readonly group: string;
  readonly groupGrant: string;
  readonly samlApp: string;
  readonly oidcApp: string;
  readonly applicationKey: string;
  readonly idp: string;
  readonly target: string;
  /** One of two. */
  readonly targetSecret: string;
  readonly hook: string;
  readonly hookSecret: string;
  readonly externalUserId: string;
  /** A human user with a part of each kind. */
  readonly person: string;
  readonly u2f: string;
  readonly codeFactor: string;
  readonly passkey: string;
  /** Another token was made with it. */
  readonly token: string;
  readonly refreshToken: string;
  readonly session: string;
  /** A service user with keys, tokens and a secret. */
  readonly robot: string;
  /** A key and a token were made with it. */
  readonly robotToken: string;
  /** Another key. */
  readonly key: string;
}

/** Makes such a world. */
export async function createRemovalWorld(service: TestService): Promise<RemovalWorld> {
  const [home, partner] = [await addOrganization(service, "Home"), await addOrganization(service, "Partner")];
  const atHome = createCaller(service, home);
  const atPartner = createCaller(service, partner);
  const lend = async (owner: typeof atHome, projectId: string, grantedOrganizationId: string) =>
    idOf(
      await owner(ProjectService.method.addProjectGrant, {
        projectId,
        grantedOrganizationId,
        roleKeys: ["reader"],
      }),
      "grantId",
    );
  const project = await createProject(service, home, ["reader", "writer"]);
  const lentProject = await createProject(service, partner, ["reader"]);
  const ownProject = await createProject(service, partner, ["reader"]);
  const projectGrant = await lend(atHome, project, partner);
  const lentGrant = await lend(atPartner, lentProject, home);
  const { id: person } = await addPerson(service, home);
  const { id: guest } = await addPerson(service, partner);
  const give = async (
    by: typeof atHome,
    grant: { readonly userId: string; readonly projectId: string; readonly projectGrantId?: string },
  ) =>
    idOf(await by(UserGrantService.method.addUserGrant, { ...grant, roleKeys: ["reader"] }), "userGrantId");
  const userGrant = await give(atHome, { userId: person, projectId: project });
  const otherUserGrants = [
    await give(atHome, { userId: guest, projectId: project }),
    await give(atHome, { userId: person, projectId: lentProject, projectGrantId: lentGrant }),
  ];
  await give(atPartner, { userId: guest, projectId: project, projectGrantId: projectGrant });
  await give(atPartner, { userId: person, projectId: project, projectGrantId: projectGrant });
  await give(atPartner, { userId: person, projectId: ownProject });
  await give(atPartner, { userId: guest, projectId: ownProject });
  const atProject = { scope: { case: "projectId", value: project }, role: "PROJECT_VIEWER" } as const;
  const atGrant = {
    scope: { case: "projectGrantId", value: projectGrant },
    role: "PROJECT_GRANT_OWNER",
  } as const;
  for (const userId of [person, guest]) {
    await addMember(service, { userId, ...atProject });
    await addMember(service, { userId, ...atGrant });
    for (const value of [home, partner]) {
      const scope = { case: "organizationId", value } as const;
      await addMember(service, { userId, scope, role: "ORGANIZATION_VIEWER" });
    }
  }
  const groups = await addGroups(service, { home, partner, project, projectGrant, person, guest });
  const clients = await createClients(service, home, project);
  const elsewhere = await createClients(service, partner, ownProject);
  const link = await createLink(service, home, person);
  const login = await letIn(service, { person, clients, linked: link.identity_provider });
  for (const applicationId of [clients.oidc_application, elsewhere.oidc_application])
    await logIn(service.context, { userId: guest, applicationId, hasRefresh: true });
  await logIn(service.context, {
    userId: person,
    applicationId: elsewhere.oidc_application,
    hasRefresh: true,
  });
  const target = await createTarget(service, home);
  const hook = await createHook(service, home);
  const item = { key: "kept", value: Buffer.from("with its object") };
  const { oidc_application: appId } = clients;
  const metadata = MetadataService.method;
  await atHome(metadata.setUserMetadata, { userId: person, ...item });
  await atHome(metadata.setOrganizationMetadata, { id: home, ...item });
  await atHome(metadata.setProjectMetadata, { projectId: project, ...item });
  await atHome(metadata.setApplicationMetadata, { projectId: project, appId, ...item });
  await atHome(metadata.setGroupMetadata, { groupId: groups.group, ...item });
  return {
    home,
    partner,
    project,
    projectGrant,
    userGrant,
    otherUserGrants,
    membership: await findMembership(service, person, home),
    ...groups,
    samlApp: await createApplication(service, home, project),
    oidcApp: clients.oidc_application,
    applicationKey: clients.application_key,
    idp: link.identity_provider,
    target: target.target,
    targetSecret: target.target_secret,
    hook: hook.hook,
    hookSecret: hook.hook_secret,
    externalUserId: link.idp_link,
    person,
    ...login,
    ...(await addParts(service, person)),
    ...(await addRobot(service, home)),
  };
}

/** Groups of both organizations that hang on each other, as grants and memberships of users do. */
async function addGroups(
  service: TestService,
  of: Pick<RemovalWorld, "home" | "partner" | "project" | "projectGrant" | "person"> & {
    readonly guest: string;
  },
) {
  const { home, partner, project: projectId, projectGrant: projectGrantId } = of;
  const { addGroupGrant, addGroupMembers } = GroupService.method;
  const [atHome, atPartner] = [createCaller(service, home), createCaller(service, partner)];
  const [group, inner, elsewhere] = [
    await createGroup(service, home),
    await createGroup(service, home),
    await createGroup(service, partner),
  ];
  await atHome(addGroupMembers, { groupId: group, userIds: [of.person], groupIds: [inner] });
  await atPartner(addGroupMembers, { groupId: elsewhere, userIds: [of.guest] });
  const added = await atHome(addGroupGrant, { groupId: group, projectId });
  await atHome(addGroupGrant, { groupId: elsewhere, projectId });
  for (const groupId of [group, elsewhere])
    await atPartner(addGroupGrant, { groupId, projectId, projectGrantId });
  const memberships = [
    { groupId: group, scope: { case: "organizationId", value: partner }, role: "ORGANIZATION_VIEWER" },
    { groupId: elsewhere, scope: { case: "projectId", value: projectId }, role: "PROJECT_VIEWER" },
    {
      groupId: elsewhere,
      scope: { case: "projectGrantId", value: projectGrantId },
      role: "PROJECT_GRANT_OWNER",
    },
  ] as const;
  for (const { role, ...membership } of memberships)
    await service.call(MembershipService.method.addMembership, { ...membership, roles: [role] });
  return { group, groupGrant: idOf(added, "groupGrantId") };
}

/** Logs the person in: with the password twice, of which one login is over, and at the provider alone. */
async function letIn(
  service: TestService,
  of: {
    readonly person: string;
    readonly clients: { readonly oidc_application: string };
    readonly linked: string;
  },
) {
  const at = { userId: of.person, applicationId: of.clients.oidc_application };
  const first = await logIn(service.context, { ...at, hasRefresh: true });
  const over = await logIn(service.context, { ...at, hasRefresh: true });
  await service.call(UserService.method.removeRefreshToken, {
    userId: of.person,
    tokenId: over.authorizationId,
  });
  await logIn(service.context, at); // without a refresh token, so that no list shows it
  await logIn(service.context, { ...at, methods: ["IDP"], hasRefresh: true });
  return { session: first.sessionId, refreshToken: first.authorizationId };
}

async function addParts(service: TestService, userId: string) {
  const token = await service.call(UserService.method.addPersonalAccessToken, { userId });
  await service.call(UserService.method.addPersonalAccessToken, { userId }, idOf(token, "token"));
  await service.call(UserService.method.addPersonalAccessToken, { userId });
  await registerTotp(service, userId);
  await generateRecoveryCodes(service, userId);
  return {
    token: idOf(token, "tokenId"),
    u2f: idOf(await service.call(UserService.method.registerU2f, { userId }), "u2fId"),
    passkey: await addPasskey(service, userId),
    codeFactor: await addCodeFactorOf(service, userId),
  };
}

/** Adds a service user, who makes a key and a token with another token. */
async function addRobot(service: TestService, organizationId: string) {
  const { id: userId } = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const added = await service.call(UserService.method.addPersonalAccessToken, { userId });
  const own = idOf(added, "token");
  const key = { userId, type: KeyType.JSON, publicKey: publicKeySample };
  await service.call(UserService.method.addServiceUserKey, key, own);
  await service.call(UserService.method.addPersonalAccessToken, { userId }, own);
  await service.call(UserService.method.generateServiceUserSecret, { userId });
  return {
    robot: userId,
    robotToken: idOf(added, "tokenId"),
    key: idOf(await service.call(UserService.method.addServiceUserKey, key), "keyId"),
  };
}

/** Adds a passkey that the administrator has registered. */
async function addPasskey(service: TestService, userId: string): Promise<string> {
  const begun = await service.call(UserService.method.registerPasskey, { userId });
  const passkeyId = idOf(begun, "passkeyId");
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const credential = registerInSoftware(options, { flags: passkeyFlags });
  await service.call(UserService.method.verifyPasskey, {
    userId,
    passkeyId,
    publicKeyCredential: credential as unknown as JsonObject,
    passkeyName: "laptop",
  });
  return passkeyId;
}

async function findMembership(service: TestService, userId: string, organizationId: string): Promise<string> {
  const { memberships } = await service.call(MembershipService.method.listMemberships, {
    userId,
    organizationId,
  });
  const [membership] = memberships as readonly JsonObject[]; // there is one
  return idOf(membership ?? {}, "id");
}
