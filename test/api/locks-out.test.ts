import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../support/canaries.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { type CreationOptions, passkeyFlags, registerInSoftware } from "../support/software-authenticator.ts";
import { registerTotp } from "../support/totp.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  idOf,
  jwtConfig,
  membershipIdOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";

// Nobody who holds a role on the instance loses their last way to sign in, unless it is forced (S6).

const users = UserService.method;
const providers = IdentityProviderService.method;
const policies = LoginPolicyService.method;
const memberships = MembershipService.method;
const instance = { case: "instance", value: true } as const;
const open = { allowPassword: true, allowPasskeys: true, allowExternalIdps: true };

let service: TestService;
let organizationId: string;
/** Runs the organization, and nothing else. */
let owner: TestUser;
/** Everybody whom the present test has made. */
let made: string[] = [];

beforeAll(async () => {
  service = await startService();
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Home") });
  organizationId = idOf(added, "organizationId");
  owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const userId of made) await service.call(users.removeUser, { userId });
  made = [];
});

const inside: ReturnType<typeof createCaller> = (method, request) =>
  createCaller(service, organizationId)(method, request);
const person = async () => {
  const userId = await createHumanUser(service, organizationId);
  made.push(userId);
  return userId;
};
const give = (userId: string, roles = ["INSTANCE_VIEWER"]) =>
  service.call(memberships.addMembership, { userId, scope: instance, roles });
const holder = async () => {
  const userId = await person();
  await give(userId);
  return userId;
};
const newPassword = () => {
  const password = uniqueName("password of a test");
  canaries.add("password", password);
  return password;
};
const setPassword = async (userId: string, token = service.adminToken) =>
  answerOf(
    await service.clients.json.call(users.setPassword, { userId, password: newPassword() }, { token }),
  );
const setAddress = (userId: string) =>
  service.call(users.setEmail, {
    userId,
    email: "verified@example.com",
    verification: { case: "isVerified", value: true },
  });

