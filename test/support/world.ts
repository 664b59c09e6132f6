import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf, type CallableService } from "./service.ts";

let counter = 0;

/** Returns a name that no other object has. */
export function uniqueName(stem: string): string {
  counter += 1;
  return `${stem} ${process.pid}-${counter}`;
}

/** An organization with one object of each kind in it. */
export interface World {
  readonly organizationId: string;
  /** A service user with the role ORGANIZATION_OWNER. */
  readonly owner: TestUser;
  /** A service user with the role ORGANIZATION_VIEWER. */
  readonly viewer: TestUser;
  /** The membership of the viewer. */
  readonly membershipId: string;
  /** A service user without any role. */
  readonly stranger: TestUser;
  /** A human user with a phone that waits for its code. */
  readonly userId: string;
  readonly phoneCode: string;
  readonly u2fId: string;
  /** A token of the human user. */
  readonly tokenId: string;
  /** A project with the roles reader and writer. */
  readonly projectId: string;
  /** The project with the role reader, granted to an organization of nobody else. */
  readonly projectGrantId: string;
  readonly idpId: string;
  readonly userGrantId: string;
  readonly appId: string;
}

export interface TestUser {
  readonly id: string;
  readonly token: string;
}

/** Makes an organization with a token holder for each role that matters and an object of each kind. */
export async function createWorld(service: CallableService): Promise<World> {
  const organization = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  const organizationId = idOf(organization, "organizationId");
  const inside = createCaller(service, organizationId);
  const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const userId = await createHumanUser(service, organizationId);
  const phone = await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  const u2f = await service.call(UserService.method.registerU2f, { userId });
  const token = await service.call(UserService.method.addPersonalAccessToken, { userId });
  const projectId = await createProject(service, organizationId, ["reader", "writer"]);
  const partner = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Partner"),
  });
  const projectGrant = await inside(ProjectService.method.addProjectGrant, {
    projectId,
    grantedOrganizationId: idOf(partner, "organizationId"),
    roleKeys: ["reader"],
  });
  const idp = await inside(IdentityProviderService.method.createIdentityProvider, {
    name: uniqueName("Provider"),
    config: { case: "jwt", value: jwtConfig },
  });
  const grant = await inside(UserGrantService.method.addUserGrant, {
    userId,
    projectId,
    roleKeys: ["reader"],
  });
  const app = await inside(ApplicationService.method.createSamlApplication, {
    projectId,
    name: uniqueName("Application"),
    metadataXml: samlMetadata(`https://sp.example.com/${counter}`),
  });
  const viewer = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
  return {
    organizationId,
    owner,
    viewer,
    membershipId: await membershipIdOf(service, viewer.id),
    stranger: await createServiceUser(service, organizationId),
    userId,
    phoneCode: idOf(phone, "verificationCode"),
    u2fId: idOf(u2f, "u2fId"),
    tokenId: idOf(token, "tokenId"),
    projectId,
    projectGrantId: idOf(projectGrant, "grantId"),
    idpId: idOf(idp, "idpId"),
    userGrantId: idOf(grant, "userGrantId"),
    appId: idOf(app, "appId"),
  };
}

/** Makes an application that users log in to by OpenID Connect, with a secret, and returns its id. */
export async function createOidcApplication(
  service: CallableService,
  organizationId: string,
  projectId: string,
): Promise<string> {
  return await createApplicationOf(service, organizationId, { projectId });
}

/** Makes such an application with whose access tokens its users may call our API. */
export async function createTrustedApplication(
  service: CallableService,
  { organizationId, projectId }: Pick<World, "organizationId" | "projectId">,
): Promise<string> {
  return await createApplicationOf(service, organizationId, { projectId, apiAccess: true });
}

async function createApplicationOf(
  service: CallableService,
  organizationId: string,
  settings: { readonly projectId: string; readonly apiAccess?: boolean },
): Promise<string> {
  const inside = createCaller(service, organizationId);
  const added = await inside(ApplicationService.method.createOidcApplication, {
    name: uniqueName("Oidc"),
    redirectUris: ["https://app.example.com/cb"],
    ...settings,
  });
  return idOf(added, "appId");
}

export const jwtConfig = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "https://idp.example.com",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "x-jwt",
};

/** Returns a function that calls on that organization, as the administrator or with another token. */
export function createCaller(service: CallableService, organizationId: string, token = service.adminToken) {
  return async <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ): Promise<JsonObject> =>
    answerOf(
      await service.clients.json.call(method, request, {
        token,
        headers: { "x-service-orgid": organizationId },
      }),
    );
}

/** Makes a service user with a token and, if named, a role on the organization. */
export async function createServiceUser(
  service: CallableService,
  organizationId: string,
  role?: string,
): Promise<TestUser> {
  const inside = createCaller(service, organizationId);
  const user = await inside(UserService.method.addServiceUser, {
    username: uniqueName("service"),
    name: "Service",
  });
  const id = idOf(user, "userId");
  if (role !== undefined) {
    const scope = { case: "organizationId" as const, value: organizationId };
    await service.call(MembershipService.method.addMembership, { userId: id, scope, roles: [role] });
  }
  const token = await service.call(UserService.method.addPersonalAccessToken, { userId: id });
  return { id, token: idOf(token, "token") };
}

/** Returns the id of the first membership of a user, who has one; of one on the organization when that is named. */
export async function membershipIdOf(
  service: CallableService,
  userId: string,
  organizationId = "",
): Promise<string> {
  const request = { userId, organizationId };
  const { memberships } = await service.call(MembershipService.method.listMemberships, request);
  const [membership] = memberships as JsonObject[];
  if (membership === undefined) throw new Error(`the user ${userId} has no membership`);
  return idOf(membership, "id");
}

/** Makes a human user without phone and returns their id. */
export async function createHumanUser(service: CallableService, organizationId: string): Promise<string> {
  const user = await createCaller(service, organizationId)(UserService.method.addHumanUser, {
    username: uniqueName("human"),
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
  });
  return idOf(user, "userId");
}

/** Makes a project with roles of these keys and returns its id. */
export async function createProject(
  service: CallableService,
  organizationId: string,
  roleKeys: readonly string[] = [],
): Promise<string> {
  const inside = createCaller(service, organizationId);
  const id = idOf(await inside(ProjectService.method.addProject, { name: uniqueName("Project") }), "id");
  for (const roleKey of roleKeys)
    await inside(ProjectService.method.addProjectRole, { projectId: id, roleKey });
  return id;
}

/** Returns a phone number (E.164) that no other call returned. */
export function nextPhone(): string {
  counter += 1;
  return `+4178${String(1_000_000 + ((process.pid * 1000 + counter) % 9_000_000))}`;
}

/** The hash of a password that another system has made; of which one, nobody knows. */
export const passwordHashSample = `$2b$10$${"sampleHash".repeat(5)}abc`;

/** A public key, of which nobody has the private half: making one would take longer than most calls. */
export const publicKeySample = new TextEncoder().encode(
  '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}', // RFC 8037 §A.2
);

/** Returns the metadata of a service provider. */
export function samlMetadata(entityId: string): Uint8Array {
  return new TextEncoder().encode(
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sp.example.com/acs" index="0"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>`,
  );
}

/** Returns a text field of an answer, which must be there. */
export function idOf(answer: JsonObject, field: string): string {
  const value = answer[field];
  if (typeof value !== "string" || value === "")
    throw new Error(`the answer has no ${field}: ${JSON.stringify(answer)}`);
  return value;
}
