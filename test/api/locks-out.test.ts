import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { checkWaysIn } from "../../src/cli/doctor/way-in-check.ts";
import { parseConfig } from "../../src/config/config.ts";
import { listMethods } from "../support/methods.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createServiceUser,
  idOf,
  jwtConfig,
  membershipIdOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";
import { createHolders, type Holders, instance } from "./support/holders.ts";

// Nobody who holds a role on the instance loses their last way to sign in, unless it is forced (S6).

const users = UserService.method;
const providers = IdentityProviderService.method;
const policies = LoginPolicyService.method;
const groups = GroupService.method;
const memberships = MembershipService.method;
const open = { allowPassword: true, allowPasskeys: true, allowExternalIdps: true };

let service: TestService;
let organizationId: string;
/** Runs the organization, and nothing else. */
let owner: TestUser;
let holders: Holders;

beforeAll(async () => {
  service = await startService();
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Home") });
  organizationId = idOf(added, "organizationId");
  owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  holders = createHolders(service, organizationId);
});
afterAll(() => service.stop());
afterEach(() => holders.removeAll());

const inside: ReturnType<typeof createCaller> = (method, request) =>
  createCaller(service, organizationId)(method, request);
interface Case {
  readonly userId: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** For each rpc that may be forced: somebody who has one way to sign in, and the request that takes it. */
const cases: Readonly<Record<string, readonly [DescMethodUnary, () => Promise<Case>]>> = {
  RemovePassword: [
    users.removePassword,
    async () => {
      const userId = await holders.holder();
      await holders.setPassword(userId);
      return { userId, request: { userId } };
    },
  ],
  RemovePasskey: [
    users.removePasskey,
    async () => {
      const userId = await holders.holder();
      return { userId, request: { userId, passkeyId: await holders.addPasskey(userId) } };
    },
  ],
  SetEmail: [
    users.setEmail,
    async () => {
      const userId = await holders.holder();
      await holders.setAddress(userId);
      const verification = { case: "returnCode", value: {} };
      return { userId, request: { userId, email: "another@example.com", verification } };
    },
  ],
  UpdateHumanUser: [
    users.updateHumanUser,
    async () => {
      const userId = await holders.holder();
      await holders.setAddress(userId);
      const names = { username: uniqueName("renamed"), givenName: "Ada", familyName: "Lovelace" };
      return { userId, request: { userId, ...names, email: "another@example.com" } };
    },
  ],
  RemoveTotp: [
    users.removeTotp,
    async () => {
      const { userId } = await holders.addLinked();
      return { userId, request: { userId } };
    },
  ],
  RemoveU2f: [
    users.removeU2f,
    async () => {
      const { userId } = await holders.addLinked();
      const u2fId = await holders.addKey(userId);
      await service.call(users.removeTotp, { userId });
      return { userId, request: { userId, u2fId } };
    },
  ],
  RemoveIdpLink: [
    users.removeIdpLink,
    async () => {
      const { userId, link } = await holders.addLinked();
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
      const { userId, idpId } = await holders.addLinked();
      await inside(policies.addIdpToLoginPolicy, { idpId });
      return { userId, request: { idpId } };
    },
  ],
  UpdateLoginPolicy: [
    policies.updateLoginPolicy,
    async () => {
      await inside(policies.updateLoginPolicy, { ...open, force: true });
      await inside(policies.resetLoginPolicy, {});
      const { userId } = await holders.addLinked();
      return { userId, request: { ...open, minPasswordLength: 12 } };
    },
  ],
  UpdateDefaultLoginPolicy: [
    policies.updateDefaultLoginPolicy,
    async () => {
      const userId = await holders.holder();
      await holders.setPassword(userId);
      return { userId, request: { ...open, allowPassword: false } };
    },
  ],
  AddMembership: [
    memberships.addMembership,
    async () => {
      const userId = await holders.person();
      await holders.setPassword(userId, owner.token);
      return { userId, request: { userId, scope: instance, roles: ["INSTANCE_VIEWER"] } };
    },
  ],
  AddGroupMembers: [
    groups.addGroupMembers,
    async () => {
      const userId = await holders.person();
      await holders.setPassword(userId, owner.token);
      const groupId = idOf(await inside(groups.addGroup, { name: uniqueName("Group") }), "id");
      const membership = { groupId, scope: instance, roles: ["INSTANCE_VIEWER"] };
      await service.call(memberships.addMembership, membership);
      return { userId, request: { groupId, userIds: [userId] } };
    },
  ],
  UpdateMembership: [
    memberships.updateMembership,
    async () => {
      const userId = await holders.holder();
      const setter = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
      await holders.give(setter.id);
      await holders.setPassword(userId, setter.token);
      const membershipId = await membershipIdOf(service, userId);
      return { userId, request: { membershipId, roles: ["INSTANCE_OWNER"] } };
    },
  ],
};

function aboutProvider(request: Readonly<Record<string, unknown>>): () => Promise<Case> {
  return async () => {
    const { userId, idpId } = await holders.addLinked();
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
    const { idpId } = await holders.addLinked();
    const { token } = owner;
    const forced = { idpId, force: true };
    expect((await send(providers.deactivateIdentityProvider, forced, { token })).reason).toBe(
      "PERMISSION_DENIED",
    );
    const userId = await holders.person();
    await holders.setPassword(userId);
    expect((await send(users.removePassword, { userId, force: true }, { token })).reason).toBe(
      "PERMISSION_DENIED",
    );
    expect((await send(users.removePassword, { userId }, { token })).reason).toBe("allowed");
  });

