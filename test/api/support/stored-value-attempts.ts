import { type JsonObject, ScalarType } from "@bufbuild/protobuf";
import type { Need } from "../../../src/identity/access/stored-values/stored-value.ts";
import { OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  createTrustedApplication,
  idOf,
  nextPhone,
  createOidcApplication,
  passwordHashSample,
  publicKeySample,
  uniqueName,
} from "../../support/world.ts";
import { changedSettings } from "./oidc-settings.ts";
import { prepareFresh } from "./tenancy-fresh.ts";
import { createGroup } from "./tenancy-groups.ts";
import { requestOf, type Target, targetOf } from "./tenancy-requests.ts";
import { callers, type CallerFacts } from "./tenancy-roles.ts";
import { isOfServiceUser, type MatrixRpc } from "./tenancy-rpcs.ts";
import { createTarget } from "./tenancy-targets.ts";
import { addMember, createProject, type TenancyWorld } from "./tenancy-world.ts";

/** A call of somebody. */
export interface Attempt {
  readonly who: string;
  readonly token: string;
  readonly request: JsonObject;
}

/** Who is refused, and who succeeds, where a value needs something. */
export interface Attempts {
  readonly refused: readonly Attempt[];
  /** One of these. Out of reach looks like absent. */
  readonly reasons: readonly string[];
  readonly allowed: Attempt;
}

const denied = "PERMISSION_DENIED";

interface Asked {
  readonly world: TenancyWorld;
  /** As the matrix has it; memberships on an organization, but for what is given. */
  readonly rpc: MatrixRpc;
  /** A field that the call changes; undefined: all. */
  readonly field: string | undefined;
}

const weaker = ["organization viewer", "owner of another organization"] as const;

/** Chooses who is refused: the files `tenancy-…` try all. A call that takes its organization from the caller does nothing to another one. */
function weakerFor({ rule, name }: MatrixRpc): string {
  return weaker[rule.organization === OrganizationSource.CALLER ? 0 : name.length % 2] ?? weaker[0];
}

/** Makes the attempts; undefined where the need has no meaning, because nothing is stored yet or can be. */
export const attemptsFor: Readonly<
  Record<Need, (asked: Asked) => Promise<Attempts | undefined> | Attempts | undefined>
> = {
  async permission(asked) {
    const request = requestOf(asked.rpc, targetOf(asked.world, own("organization owner")));
    const who = weakerFor(asked.rpc);
    const { fields, token } = await fresh(asked);
    const whole = requestOf(asked.rpc, { ...targetOf(asked.world, own("organization owner")), fields });
    return {
      refused: [{ who, token: tokenOf(asked.world, who), request }],
      reasons: [denied, "NOT_FOUND"],
      allowed: { ...asOwner(asked.world, whole), ...(token === undefined ? {} : { token }) },
    };
  },
  async instance(asked) {
    const { fields } = await fresh(asked);
    const request = requestOf(asked.rpc, { ...targetOf(asked.world, own("organization owner")), fields });
    const { password: _other, ...rest } = request;
    if (asked.field === "password_hash")
      return onlyFor(asked.world, { ...rest, passwordHash: passwordHashSample });
    if (asked.field === "trust_mail") return onlyFor(asked.world, { ...request, trustMail: true });
    if (asked.field === "imported_id")
      return onlyFor(asked.world, { ...rest, importedId: uniqueName("old") });
    if (asked.field === "subject") {
      // Another application for each attempt: that of the world keeps its subject for those after it.
      const { service, objects } = asked.world;
      const { organization } = objects.own;
      const appId = await createOidcApplication(service, organization, idOf(request, "projectId"));
      return onlyFor(asked.world, {
        ...request,
        ...("appId" in request && { appId }),
        subject: "OIDC_SUBJECT_IMPORTED_ID",
      });
    }
    const resource = `https://${uniqueName("api").replaceAll(" ", "-").toLowerCase()}.example.com/`;
    const isVouched = asked.field === "resource_verified";
    return onlyFor(asked.world, isVouched ? { ...request, resource, resourceVerified: true } : request);
  },
  async acting(asked) {
    return await againstHolder(asked, "INSTANCE_VIEWER");
  },
  async stopping(asked) {
    return asked.rpc.method.parent.name === "OrganizationService"
      ? await againstOrganization(asked)
      : await againstHolder(asked, "INSTANCE_OWNER");
  },
  async giving(asked) {
    const rpc = { ...asked.rpc, scope: "instance" as const };
    const { fields } = await fresh({ ...asked, rpc });
    const group = rpc.method.name === "AddGroupMembers" ? await groupOnInstance(asked.world) : {};
    const all = { ...fields, ...group };
    const request = requestOf(rpc, { ...targetOf(asked.world, own("organization owner")), fields: all });
    return { ...onlyFor(asked.world, request), reasons: [denied, "NOT_FOUND"] };
  },
  async "api-access"(asked) {
    const request = await onTrusted[asked.rpc.method.name]?.(asked);
    return request === undefined ? undefined : onlyFor(asked.world, request);
  },
  async reading({ world, rpc }) {
    const key = uniqueName("size").replaceAll(" ", "-");
    const mapping = { ...constantClaim(), source: "CLAIM_SOURCE_USER_METADATA", constant: "", key };
    const request = { ...requestOf(rpc, targetOf(world, own("organization owner"))), mappings: [mapping] };
    const who = "project manager"; // has no user.read
    return {
      refused: [{ who, token: tokenOf(world, who), request }],
      reasons: [denied],
      allowed: asOwner(world, request),
    };
  },
  async "secret-again"({ world, rpc, field = "" }) {
    if (rpc.method.name === "UpdateTarget") return await withOtherUrl(world);
    if (rpc.method.name !== "UpdateIdentityProvider") return undefined; // nothing is stored before
    const template = /^(?<name>.*)[.]base_url$/.exec(field)?.groups?.["name"];
    return await withOtherPlace(world, template ?? "oidc");
  },
};

