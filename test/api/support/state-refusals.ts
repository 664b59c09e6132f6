import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  createCaller,
  createHumanUser,
  idOf,
  membershipIdOf,
  nextPhone,
  passwordHashSample,
  uniqueName,
} from "../../support/world.ts";
import type { Ready } from "./condition-rpcs.ts";
import { createProvider } from "./tenancy-providers.ts";
import { addMember, createClients, type TenancyWorld } from "./tenancy-world.ts";

/** A change of one object that is refused for what is stored, and always will be. */
export interface StateRefusal {
  readonly method: DescMethodUnary;
  readonly reason: string;
  /** Returns the request. The object is there, and the administrator may change it. */
  request(world: TenancyWorld): Promise<JsonObject>;
}

const users = UserService.method;
const organizations = OrganizationService.method;
const providers = IdentityProviderService.method;

const newUser = (world: TenancyWorld) => createHumanUser(world.service, world.organizations.ours);

/** Returns the id of the administrator, the only owner of the instance that counts. */
async function adminOf({ service }: TenancyWorld): Promise<string> {
  const { memberships } = await service.call(MembershipService.method.listMemberships, { instance: true });
  const first = (memberships as readonly JsonObject[]).find(({ roles }) =>
    (roles as readonly string[]).includes("INSTANCE_OWNER"),
  );
  return idOf(first ?? {}, "userId"); // oldest first
}

/** Makes the administrator the only owner of the instance. */
async function dismissOthers(world: TenancyWorld): Promise<string> {
  const admin = await adminOf(world);
  const { service } = world;
  const { memberships } = await service.call(MembershipService.method.listMemberships, { instance: true });
  for (const membership of memberships as readonly JsonObject[]) {
    const { userId, roles } = membership;
    if (userId === admin || !(roles as readonly string[]).includes("INSTANCE_OWNER")) continue;
    await service.call(MembershipService.method.removeMembership, { membershipId: idOf(membership, "id") });
  }
  return admin;
}