  test("does not learn who would be locked out, nor how many", async () => {
    const { idpId } = await holders.addLinked();
    const refused = await send(providers.deactivateIdentityProvider, { idpId }, { token: owner.token });
    expect([refused.reason, refused.metadata ?? {}]).toEqual(["LOCKS_OUT", {}]);
  });
});

describe("nothing is refused", () => {
  test("to somebody who has another way", async () => {
    const userId = await holders.holder();
    await holders.setPassword(userId);
    await holders.addPasskey(userId);
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
  });

  test("for somebody who had no way before: who gets a role, and who is changed", async () => {
    const userId = await holders.person();
    const gained = { userId, scope: instance, roles: ["INSTANCE_OWNER"] };
    expect((await send(memberships.addMembership, gained)).reason).toBe("allowed");
    expect((await send(policies.updateDefaultLoginPolicy, { ...open, allowPassword: false })).reason).toBe(
      "allowed",
    );
    await service.call(policies.updateDefaultLoginPolicy, open);
  });

  test("for users without a role on the instance, nor for service users", async () => {
    const userId = await holders.person();
    await holders.setPassword(userId);
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
    expect((await send(policies.updateDefaultLoginPolicy, { ...open, allowPassword: false })).reason).toBe(
      "allowed",
    );
    await service.call(policies.updateDefaultLoginPolicy, open);
  });

  test("for somebody who cannot sign in at present", async () => {
    const userId = await holders.holder();
    await holders.setPassword(userId);
    await service.call(users.deactivateUser, { userId });
    expect((await send(users.removePassword, { userId })).reason).toBe("allowed");
  });
});

test("the policy of an organization does not keep those who hold a role on the instance out, so it is not refused", async () => {
  const userId = await holders.holder();
  await holders.setPassword(userId);
  const request = { allowExternalIdps: true };
  expect((await send(policies.updateLoginPolicy, request, { token: owner.token })).reason).toBe("allowed");
  await inside(policies.resetLoginPolicy, {});
});

test("a provider is never the only way: who has one and a password keeps the password", async () => {
  const { userId } = await holders.addLinked();
  await holders.setPassword(userId);
  expect((await send(users.removePassword, { userId })).reason).toBe("LOCKS_OUT");
});

describe("what doctor says of people who hold a role on the instance", () => {
  const check = (flags?: Readonly<Record<string, string>>) =>
    service.context.database.read((tx) => checkWaysIn(tx, flags && parseConfig(flags, {})));
  const isWell = { state: "ok", detail: "everybody who holds a role on the instance can sign in" };

  test("says that all can sign in, and names those who cannot", async () => {
    expect(await check({})).toMatchObject(isWell);
    const without = await holders.holder();
    const { userId: linked } = await holders.addLinked();
    expect((await check({})).detail).toBe(
      "some who hold a role on the instance cannot sign in by themselves; " +
        `they have no password, no passkey and no verified address to which a code can go: ${without}; ` +
        `they have only an identity provider of their organization: ${linked}`,
    );
    await service.call(users.deactivateUser, { userId: without });
    await holders.setPassword(linked);
    expect(await check({})).toMatchObject(isWell);
  });

  test("names those whom the policy of the instance keeps out", async () => {
    const userId = await holders.holder();
    await holders.setPassword(userId);
    const closed = { ...open, allowPassword: false, force: true };
    await service.call(policies.updateDefaultLoginPolicy, closed);
    expect(await check({})).toMatchObject({
      state: "warning",
      detail: expect.stringContaining(`the login policy of the instance keeps them out: ${userId}`),
    });
    await service.call(policies.updateDefaultLoginPolicy, open);
  });

  test("counts passkeys of the pages of the issuer only, and those of any pages if it knows no issuer", async () => {
    const userId = await holders.holder();
    await holders.addPasskey(userId);
    expect(await check({ issuer: "https://login.example" })).toMatchObject({ state: "warning" });
    expect(await check()).toMatchObject(isWell);
    expect(await check({})).toMatchObject(isWell);
    expect(await check({ issuer: "http://localhost:8080" })).toMatchObject(isWell);
  });

  test("counts addresses only if something can be mailed", async () => {
    const userId = await holders.holder();
    await holders.setAddress(userId);
    expect(await check({})).toMatchObject(isWell);
    expect(await check({ issuer: "https://login.example" })).toMatchObject({ state: "warning" });
  });

  test("names owners whom earlier versions have locked for wrong passwords, and nobody whom somebody has locked", async () => {
    const [locked, stopped] = [await holders.person(), await holders.person()];
    for (const userId of [locked, stopped]) await holders.give(userId, ["INSTANCE_OWNER"]);
    await service.call(users.lockUser, { userId: stopped });
    const { database, log } = service.context;
    const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
    const payload = { cause: "wrong_passwords" } as const;
    await database.write((tx) =>
      log.append(tx, origin, [
        { type: "user.locked", aggregateId: locked, resourceOwner: organizationId, payload },
      ]),
    );
    const { detail } = await check({});
    expect(detail).toContain(`they were locked for wrong passwords, unlock them: ${locked}`);
    expect(detail).not.toContain(stopped);
  });
});
