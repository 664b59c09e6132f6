import type { JsonObject } from "@bufbuild/protobuf";
import { type CreationOptions, registerInSoftware } from "../../../support/software-authenticator.ts";
import { samlMetadata } from "../../../support/world.ts";
import type { ApiCall, JsonApi } from "./json-api.ts";
import { type Act, idOf } from "./act.ts";
import { makeCredentials } from "./make-credentials.ts";
import { makeProject } from "./make-project.ts";
import { readsOf } from "./reads.ts";

/** What the scenario has made, as far as it is read back. */
export interface Made {
  readonly reads: readonly ApiCall[];
  /** The rpcs that the service did not know. */
  readonly unknown: readonly string[];
}

/**
 * Makes a handful of every kind of object, changes and stops some, and removes some again. The service may be of any version:
 * what it does not know is left out. It needs the option --dev.
 */
export async function playScenario(api: JsonApi): Promise<Made> {
  const unknown = new Set<string>();
  const actOn =
    (organizationId: string | undefined): Act =>
    async (rpc, request, token) => {
      if (Object.values(request).includes(undefined)) return undefined; // of an object that the version has not made
      const scope = organizationId === undefined ? {} : { organizationId };
      const answer = await api.find({ rpc, request: request as JsonObject, ...scope }, token);
      if (answer === undefined) unknown.add(rpc);
      return answer;
    };
  const atLarge = actOn(undefined);
  const addOrganization = async (name: string) =>
    idOf(await atLarge("OrganizationService/AddOrganization", { name }), "organizationId");
  const [acme, partner] = [await addOrganization("Acme"), await addOrganization("Partner")];
  const act = actOn(acme);
  const people = await makeUsers(act, acme);
  const project = await makeProject(act, actOn(partner), { partner, userId: people.ada });
  const idpIds = await makeIdentityProviders(act);
  const appIds = await makeApplications(act, project.projectId);
  await giveMemberships(act, { ...people, ...project, acme });
  await changeOrganizations(actOn, atLarge, partner);
  const credentials = await makeCredentials(act);
  return {
    reads: readsOf({ acme, ...people, ...project, ...credentials, idpIds, appIds }),
    unknown: [...unknown],
  };
}

async function makeUsers(act: Act, acme: string | undefined) {
  const human = async (username: string) =>
    idOf(
      await act("UserService/AddHumanUser", {
        username,
        givenName: "Ada",
        familyName: "Lovelace",
        email: `${username}@example.com`,
      }),
      "userId",
    );
  const setPhone = (userId: string | undefined, phone: string) =>
    act("UserService/SetPhone", { userId, phone, returnCode: {} });
  const [ada, grace, gone] = [await human("ada"), await human("grace"), await human("gone")];
  const phone = await setPhone(ada, "+41781234501");
  await act("UserService/VerifyPhone", { userId: ada, verificationCode: phone?.["verificationCode"] });
  await setPhone(grace, "+41781234502");
  await act("UserService/ResendPhoneCode", { userId: grace, returnCode: {} });
  await setPhone(gone, "+41781234503");
  await registerKey(act, ada);
  await act("UserService/AddPersonalAccessToken", { userId: ada });
  await act("UserService/AddPersonalAccessToken", { userId: gone });
  await act("UserService/UpdateHumanUser", {
    userId: grace,
    username: "grace",
    givenName: "Grace",
    familyName: "Hopper",
    email: "grace@example.com",
  });
  await act("UserService/LockUser", { userId: grace });
  await act("UserService/RemovePhone", { userId: grace });
  await act("UserService/RemoveUser", { userId: gone });

  const added = await act("UserService/AddServiceUser", {
    username: "robot",
    name: "Robot",
    description: "Builds",
  });
  const robot = idOf(added, "userId");
  await act("MembershipService/AddMembership", {
    userId: robot,
    organizationId: acme,
    roles: ["ORGANIZATION_OWNER"],
  });
  const ownerToken = idOf(await act("UserService/AddPersonalAccessToken", { userId: robot }), "token");
  const spare = await act(
    "UserService/AddPersonalAccessToken",
    { userId: robot, expirationDate: "2096-10-02T07:06:40Z" },
    ownerToken,
  );
  await act("UserService/RemovePersonalAccessToken", { userId: robot, tokenId: spare?.["tokenId"] });
  const secondRobot = idOf(
    await act("UserService/AddServiceUser", { username: "second", name: "Second" }),
    "userId",
  );
  await act("UserService/AddPersonalAccessToken", { userId: secondRobot }, ownerToken);
  await act("UserService/UpdateServiceUser", {
    userId: secondRobot,
    username: "second",
    name: "Second robot",
  });
  await act("UserService/DeactivateUser", { userId: secondRobot });
  await act("UserService/ReactivateUser", { userId: secondRobot });
  return { ada, grace, robot, secondRobot };
}