/** Changes of one object that what is stored forbids. */
export const stateRefusals: readonly StateRefusal[] = [
  {
    method: users.lockUser,
    reason: "STATE_CONFLICT",
    async request(world) {
      const userId = await newUser(world);
      await world.service.call(users.deactivateUser, { userId });
      return { userId };
    },
  },
  {
    method: users.updateServiceUser,
    reason: "WRONG_KIND",
    request: async (world) => ({ userId: await newUser(world), username: uniqueName("u"), name: "Name" }),
  },
  {
    method: users.updateHumanUser,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({
      userId: objects.own.service_user,
      username: uniqueName("u"),
      givenName: "Ada",
      familyName: "Lovelace",
      email: "ada@example.com",
    }),
  },
  {
    method: users.setPhone,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({
      userId: objects.own.service_user,
      phone: nextPhone(),
      returnCode: {},
    }),
  },
  {
    method: users.removePhone,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({ userId: objects.own.service_user }),
  },
  {
    method: users.resendPhoneCode,
    reason: "CODE_NOT_PENDING",
    request: async (world) => ({ userId: await newUser(world), returnCode: {} }),
  },
  {
    method: users.verifyPhone,
    reason: "CODE_NOT_PENDING",
    request: async (world) => ({ userId: await newUser(world), verificationCode: "12345678" }),
  },
  {
    method: users.verifyEmail,
    reason: "CODE_NOT_PENDING",
    request: async (world) => ({ userId: await newUser(world), verificationCode: "12345678" }),
  },
  {
    method: users.resendEmailCode,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({ userId: objects.own.service_user, returnCode: {} }),
  },
  {
    method: users.setEmail,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({
      userId: objects.own.service_user,
      email: "ada@example.com",
      isVerified: true,
    }),
  },
  {
    method: users.setPassword,
    reason: "PASSWORD_TOO_WEAK",
    request: async (world) => ({ userId: await newUser(world), password: "short" }),
  },
  {
    method: users.setPasswordHash,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({
      userId: objects.own.service_user,
      encodedHash: passwordHashSample,
    }),
  },
  {
    method: users.requestPasswordReset,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({ userId: objects.own.service_user, returnCode: {} }),
  },
  {
    method: users.removePassword,
    reason: "WRONG_KIND",
    request: async ({ objects }) => ({ userId: objects.own.service_user }),
  },
  ...[users.removeUser, users.deactivateUser, users.lockUser].map((method) => ({
    method,
    reason: "LAST_INSTANCE_OWNER",
    request: async (world: TenancyWorld) => ({ userId: await dismissOthers(world) }),
  })),
  {
    method: MembershipService.method.removeMembership,
    reason: "LAST_INSTANCE_OWNER",
    request: async (world) => ({
      membershipId: await membershipIdOf(world.service, await dismissOthers(world)),
    }),
  },
  {
    method: MembershipService.method.updateMembership,
    reason: "LAST_INSTANCE_OWNER",
    request: async (world) => ({
      membershipId: await membershipIdOf(world.service, await dismissOthers(world)),
      roles: ["INSTANCE_VIEWER"],
    }),
  },
  {
    method: MembershipService.method.updateMembership,
    reason: "FIELD_INVALID",
    async request(world) {
      const { ours } = world.organizations;
      const scope = { case: "organizationId", value: ours } as const;
      const member = { userId: await newUser(world), scope, role: "ORGANIZATION_VIEWER" };
      return { membershipId: await addMember(world.service, member), roles: ["INSTANCE_OWNER"] };
    },
  },
  {
    method: organizations.updateOrganization,
    reason: "ALREADY_EXISTS",
    async request({ service, organizations: { ours } }) {
      const name = uniqueName("Taken");
      await service.call(organizations.addOrganization, { name });
      return { id: ours, name };
    },
  },
  {
    method: ApplicationService.method.updateSamlConfig,
    reason: "SAML_METADATA_MALFORMED",
    request: async ({ objects: { own } }) => ({
      projectId: own.project,
      appId: own.application,
      metadataXml: Buffer.from("<a").toString("base64"),
    }),
  },
  {
    method: ApplicationService.method.updateSamlSettings,
    reason: "WRONG_KIND",
    async request({ service, organizations: { ours }, objects: { own } }) {
      const { oidc_application: appId } = await createClients(service, ours, own.project);
      return { projectId: own.project, appId };
    },
  },
  {
    method: ApplicationService.method.updateOidcConfig,
    reason: "WRONG_KIND",
    request: async ({ objects: { own } }) => ({
      projectId: own.project,
      appId: own.application,
      redirectUris: ["https://app.example.com/cb"],
    }),
  },
  {
    method: ApplicationService.method.generateClientSecret,
    reason: "STATE_CONFLICT",
    async request({ service, organizations: { ours }, objects: { own } }) {
      const { oidc_application: appId } = await createClients(service, ours, own.project);
      const redirectUris = ["https://app.example.com/cb"];
      await createCaller(service, ours)(ApplicationService.method.updateOidcConfig, {
        projectId: own.project,
        appId,
        redirectUris,
        authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT,
      });
      return { projectId: own.project, appId };
    },
  },
  {
    method: providers.updateIdentityProvider,
    reason: "WRONG_KIND",
    request: async ({ service, organizations: { ours } }) => ({
      idpId: await createProvider(service, ours),
      name: uniqueName("Provider"),
      oidc: { issuer: "https://idp.example.com", clientId: "client", clientSecret: "a-client-secret" },
    }),
  },
  {
    method: ProjectService.method.updateProjectGrant,
    reason: "NOT_FOUND",
    request: async ({ objects: { own } }) => ({
      projectId: own.project,
      grantId: own.project_grant,
      roleKeys: ["no-such-role"],
    }),
  },
  {
    method: UserGrantService.method.updateUserGrant,
    reason: "NOT_FOUND",
    request: async ({ objects: { own } }) => ({
      userId: own.grant_user,
      grantId: own.user_grant,
      roleKeys: ["no-such-role"],
    }),
  },
];

/** Returns the call of the administrator that is refused so. */
export async function prepareRefusal(world: TenancyWorld, { method, request }: StateRefusal): Promise<Ready> {
  return readyOf(world, method, await request(world));
}

/** Returns a call of the administrator on ours. */
export function readyOf(world: TenancyWorld, method: DescMethodUnary, request: JsonObject): Ready {
  return {
    method,
    request,
    options: {
      token: world.service.adminToken,
      headers: { "x-service-orgid": world.organizations.ours },
    },
  };
}