/** A provider that gets another address, and comes with a secret only where that is allowed. */
async function withOtherPlace(world: TenancyWorld, kind: string): Promise<Attempts> {
  const inside = createCaller(world.service, world.organizations.ours);
  const name = uniqueName("Provider");
  const at = (url: string): JsonObject => ({
    clientId: "client",
    ...(kind === "oidc" ? { issuer: url } : { baseUrl: url }),
    ...(kind === "entra" ? { tenants: ["0d6e8b8a-0b4c-4d3e-9d0e-0d6e8b8a0b4c"] } : {}),
  });
  const value = { ...at("https://idp.example.com"), clientSecret: "secret" };
  const config = { case: kind as "oidc", value }; // one of those with a client secret
  const added = await inside(IdentityProviderService.method.createIdentityProvider, { name, config });
  const without = at("https://attacker.example.com");
  const request = { idpId: idOf(added, "idpId"), name, [kind]: without };
  return {
    refused: [asOwner(world, request), { who: "administrator", token: world.service.adminToken, request }],
    reasons: ["FIELD_INVALID"],
    allowed: asOwner(world, { ...request, [kind]: { ...without, clientSecret: "another" } }),
  };
}

/** A target that gets another URL, and comes with a secret only where that is allowed. */
async function withOtherUrl(world: TenancyWorld): Promise<Attempts> {
  const { target: targetId } = await createTarget(world.service, world.organizations.ours);
  const url = "https://attacker.example.com/";
  const request = { targetId, name: uniqueName("Target"), url };
  const signingSecret = `whsec_${Buffer.alloc(32).toString("base64")}`;
  return {
    refused: [asOwner(world, request), { who: "administrator", token: world.service.adminToken, request }],
    reasons: ["FIELD_INVALID"],
    allowed: asOwner(world, { ...request, signingSecret }),
  };
}