async function addPasskey(userId: string): Promise<string> {
  const begun = await service.call(users.registerPasskey, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const passkeyId = idOf(begun, "passkeyId");
  const publicKeyCredential = registerInSoftware(options, { flags: passkeyFlags }) as unknown as JsonObject;
  await service.call(users.verifyPasskey, { userId, passkeyId, publicKeyCredential, passkeyName: "Phone" });
  return passkeyId;
}

async function addKey(userId: string): Promise<string> {
  const begun = await service.call(users.registerU2f, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const u2fId = idOf(begun, "u2fId");
  const publicKeyCredential = registerInSoftware(options) as unknown as JsonObject;
  await service.call(users.verifyU2f, { userId, u2fId, publicKeyCredential, tokenName: "Key" });
  return u2fId;
}

/** Links a holder of a role to an identity at a new provider of the organization, and gives them a factor of their own. */
async function addLinked() {
  const userId = await holder();
  const config = { case: "jwt", value: jwtConfig } as const;
  const idp = await inside(providers.createIdentityProvider, { name: uniqueName("Provider"), config });
  const idpId = idOf(idp, "idpId");
  const link = { userId, idpId, externalUserId: uniqueName("outside") };
  await service.call(users.addIdpLink, { ...link, externalUsername: "ada" });
  await registerTotp(service, userId);
  return { userId, idpId, link };
}

interface Case {
  readonly userId: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** For each rpc that may be forced: somebody who has one way to sign in, and the request that takes it. */
const cases: Readonly<Record<string, readonly [DescMethodUnary, () => Promise<Case>]>> = {
  RemovePassword: [
    users.removePassword,
    async () => {
      const userId = await holder();
      await setPassword(userId);
      return { userId, request: { userId } };
    },
  ],
  RemovePasskey: [
    users.removePasskey,
    async () => {
      const userId = await holder();
      return { userId, request: { userId, passkeyId: await addPasskey(userId) } };
    },
  ],
  SetEmail: [
    users.setEmail,
    async () => {
      const userId = await holder();
      await setAddress(userId);
      const verification = { case: "returnCode", value: {} };
      return { userId, request: { userId, email: "another@example.com", verification } };
    },
  ],
  UpdateHumanUser: [
    users.updateHumanUser,
    async () => {
      const userId = await holder();
      await setAddress(userId);
      const names = { username: uniqueName("renamed"), givenName: "Ada", familyName: "Lovelace" };
      return { userId, request: { userId, ...names, email: "another@example.com" } };
    },
  ],
  RemoveTotp: [
    users.removeTotp,
    async () => {
      const { userId } = await addLinked();
      return { userId, request: { userId } };
    },
  ],
  RemoveU2f: [
    users.removeU2f,
    async () => {
      const { userId } = await addLinked();
      const u2fId = await addKey(userId);
      await service.call(users.removeTotp, { userId });
      return { userId, request: { userId, u2fId } };
    },
  ],
  RemoveIdpLink: [
    users.removeIdpLink,
    async () => {
      const { userId, link } = await addLinked();
      return { userId, request: link };
    },
  ],
  DeactivateIdentityProvider: [providers.deactivateIdentityProvider, aboutProvider({})],
  RemoveIdentityProvider: [providers.removeIdentityProvider, aboutProvider({})],
  UpdateIdentityProvider: [
    providers.updateIdentityProvider,
    aboutProvider({
      name: "Renamed",
      config: { case: "jwt", value: { ...jwtConfig, issuer: "https://other.example" } },
    }),
  ],
  UpdateJwtIdentityProvider: [
    providers.updateJwtIdentityProvider,
    aboutProvider({ ...jwtConfig, issuer: "https://other.example" }),
  ],
  RemoveIdpFromLoginPolicy: [
    policies.removeIdpFromLoginPolicy,
    async () => {
      await inside(policies.updateLoginPolicy, { ...open, force: true });
      const { userId, idpId } = await addLinked();
      await inside(policies.addIdpToLoginPolicy, { idpId });
      return { userId, request: { idpId } };
    },
  ],
  UpdateLoginPolicy: [
    policies.updateLoginPolicy,
    async () => {
      await inside(policies.updateLoginPolicy, { ...open, force: true });
      await inside(policies.resetLoginPolicy, {});
      const { userId } = await addLinked();
      return { userId, request: { ...open, minPasswordLength: 12 } };
    },
  ],
  UpdateDefaultLoginPolicy: [
    policies.updateDefaultLoginPolicy,
    async () => {
      const userId = await holder();
      await setPassword(userId);
      return { userId, request: { ...open, allowPassword: false } };
    },
  ],
  AddMembership: [
    memberships.addMembership,
    async () => {
      const userId = await person();
      await setPassword(userId, owner.token);
      return { userId, request: { userId, scope: instance, roles: ["INSTANCE_VIEWER"] } };
    },
  ],
  UpdateMembership: [
    memberships.updateMembership,
    async () => {
      const userId = await holder();
      const setter = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
      await give(setter.id);
      await setPassword(userId, setter.token);
      const membershipId = await membershipIdOf(service, userId);
      return { userId, request: { membershipId, roles: ["INSTANCE_OWNER"] } };
    },
  ],
};

function aboutProvider(request: Readonly<Record<string, unknown>>): () => Promise<Case> {
  return async () => {
    const { userId, idpId } = await addLinked();
    return { userId, request: { ...request, idpId } };
  };
}

interface Way {
  readonly token?: string;
  readonly isDryRun?: boolean;
}

async function send(method: DescMethodUnary, request: Readonly<Record<string, unknown>>, way: Way = {}) {
  const { token = service.adminToken, isDryRun = false } = way;
  const dry: Record<string, string> = isDryRun ? { "x-service-validate-only": "true" } : {};
  const headers = { "x-service-orgid": organizationId, ...dry };
  const outcome = await service.clients.json.call(method, request, { token, headers });
  if (outcome.kind === "answer") return { reason: "allowed", metadata: undefined };
  const info = outcome.status.details.find((detail) => detail["reason"] !== undefined);
  return { reason: refusalOf(outcome).reason, metadata: info?.["metadata"] as JsonObject | undefined };
}

describe.each(Object.entries(cases))("%s", (_name, [method, prepare]) => {
  test("takes nobody's last way to sign in, unless it is forced", async () => {
    const { userId, request } = await prepare();
    const told = { reason: "LOCKS_OUT", metadata: { people: "1", user_ids: userId } };
    expect(await send(method, request, { isDryRun: true })).toEqual(told);
    expect(await send(method, request)).toEqual(told);
    expect(await send(method, request)).toEqual(told); // nothing stayed of the first one
    expect((await send(method, { ...request, force: true })).reason).toBe("allowed");
    if (method === policies.updateDefaultLoginPolicy) await service.call(method, open);
    if (method === policies.updateLoginPolicy || method === policies.removeIdpFromLoginPolicy)
      await inside(policies.resetLoginPolicy, {});
  });
});

test("every rpc that can be forced is here", async () => {
  const forced = (await listMethods()).filter(({ input }) =>
    input.fields.some(({ name }) => name === "force"),
  );
  expect(forced.map(({ name }) => name).toSorted()).toEqual(Object.keys(cases).toSorted());
});

describe("a caller who does not hold INSTANCE_OWNER", () => {
  test("may force nothing, whether or not somebody would be locked out", async () => {
    const { idpId } = await addLinked();
    const { token } = owner;
    const forced = { idpId, force: true };
    expect((await send(providers.deactivateIdentityProvider, forced, { token })).reason).toBe(
      "PERMISSION_DENIED",
    );
    const userId = await person();
    await setPassword(userId);
    expect((await send(users.removePassword, { userId, force: true }, { token })).reason).toBe(
      "PERMISSION_DENIED",
    );
    expect((await send(users.removePassword, { userId }, { token })).reason).toBe("allowed");
  });

  test("does not learn who would be locked out, nor how many", async () => {
    const { idpId } = await addLinked();
    const refused = await send(providers.deactivateIdentityProvider, { idpId }, { token: owner.token });
    expect([refused.reason, refused.metadata ?? {}]).toEqual(["LOCKS_OUT", {}]);
  });
});

describe("nothing is refused", () => {
  test("to somebody who has another way", async () => {
    const userId = await holder();
    await setPassword(userId);
    await addPasskey(userId);
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
  });

  test("for somebody who had no way before: who gets a role, and who is changed", async () => {
    const userId = await person();
    const gained = { userId, scope: instance, roles: ["INSTANCE_OWNER"] };
    expect((await send(memberships.addMembership, gained)).reason).toBe("allowed");
    expect((await send(policies.updateDefaultLoginPolicy, { ...open, allowPassword: false })).reason).toBe(
      "allowed",
    );
    await service.call(policies.updateDefaultLoginPolicy, open);
  });

  test("for users without a role on the instance, nor for service users", async () => {
    const userId = await person();
    await setPassword(userId);
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
    expect((await send(policies.updateDefaultLoginPolicy, { ...open, allowPassword: false })).reason).toBe(
      "allowed",
    );
    await service.call(policies.updateDefaultLoginPolicy, open);
  });

  test("for somebody who cannot sign in at present", async () => {
    const userId = await holder();
    await setPassword(userId);
    await service.call(users.deactivateUser, { userId });
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
  });
});

test("the policy of an organization does not keep those who hold a role on the instance out, so it is not refused", async () => {
  const userId = await holder();
  await setPassword(userId);
  const request = { allowExternalIdps: true };
  expect((await send(policies.updateLoginPolicy, request, { token: owner.token })).reason).toBe("allowed");
  await inside(policies.resetLoginPolicy, {});
});

test("a provider is never the only way: who has one and a password keeps the password", async () => {
  const { userId } = await addLinked();
  await setPassword(userId);
  expect((await send(users.removePassword, { userId })).reason).toBe("LOCKS_OUT");
});
