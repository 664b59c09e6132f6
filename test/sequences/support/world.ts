import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startProvider, type TestProvider } from "../../sites/federation/support/provider.ts";
import { signIn } from "../../sites/oidc/support/signed-in.ts";
import type { Ground } from "./ground.ts";
import { arriveBy, confirm, confirmPortal, signOnce } from "./first-visits.ts";
import { samlMetadata } from "./metadata.ts";

/** The organizations: that of the instance, and two that have nothing to do with each other but what the world says. */
export type Place = "default" | "a" | "b";

/** What a call may name. */
export interface Thing {
  readonly name: string;
  readonly kind: string;
  /** The fields of a request that name it. */
  readonly ids: Readonly<Record<string, string>>;
  /** The organization that the header selects. */
  readonly organizationId: string;
}

/** Somebody with a browser in which they have a session. */
export interface Victim {
  readonly name: string;
  readonly userId: string;
  readonly place: Place;
  /** The header. */
  readonly cookie: string;
}

/** An application as the world was made. */
export interface App {
  readonly name: string;
  readonly place: Place;
  readonly projectId: string;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
}

/** A small world, in which everything was given by somebody who may. */
export interface World {
  readonly ground: Ground;
  readonly organizations: Readonly<Record<Place, string>>;
  readonly projects: Readonly<Record<"p" | "attic" | "q", string>>;
  readonly apps: Readonly<Record<"shop" | "desk" | "attic" | "game", App>>;
  /** They take tokens for their project by introspection. */
  readonly apis: readonly App[];
  readonly victims: readonly Victim[];
  /** Of organization a. Its user is `uma`, who came by it. */
  readonly provider: TestProvider;
  /** Under the control of whoever acts. */
  readonly evil: TestProvider;
  /** The projectGrant of p to b. */
  readonly projectGrantId: string;
  readonly things: readonly Thing[];
}

/** The password of everybody who has one. */
export const password = "a password that nobody guesses";
/** What the attacker's own provider knows anyway. */
export const mirrorSecret = "the secret of the mirror";
/** Where codes go that the application of an attacker gets. */
export const evilUri = "https://evil.example/cb";

/** The service provider of SAML, and where its assertions go. */
export const portalUri = "https://portal.example/sp";

