import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf } from "../../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../../support/software-authenticator.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  jwtConfig,
  nextPhone,
  uniqueName,
  type World,
} from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";
import { liveObjects } from "./object-life.ts";
import { liveUsers } from "./user-life.ts";

/**
 * Makes organizations with objects of every kind in every state that there are operations for, and removes some of each. Needs
 * --dev.
 */
export async function createAllKinds(service: ConnectedService): Promise<World> {
  const world = await createWorld(service);
  const other = await createWorld(service);
  const inside = createCaller(service, world.organizationId);
  const { projectId, userId } = world;

  await service.call(UserService.method.verifyPhone, { userId, verificationCode: world.phoneCode });
  await service.call(UserService.method.setPhone, {
    userId: other.userId,
    phone: nextPhone(),
    verification: { case: "isVerified", value: true },
  });
  await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "sendCode", value: {} },
  });
  const wrong = { userId, verificationCode: "00000000x" };
  await service.clients.json.call(UserService.method.verifyPhone, wrong, { token: service.adminToken });
  await service.call(UserService.method.resendPhoneCode, {
    userId,
    verification: { case: "returnCode", value: {} },
  });
  await verifySecondFactor(service, userId);

  await inside(ProjectService.method.updateProject, {
    id: projectId,
    name: uniqueName("Renamed"),
    projectRoleCheck: true,
    privateLabelingSetting: 1,
  });
  await inside(ProjectService.method.bulkAddProjectRoles, {
    projectId,
    roles: ["a", "b", "c"].map((roleKey) => ({ roleKey, displayName: roleKey, group: "letters" })),
  });
  const grant = await inside(ProjectService.method.addProjectGrant, {
    projectId,
    grantedOrganizationId: other.organizationId,
    roleKeys: ["reader", "b", "a"],
  });
  const projectGrantId = idOf(grant, "grantId");
  await createCaller(service, other.organizationId)(UserGrantService.method.addUserGrant, {
    userId: other.userId,
    projectId,
    projectGrantId,
    roleKeys: ["b", "reader"],
  });
  await addMemberships(service, world, other, projectGrantId);
  await addIdentityProviders(service, world);
  await liveUsers(service, world.organizationId);
  await liveObjects(service);
  await inside(ApplicationService.method.createSamlApplication, {
    projectId,
    name: uniqueName("Application"),
    metadataUrl: "http://127.0.0.1:9/metadata", // nothing listens there: it stays PENDING
  });
  return world;
}

async function verifySecondFactor(service: ConnectedService, userId: string): Promise<void> {
  const registered = await service.call(UserService.method.registerU2f, { userId });
  const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  await service.call(UserService.method.verifyU2f, {
    userId,
    u2fId: idOf(registered, "u2fId"),
    publicKeyCredential: registerInSoftware(options) as unknown as JsonObject,
    tokenName: "Ada's key",
  });
}

async function addMemberships(
  service: ConnectedService,
  world: World,
  other: World,
  projectGrantId: string,
): Promise<void> {
  const add = (userId: string, scope: object, role: string) =>
    service.call(MembershipService.method.addMembership, {
      userId,
      scope: scope as { case: "instance"; value: true }, // one of the four
      roles: [role],
    });
  await add(world.userId, { case: "projectId", value: world.projectId }, "PROJECT_VIEWER");
  await add(other.userId, { case: "projectGrantId", value: projectGrantId }, "PROJECT_GRANT_OWNER");
  // A token made by an owner of the organization ends when its user is given more than the owner holds.
  const { id } = await createServiceUser(service, world.organizationId);
  const made = await service.call(
    UserService.method.addPersonalAccessToken,
    { userId: id, expirationDate: { seconds: 4_000_000_000n, nanos: 0 } },
    world.owner.token,
  );
  await service.call(UserService.method.addPersonalAccessToken, { userId: id }, idOf(made, "token"));
  await add(id, { case: "instance", value: true }, "INSTANCE_VIEWER");
}

async function addIdentityProviders(service: ConnectedService, world: World): Promise<void> {
  const inside = createCaller(service, world.organizationId);
  await inside(IdentityProviderService.method.addOidcIdentityProvider, {
    name: uniqueName("OIDC"),
    clientId: "client",
    clientSecret: "client secret",
    issuer: "https://idp.example.com",
    scopes: ["openid", "email"],
  });
  const tenants = ["0d6e8b8a-0b4c-4d3e-9d0e-0d6e8b8a0b4c"];
  const entra = { clientId: "client", clientSecret: "secret of Entra", tenants };
  const saml = {
    entityId: "https://idp.example",
    metadataUrl: "https://idp.example/metadata",
    trustMail: true,
  };
  const ldap = {
    servers: ["ldaps://dc1.example.com"],
    bindDn: "cn=reader,dc=example",
    bindPassword: "password of the account",
    baseDn: "dc=example",
    loginAttributes: ["uid"],
  };
  for (const config of [
    { case: "entra", value: entra },
    { case: "saml", value: saml },
    { case: "ldap", value: ldap },
  ] as const)
    await inside(IdentityProviderService.method.createIdentityProvider, {
      name: uniqueName(config.case),
      config,
    });
  const changed = { ...jwtConfig, issuer: "https://other.example.com", headerName: "" };
  const method = IdentityProviderService.method.updateJwtIdentityProvider;
  await inside(method, { idpId: world.idpId, ...changed });
  // Acts on the organization of the caller, whatever the header says.
  const request = { name: uniqueName("JWT"), ...jwtConfig };
  const { json } = service.clients;
  const add = IdentityProviderService.method.addJwtIdentityProvider;
  answerOf(await json.call(add, request, { token: world.owner.token }));
}