/** What changes an application that has api_access, or where it is; absent: there is none yet, or it is of another kind. */
const onTrusted: Readonly<Record<string, (asked: Asked) => Promise<JsonObject | undefined>>> = {
  CreateOidcApplication: async ({ world }) => {
    const { organization } = world.objects.own;
    const { id: projectId } = await createProject(world.service, organization, "reader");
    const redirectUris = ["https://app.example.com/cb"];
    return { projectId, name: uniqueName("App"), redirectUris, apiAccess: true };
  },
  UpdateOidcConfig: async (asked) => {
    const { world, field = "" } = asked;
    if (field === "response_types") return undefined; // there is one only
    const { projectId, appId } = await trust(asked);
    const redirectUris = ["https://app.example.com/cb"];
    if (field === "api_access") {
      const method = ApplicationService.method.updateOidcConfig;
      await createCaller(world.service, world.organizations.ours)(method, { projectId, appId, redirectUris });
      return { projectId, appId, redirectUris, apiAccess: true };
    }
    const change = changedSettings[field];
    if (change === undefined) throw new Error(`write down another value of ${field}`);
    return { projectId, appId, redirectUris, apiAccess: true, ...change };
  },
  GenerateClientSecret: async (asked) => ({ ...(await trust(asked)) }),
  AddApplicationKey: async (asked) => ({
    ...(await trust(asked)),
    type: "KEY_TYPE_JSON",
    publicKey: Buffer.from(publicKeySample).toString("base64"),
  }),
  UpdateApplication: async (asked) => ({ ...(await trust(asked)), name: uniqueName("Renamed") }),
  SetHookClaim: async (asked) => ({ ...(await trust(asked)), claim: uniqueName("c").replaceAll(" ", "-") }),
  SetApplicationClaimMappings: async (asked) => ({ ...(await trust(asked)), mappings: [constantClaim()] }),
  SetProjectClaimMappings: async (asked) => ({
    projectId: (await trust(asked)).projectId,
    mappings: [constantClaim()],
  }),
  ReactivateApplication: async (asked) => {
    const { world } = asked;
    const request = { ...(await trust(asked)) };
    const method = ApplicationService.method.deactivateApplication;
    await createCaller(world.service, world.organizations.ours)(method, request);
    return request;
  },
  UpdateProject: async (asked) => {
    const { world, field = "" } = asked;
    const { projectId: id } = await trust(asked);
    const { getProject } = ProjectService.method;
    const read = await createCaller(world.service, world.organizations.ours)(getProject, { id });
    const name = idOf(read["project"] as JsonObject, "name");
    const { jsonName = "", scalar } =
      ProjectService.method.updateProject.input.fields.find((each) => each.name === field) ?? {};
    const others: JsonObject = { name: uniqueName("Renamed"), private_labeling_setting: 1 };
    const value = scalar === ScalarType.BOOL ? true : others[field];
    if (value === undefined) throw new Error(`write down another value of ${field}`);
    return { id, name, [jsonName]: value };
  },
  ReactivateProject: async (asked) => {
    const { world } = asked;
    const { projectId: id } = await trust(asked);
    await createCaller(world.service, world.organizations.ours)(ProjectService.method.deactivateProject, {
      id,
    });
    return { id };
  },
  ReactivateOrganization: async ({ world }) => {
    const { service } = world;
    const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Org") });
    const organizationId = idOf(added, "organizationId");
    const { id: projectId } = await createProject(service, organizationId, "reader");
    await createTrustedApplication(service, { organizationId, projectId });
    await ownedByOwner(world, organizationId);
    await service.call(OrganizationService.method.deactivateOrganization, { id: organizationId });
    return { id: organizationId };
  },
};

const constantClaim = (): JsonObject => ({
  name: "env",
  source: "CLAIM_SOURCE_CONSTANT",
  constant: uniqueName("env"),
  targets: ["CLAIM_TARGET_ID_TOKEN"],
});

/** A group of the organization whose members may read the whole instance, and a new user of the organization. */
async function groupOnInstance({ service, organizations: { ours } }: TenancyWorld) {
  const groupId = await createGroup(service, ours);
  await service.call(MembershipService.method.addMembership, {
    groupId,
    scope: { case: "instance", value: true },
    roles: ["INSTANCE_VIEWER"],
  });
  return { group_id: groupId, user_ids: [await createHumanUser(service, ours)], group_ids: [] };
}