async function registerKey(act: Act, userId: string | undefined): Promise<void> {
  const register = () => act("UserService/RegisterU2f", { userId });
  const registered = await register();
  const options = registered?.["publicKeyCredentialCreationOptions"];
  await act("UserService/VerifyU2f", {
    userId,
    u2fId: registered?.["u2fId"],
    publicKeyCredential: registerInSoftware(options as unknown as CreationOptions) as unknown as JsonObject,
    tokenName: "Ada's key",
  });
  await register(); // waits for its key
  const removed = await register();
  await act("UserService/RemoveU2f", { userId, u2fId: removed?.["u2fId"] });
}

async function makeIdentityProviders(act: Act): Promise<readonly (string | undefined)[]> {
  const jwt = {
    jwtEndpoint: "https://idp.example.com/jwt",
    issuer: "https://idp.example.com",
    keysEndpoint: "https://idp.example.com/keys",
    headerName: "x-jwt",
  };
  // It belongs to the organization of the caller, whatever organization the call names.
  await act("IdentityProviderService/AddJwtIdentityProvider", { name: "JWT", ...jwt });
  const second = await act("IdentityProviderService/AddOidcIdentityProvider", {
    name: "OIDC",
    clientId: "client",
    clientSecret: "client secret",
    issuer: "https://idp.example.com",
    scopes: ["openid", "email"],
  });
  const create = async (name: string) =>
    idOf(await act("IdentityProviderService/CreateIdentityProvider", { name, jwt }), "idpId");
  const [third, removed] = [await create("Created"), await create("Removed")];
  await act("IdentityProviderService/UpdateJwtIdentityProvider", {
    idpId: third,
    ...jwt,
    issuer: "https://idp.example.com/2",
  });
  await act("IdentityProviderService/UpdateIdentityProvider", { idpId: third, name: "Changed", jwt });
  await act("IdentityProviderService/DeactivateIdentityProvider", { idpId: third });
  await act("IdentityProviderService/RemoveIdentityProvider", { idpId: removed });
  return [idOf(second, "idpId"), third];
}

async function makeApplications(act: Act, projectId: string | undefined) {
  const create = async (name: string, source: JsonObject) =>
    idOf(await act("ApplicationService/CreateSamlApplication", { projectId, name, ...source }), "appId");
  const sent = (entityId: string) => ({
    metadataXml: Buffer.from(samlMetadata(entityId)).toString("base64"),
  });
  const first = await create("Sent", sent("https://sp.example.com/1"));
  const pending = await create("Pending", { metadataUrl: "http://127.0.0.1:9/metadata" }); // nothing listens there
  const removed = await create("Removed", sent("https://sp.example.com/2"));
  await act("ApplicationService/UpdateApplication", { projectId, appId: first, name: "Sent again" });
  await act("ApplicationService/UpdateSamlConfig", {
    projectId,
    appId: first,
    ...sent("https://sp.example.com/3"),
  });
  await act("ApplicationService/DeactivateApplication", { projectId, appId: first });
  await act("ApplicationService/RemoveApplication", { projectId, appId: removed });
  return [first, pending];
}

async function giveMemberships(
  act: Act,
  made: Readonly<
    Record<
      "acme" | "ada" | "partnerUser" | "secondRobot" | "projectId" | "projectGrantId",
      string | undefined
    >
  >,
): Promise<void> {
  const add = async (
    userId: string | undefined,
    scope: Record<string, JsonObject[string] | undefined>,
    role: string,
  ) => await act("MembershipService/AddMembership", { userId, ...scope, roles: [role] });
  await add(made.ada, { projectId: made.projectId }, "PROJECT_VIEWER");
  await add(made.partnerUser, { projectGrantId: made.projectGrantId }, "PROJECT_GRANT_OWNER");
  // Their token was made by an owner of the organization, who does not hold this role.
  await add(made.secondRobot, { instance: true }, "INSTANCE_VIEWER");
  const added = await add(made.ada, { organizationId: made.acme }, "ORGANIZATION_VIEWER");
  const membershipId = added?.["membershipId"];
  await act("MembershipService/UpdateMembership", { membershipId, roles: ["ORGANIZATION_USER_MANAGER"] });
  await act("MembershipService/RemoveMembership", { membershipId });
}

async function changeOrganizations(
  actOn: (organizationId: string | undefined) => Act,
  atLarge: Act,
  partner: string | undefined,
): Promise<void> {
  const removed = idOf(
    await atLarge("OrganizationService/AddOrganization", { name: "Removed" }),
    "organizationId",
  );
  const inside = actOn(removed);
  const user = await inside("UserService/AddServiceUser", { username: "inside", name: "Inside" });
  await inside("UserService/AddPersonalAccessToken", { userId: user?.["userId"] });
  await inside("ProjectService/AddProject", { name: "Inside" });
  await atLarge("OrganizationService/RemoveOrganization", { id: removed });
  await atLarge("OrganizationService/UpdateOrganization", { id: partner, name: "Partner 2" });
  await atLarge("OrganizationService/DeactivateOrganization", { id: partner });
  await atLarge("OrganizationService/ReactivateOrganization", { id: partner });
}