/** Makes the world, and keeps it in the ground. */
export async function createWorld(ground: Ground): Promise<World> {
  const { service } = ground;
  const things: Thing[] = [];
  const make = async (method: DescMethodUnary, body: JsonObject, organizationId?: string) => {
    const answer = await ground.call(method, body, { token: service.adminToken, organizationId });
    if (!answer.isDone) throw new Error(`${method.name}: ${answer.reason} ${JSON.stringify(body)}`);
    return answer.json as Record<string, string>; // only ids are read
  };
  const put = (name: string, kind: string, organizationId: string, ids: Record<string, string>) =>
    void things.push({ name, kind, organizationId, ids });
  const organization = async (name: string) => {
    const { organizationId: id = "" } = await make(OrganizationService.method.addOrganization, { name });
    put(name, "organization", id, { id });
    return id;
  };
  const { user } = (await make(UserService.method.getMyUser, {})) as unknown as { user: JsonObject };
  const home = (user["details"] as Record<string, string>)["resourceOwner"] ?? "";
  put("default", "organization", home, { id: home });
  const organizations = { default: home, a: await organization("a"), b: await organization("b") };
  const { a, b } = organizations;
  const project = async (name: string, owner: string, roleKeys: readonly string[]) => {
    const { id = "" } = await make(ProjectService.method.addProject, { name }, owner);
    put(name, "project", owner, { id, projectId: id });
    for (const roleKey of roleKeys) {
      await make(ProjectService.method.addProjectRole, { projectId: id, roleKey }, owner);
      put(`${name}/${roleKey}`, "role", owner, { projectId: id, roleKey });
    }
    return id;
  };
  const projects = {
    p: await project("p", a, ["reader", "admin"]),
    attic: await project("attic", a, ["keeper"]),
    q: await project("q", b, ["player", "master"]),
  };
  const application = async (
    name: string,
    place: "a" | "b",
    projectId: string,
    settings: JsonObject | undefined,
  ): Promise<App> => {
    const owner = organizations[place];
    const redirectUri = `https://${name}.example/cb`;
    const oidc = {
      redirectUris: [redirectUri],
      authMethodType: "OIDC_AUTH_METHOD_TYPE_POST",
      signingAlgorithm: "SIGNING_ALGORITHM_ES256",
      ...settings,
    };
    const { createApiApplication, createOidcApplication } = ApplicationService.method;
    const isApi = settings === undefined;
    const grantTypes = ["AUTHORIZATION_CODE", "REFRESH_TOKEN", "TOKEN_EXCHANGE"];
    const made = isApi
      ? await make(createApiApplication, { projectId, name }, owner)
      : await make(
          createOidcApplication,
          { projectId, name, ...oidc, grantTypes: grantTypes.map((type) => `OIDC_GRANT_TYPE_${type}`) },
          owner,
        );
    const { appId = "", clientId = "", clientSecret: secret = "" } = made;
    put(name, isApi ? "api" : "oidc", owner, { projectId, appId });
    return { name, place, projectId, clientId, secret, redirectUri };
  };
  const apps = {
    shop: await application("shop", "a", projects.p, {}),
    desk: await application("desk", "a", projects.p, { apiAccess: true }), // an administrator of the instance made it
    attic: await application("attic", "a", projects.attic, { apiAccess: true }), // and has put it away
    game: await application("game", "b", projects.q, {}),
  };
  const apis = [
    await application("stock", "a", projects.p, undefined),
    await application("score", "b", projects.q, undefined),
  ];
  await make(ProjectService.method.deactivateProject, { id: projects.attic }, a);

  const victims: Victim[] = [];
  const human = async (name: string, place: Place) => {
    const owner = organizations[place];
    const body = {
      username: name,
      givenName: name,
      familyName: "of the world",
      email: `${name}@people.example`,
    };
    const { userId = "" } = await make(UserService.method.addHumanUser, body, owner);
    await make(UserService.method.setPassword, { userId, password });
    await make(UserService.method.setEmail, { userId, email: body.email, isVerified: true });
    put(name, "human", owner, { userId });
    victims.push({ name, userId, place, cookie: (await signIn(service, userId)).cookie });
    return userId;
  };
  const robot = async (name: string, place: Place) => {
    const owner = organizations[place];
    const body = { username: `${name} of ${place}`, name };
    const { userId = "" } = await make(UserService.method.addServiceUser, body, owner);
    put(`${name} of ${place}`, "service", owner, { userId });
    return userId;
  };
  const member = async (name: string, userId: string, scope: JsonObject, role: string) => {
    const body = { userId, ...scope, roles: [role] };
    const { membershipId = "" } = await make(MembershipService.method.addMembership, body);
    const { projectId, organizationId } = scope as Record<string, string | undefined>; // the instance has no id
    const owner = projectId === undefined ? (organizationId ?? "") : b;
    put(`${name} as ${role}`, "membership", owner, {
      ...(projectId === undefined ? {} : { projectId }),
      membershipId,
    });
  };
  await member("root", await human("root", "default"), { instance: true }, "INSTANCE_OWNER");
  await member("anna", await human("anna", "a"), { organizationId: a }, "ORGANIZATION_OWNER");
  await member("bert", await human("bert", "b"), { organizationId: b }, "ORGANIZATION_OWNER");
  const [alice, bob] = [await human("alice", "a"), await human("bob", "b")];
  const grantOfRole = { projectId: projects.p, grantedOrganizationId: b, roleKeys: ["reader"] };
  const { grantId: projectGrantId = "" } = await make(ProjectService.method.addProjectGrant, grantOfRole, a);
  put("p for b", "projectGrant", a, { projectId: projects.p, grantId: projectGrantId, projectGrantId });
  const grant = async (name: string, owner: string, userId: string, body: JsonObject) => {
    const made = await make(UserGrantService.method.addUserGrant, { userId, ...body }, owner);
    const projectId = body["projectId"] as string; // always named
    put(name, "userGrant", owner, { userId, projectId, grantId: made["userGrantId"] ?? "" });
  };
  await grant("admin for alice", a, alice, { projectId: projects.p, roleKeys: ["admin"] });
  await grant("reader for bob", b, bob, { projectId: projects.p, projectGrantId, roleKeys: ["reader"] });
  await grant("player for bob", b, bob, { projectId: projects.q, roleKeys: ["player"] });

  const { addGroup, addGroupGrant, addGroupMembers } = GroupService.method;
  const group = async (name: string, owner: string) => {
    const { id = "" } = await make(addGroup, { name }, owner);
    put(name, "group", owner, { id, groupId: id });
    return id;
  };
  // Whoever gets into one of these holds what it has.
  const [owners, admins] = [await group("owners of a", a), await group("admins of p", a)];
  const owning = { groupId: owners, organizationId: a, roles: ["ORGANIZATION_OWNER"] };
  const { membershipId: ownership = "" } = await make(MembershipService.method.addMembership, owning);
  put("the membership of owners", "membership", a, { membershipId: ownership });
  const admin = { groupId: admins, projectId: projects.p, roleKeys: ["admin"] };
  const { groupGrantId: adminGrant = "" } = await make(addGroupGrant, admin, a);
  put("admin for admins", "groupGrant", a, { groupId: admins, projectId: projects.p, grantId: adminGrant });
  await make(addGroupMembers, { groupId: await group("people of a", a), userIds: [alice] }, a);
  await group("people of b", b);

  const provider = await startProvider(service.clock);
  const evil = await startProvider(service.clock);
  const idp = async (name: string, owner: string, settings: JsonObject) => {
    const { issuer, clientId } = provider;
    const oidc = { issuer, clientId, clientSecret: `${name} ${provider.clientSecret}` };
    const body = { name, oidc, ...settings };
    const { idpId = "" } = await make(IdentityProviderService.method.createIdentityProvider, body, owner);
    put(name, "provider", owner, { idpId });
    return idpId;
  };
  const idpId = await idp("provider of a", a, { autoRegister: true });
  await idp("provider of b", b, {});
  // Whoever acts runs a small provider that both organizations know. Nobody is linked to it.
  for (const [name, owner] of [
    ["mirror of a", a],
    ["mirror of b", b],
  ] as const) {
    const { issuer, clientId } = evil;
    await idp(name, owner, { autoRegister: true, oidc: { issuer, clientId, clientSecret: mirrorSecret } });
  }
  await robot("robot", "a");
  await robot("robot", "b");
  const mighty = await robot("mighty robot", "a");
  await member("mighty robot", mighty, { projectId: projects.q }, "PROJECT_OWNER");
  const uma = await arriveBy(ground, { application: apps.shop, idpId, provider });
  put("uma", "human", a, { userId: uma });
  await member("uma", uma, { organizationId: a }, "ORGANIZATION_PROJECT_MANAGER");
  put("link of uma", "link", a, { userId: uma, idpId, externalUserId: provider.subject });
  victims.push({ name: "uma", userId: uma, place: "a", cookie: (await signIn(service, uma)).cookie });
  const jule = await human("jule", "a");
  await member("jule", jule, { projectId: projects.q }, "PROJECT_OWNER");
  const gate = { issuer: "https://gate.example", keysEndpoint: `${provider.issuer}/keys` };
  const jwt = { ...gate, jwtEndpoint: `${provider.issuer}/gate`, headerName: "x-token" };
  const { idpId: gateId = "" } = await make(
    IdentityProviderService.method.createIdentityProvider,
    { name: "gate of a", jwt },
    a,
  );
  put("gate of a", "provider", a, { idpId: gateId });
  const linked = { userId: jule, idpId: gateId, externalUserId: provider.subject };
  await make(UserService.method.addIdpLink, { ...linked, externalUsername: "jule" });
  put("link of jule", "link", a, linked);
  const { createSamlApplication, updateSamlSettings } = ApplicationService.method;
  const metadataXml = Buffer.from(samlMetadata(portalUri, portalUri)).toString("base64");
  const portal = { projectId: projects.q, name: "portal", metadataXml };
  const { appId = "" } = await make(createSamlApplication, portal, b);
  const attributes = [{ name: "UserID", source: "UserID" }];
  await make(updateSamlSettings, { projectId: projects.q, appId, attributes }, b);
  put("portal", "saml", b, { projectId: projects.q, appId });
  for (const { name, cookie } of victims)
    if (name === "anna") {
      await confirm(ground, apps.game, cookie);
      await confirmPortal(ground, cookie);
      await signOnce(ground, apps.shop, cookie);
    }
  return { ground, organizations, projects, apps, apis, victims, provider, evil, projectGrantId, things };
}