function callerNamed(name: string): CallerFacts {
  const found = callers.find((caller) => caller.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
}

const own = (name: string) =>
  ({ parent: "own", leaf: "own", isNamed: true, caller: callerNamed(name) }) as const;

function tokenOf(world: TenancyWorld, name: string): string {
  return world.users.get(name)?.token ?? "";
}

function asOwner(world: TenancyWorld, request: JsonObject): Attempt {
  return { who: "organization owner", token: tokenOf(world, "organization owner"), request };
}

/** The owner of the organization lacks something, and the administrator holds everything. */
function onlyFor(world: TenancyWorld, request: JsonObject): Attempts {
  return {
    refused: [asOwner(world, request)],
    reasons: [denied],
    allowed: { who: "administrator", token: world.service.adminToken, request },
  };
}

async function fresh({ world, rpc }: Asked) {
  const { caller } = own("organization owner");
  const target: Target = targetOf(world, own("organization owner"));
  return await prepareFresh({ world, rpc, target, caller, giver: world.organizations.ours });
}

/** A user of the organization with what the call needs, who holds a role on the instance. */
async function againstHolder(asked: Asked, role: string): Promise<Attempts> {
  const { world, rpc } = asked;
  const { fields } = await fresh(asked);
  const userId = typeof fields["user_id"] === "string" ? fields["user_id"] : await newUser(asked);
  const isOfToken = rpc.method.name === "RemovePersonalAccessToken";
  const token = isOfToken
    ? await world.service.call(UserService.method.addPersonalAccessToken, { userId })
    : undefined;
  if (rpc.method.name === "RemoveIdpLink") {
    // Nobody with a role on the instance is left with a provider alone.
    await world.service.call(UserService.method.setPassword, { userId, password: "correct horse battery" });
  }
  await addMember(world.service, { userId, scope: { case: "instance", value: true }, role });
  const named = {
    ...fields,
    ...(await registerAgain(asked, userId)),
    user_id: userId,
    ...(token === undefined ? {} : { token_id: idOf(token, "tokenId") }),
  };
  return onlyFor(world, requestOf(rpc, { ...targetOf(world, own("organization owner")), fields: named }));
}

/** A role that the user gains ends the registrations that others have begun. */
async function registerAgain({ world, rpc }: Asked, userId: string): Promise<JsonObject> {
  const isPasskey = rpc.method.name === "VerifyPasskey";
  if (!isPasskey && rpc.method.name !== "VerifyU2f") return {};
  const { registerPasskey, registerU2f } = UserService.method;
  const begun = await world.service.call(isPasskey ? registerPasskey : registerU2f, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const made = registerInSoftware(options, isPasskey ? { flags: passkeyFlags } : {});
  const id = isPasskey ? "passkeyId" : "u2fId";
  return {
    [isPasskey ? "passkey_id" : "u2f_id"]: idOf(begun, id),
    public_key_credential: made as unknown as JsonObject,
  };
}

async function newUser({ world, rpc }: Asked): Promise<string> {
  const { ours } = world.organizations;
  if (isOfServiceUser(rpc)) return (await createServiceUser(world.service, ours)).id;
  const userId = await createHumanUser(world.service, ours);
  if (rpc.method.name === "ResendPhoneCode") {
    await world.service.call(UserService.method.setPhone, {
      userId,
      phone: nextPhone(),
      verification: { case: "returnCode", value: {} },
    });
    world.service.clock.turn(60_000);
  }
  return userId;
}

/** An organization whose owner is a user of another one, and in which somebody holds INSTANCE_OWNER. */
async function againstOrganization({ world }: Asked): Promise<Attempts> {
  const { service } = world;
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Org") });
  const id = idOf(added, "organizationId");
  await ownedByOwner(world, id);
  const { id: userId } = await createServiceUser(service, id);
  await addMember(service, { userId, scope: { case: "instance", value: true }, role: "INSTANCE_OWNER" });
  return onlyFor(world, { id });
}

async function ownedByOwner(world: TenancyWorld, organizationId: string): Promise<void> {
  const userId = world.users.get("organization owner")?.id ?? "";
  const scope = { case: "organizationId", value: organizationId } as const;
  await addMember(world.service, { userId, scope, role: "ORGANIZATION_OWNER" });
}

/** Returns an application with api_access, in a project of its own: for the settings of one call always the same. */
async function trust(asked: Asked) {
  const { world, rpc } = asked;
  const ofWorld = trusted.get(world) ?? new Map<string, Promise<Trusted>>();
  trusted.set(world, ofWorld);
  const made = ofWorld.get(rpc.name) ?? makeTrusted(world);
  ofWorld.set(rpc.name, made);
  return await made;
}

interface Trusted {
  readonly projectId: string;
  readonly appId: string;
}

const trusted = new WeakMap<TenancyWorld, Map<string, Promise<Trusted>>>();

async function makeTrusted({ service, organizations }: TenancyWorld): Promise<Trusted> {
  const { id: projectId } = await createProject(service, organizations.ours, "reader");
  const appId = await createTrustedApplication(service, { organizationId: organizations.ours, projectId });
  return { projectId, appId };
}
