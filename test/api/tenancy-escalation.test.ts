import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes, toRequest } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createHumanUser,
  createServiceUser,
  idOf,
  nextPhone,
  type TestUser,
  uniqueName,
} from "../support/world.ts";
import { prepareFresh } from "./support/tenancy-fresh.ts";
import { inParallel } from "./support/tenancy-matrix.ts";
import { requestOf, type Target } from "./support/tenancy-requests.ts";
import {
  type CallerFacts,
  callers,
  holdsOn,
  permissionNames,
  roleHolds,
  type RoleName,
  roleNames,
  type ScopeFacts,
} from "./support/tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import {
  addMember,
  createTenancyWorld,
  type MembershipScope,
  type TenancyWorld,
} from "./support/tenancy-world.ts";

// Nobody reaches more than he holds (decision 14), and what everybody may do for himself (decision 15).

const rpcs = await listMatrixRpcs();
const { addMembership, updateMembership, listMemberships } = MembershipService.method;

let service: TestService;
let world: TenancyWorld;

beforeAll(async () => {
  service = await startService();
  world = await createTenancyWorld(service);
});

afterAll(() => service.stop());

/** A role on the scope that it is for, in ours if it can be. */
interface Holding {
  readonly role: RoleName;
  readonly scope: ScopeFacts;
}

const holdings: readonly Holding[] = [
  ...roleNames.map((role): Holding => ({ role, scope: scopeFor(role) })),
  // A user of ours may hold something elsewhere.
  { role: "ORGANIZATION_VIEWER", scope: { kind: "organization", organization: "theirs" } },
  { role: "PROJECT_VIEWER", scope: { kind: "project", organization: "theirs", place: "other" } },
];

function scopeFor(role: RoleName): ScopeFacts {
  if (role.startsWith("INSTANCE")) return { kind: "instance" };
  if (role.startsWith("ORGANIZATION")) return { kind: "organization", organization: "ours" };
  if (role.startsWith("PROJECT_GRANT"))
    return { kind: "project_grant", organization: "ours", place: "granted" };
  return { kind: "project", organization: "ours", place: "own" };
}

function toScope(scope: ScopeFacts): MembershipScope {
  switch (scope.kind) {
    case "instance":
      return { case: "instance", value: true };
    case "organization":
      return { case: "organizationId", value: world.organizations[scope.organization] };
    case "project":
      return { case: "projectId", value: world.objects[scope.place].project };
    case "project_grant":
      return { case: "projectGrantId", value: world.objects[scope.place].project_grant };
  }
}

/** Returns what the holding gives and the caller lacks. */
function missing(caller: CallerFacts, { role, scope }: Holding): readonly string[] {
  return permissionNames.filter((name) => roleHolds(role, name) && !holdsOn(caller, name, scope));
}

const nameOf = ({ role, scope }: Holding) =>
  `${role} ${"organization" in scope && scope.organization === "theirs" ? "elsewhere" : ""}`.trim();

interface Answered {
  readonly reason: string;
  readonly permission?: string;
  readonly organization_id?: string;
}

/** Calls over JSON and returns the reason of a refusal with the permission and the organization that it names. */
async function ask(rpc: MatrixRpc, request: JsonObject, token: string): Promise<Answered> {
  const outcome = await service.clients.json.call(rpc.method, toRequest(rpc.method, request), { token });
  if (outcome.kind === "answer") return { reason: "allowed" };
  const [info] = outcome.status.details;
  const { reason, metadata } = info as unknown as { reason: string; metadata?: object }; // google.rpc.ErrorInfo
  return { reason, ...metadata };
}

describe("the credentials and the state of a user who holds more are out of reach:", () => {
  const names = new Set(["UpdateHumanUser", "UpdateServiceUser"]); // each call here changes the username
  const guarded = rpcs.filter(({ rule, method }) => rule.guardsCredentials || names.has(method.name));
  const judges = callers.filter(({ name }) =>
    ["instance owner", "organization owner", "user manager"].includes(name),
  );

  test("sixteen rpcs touch them", () => {
    expect(guarded.map(({ name }) => name).toSorted()).toEqual([
      "AddPersonalAccessToken",
      "DeactivateUser",
      "LockUser",
      "ReactivateUser",
      "RegisterU2f",
      "RemovePersonalAccessToken",
      "RemovePhone",
      "RemoveU2f",
      "RemoveUser",
      "ResendPhoneCode",
      "SetPhone",
      "UnlockUser",
      "UpdateHumanUser",
      "UpdateServiceUser",
      "VerifyPhone",
      "VerifyU2f",
    ]);
  });

  test.each(guarded.map((rpc) => [rpc.name, rpc] as const))("%s", async (_name, rpc) => {
    const cases = judges.flatMap((caller) => holdings.map((holding) => ({ caller, holding })));
    const results = await inParallel(cases, async ({ caller, holding }) => {
      const request = await requestAbout(rpc, caller, holding);
      const seen = await ask(rpc, request, world.users.get(caller.name)?.token ?? "");
      const lacked = missing(caller, holding);
      const { scope } = holding;
      const organization = scope.kind === "instance" ? scope.kind : scope.organization;
      const isNamed =
        lacked.includes(seen.permission ?? "") && seen.organization_id === world.organizations[organization];
      return {
        name: `${caller.name} on ${nameOf(holding)}`,
        seen: isNamed ? "refused" : JSON.stringify(seen),
        expected: lacked.length === 0 ? JSON.stringify({ reason: "allowed" }) : "refused",
      };
    });
    expect(results.map(({ name, seen }) => [name, seen])).toEqual(
      results.map(({ name, expected }) => [name, expected]),
    );
  });

  /** Makes a user of ours with that role, and returns a request about him that would succeed. */
  async function requestAbout(rpc: MatrixRpc, caller: CallerFacts, holding: Holding): Promise<JsonObject> {
    const giver = world.organizations.ours;
    const isService = rpc.method.name === "UpdateServiceUser";
    const user = isService
      ? (await createServiceUser(service, giver)).id
      : await createHumanUser(service, giver);
    if (rpc.method.name === "ResendPhoneCode") await setPhone(user);
    const objects = { ...world.objects.own, user, service_user: user };
    const target: Target = { parent: objects, leaf: objects, isByGrant: false };
    const { fields } = await prepareFresh({ world, rpc, target, caller, giver });
    const userId = typeof fields["user_id"] === "string" ? fields["user_id"] : user;
    await addMember(service, { userId, scope: toScope(holding.scope), role: holding.role });
    return requestOf(rpc, { ...target, fields });
  }

  test("nor by way of the state of his organization", async () => {
    const { deactivateOrganization, reactivateOrganization, removeOrganization } = OrganizationService.method;
    for (const method of [deactivateOrganization, reactivateOrganization, removeOrganization]) {
      const added = await service.call(OrganizationService.method.addOrganization, {
        name: uniqueName("Organization"),
      });
      const id = idOf(added, "organizationId");
      const ownerOfIt = await createServiceUser(service, id, "ORGANIZATION_OWNER");
      const mightier = await createServiceUser(service, id);
      const role = "PROJECT_VIEWER";
      const membershipId = await addMember(service, {
        userId: mightier.id,
        scope: { case: "projectId", value: world.objects.other.project },
        role,
      });
      const refused = await service.clients.json.call(method, { id }, { token: ownerOfIt.token });
      expect([method.name, refusalOf(refused).reason]).toEqual([method.name, "PERMISSION_DENIED"]);
      await service.call(MembershipService.method.removeMembership, { membershipId });
      answerOf(await service.clients.json.call(method, { id }, { token: ownerOfIt.token }));
    }
  });
});

describe("nobody gives himself, or anybody else, what he does not hold:", () => {
  const givers = callers.filter(({ held }) => held !== undefined);

  test.each(givers.map((caller) => [caller.name, caller] as const))("not the %s", async (_name, caller) => {
    const results = await inParallel(holdings, async (holding) => {
      const { token, id } = await userLike(caller);
      const outcome = await service.clients.json.call(
        addMembership,
        { userId: id, scope: toScope(holding.scope), roles: [holding.role] },
        { token },
      );
      // On the scope of his own role he has a membership already.
      const isOwn = JSON.stringify(holding.scope) === JSON.stringify(caller.held?.scope);
      const mayGive = holdsOn(caller, "membership.write", holding.scope);
      const expected = mayGive ? (isOwn ? "ALREADY_EXISTS" : "allowed") : "refused";
      const reason = outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
      const seen = reason === "PERMISSION_DENIED" || reason === "NOT_FOUND" ? "refused" : reason;
      return {
        seen: [nameOf(holding), seen, ...(await gained(caller, id))],
        expected: [nameOf(holding), expected],
      };
    });
    expect(results.map(({ seen }) => seen)).toEqual(results.map(({ expected }) => expected));
  });

  test.each(givers.map((caller) => [caller.name, caller] as const))(
    "nor the %s by more roles in his own membership",
    async (_name, caller) => {
      const { token, id } = await userLike(caller);
      const { memberships } = await service.call(listMemberships, { userId: id });
      const membershipId = idOf((memberships as JsonObject[])[0] ?? {}, "id");
      for (const role of roleNames)
        await service.clients.json.call(updateMembership, { membershipId, roles: [role] }, { token });
      expect(await gained(caller, id)).toEqual([]);
    },
  );

  /** Makes another user with the role of the caller. */
  async function userLike({ home, held }: CallerFacts): Promise<TestUser> {
    const user = await createServiceUser(service, world.organizations[home]);
    if (held !== undefined)
      await addMember(service, { userId: user.id, scope: toScope(held.scope), role: held.role });
    return user;
  }

  /** Returns the roles of the user that hold what the caller does not. */
  async function gained(caller: CallerFacts, userId: string): Promise<readonly string[]> {
    const { memberships } = await service.call(listMemberships, { userId });
    const roles = (memberships as JsonObject[]).flatMap((each) => each["roles"] as readonly RoleName[]);
    return roles.filter((role) => {
      const own = caller.held?.role === role;
      return (
        !own &&
        holdings.filter((each) => each.role === role).every((each) => missing(caller, each).length > 0)
      );
    });
  }
});

async function setPhone(userId: string): Promise<string> {
  const set = await service.call(UserService.method.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  return idOf(set, "verificationCode");
}

describe("a human user without any role", () => {
  const forHimself = new Set([
    "GetUser",
    "SetPhone",
    "ResendPhoneCode",
    "VerifyPhone",
    "RemovePhone",
    "RegisterU2f",
    "VerifyU2f",
    "RemoveU2f",
    "ListSecondFactors",
    "AddPersonalAccessToken",
    "ListPersonalAccessTokens",
    "RemovePersonalAccessToken",
  ]);
  const aboutUsers = rpcs.filter(({ path, method }) => {
    return method.parent.name === "UserService" && path[0] === "user";
  });

  test.each(aboutUsers.map((rpc) => [rpc.name, rpc] as const))(
    "may call %s for himself as decided, on every content type",
    async (name, rpc) => {
      for (const lane of lanes) {
        const { request, token } = await requestOfHimself(rpc);
        const outcome = await service.clients[lane].call(rpc.method, toRequest(rpc.method, request), {
          token,
        });
        const seen = outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
        expect([lane, seen]).toEqual([lane, forHimself.has(name) ? "allowed" : "PERMISSION_DENIED"]);
      }
    },
  );

  /** Makes a user with a phone, a factor and a token, and returns a request about him. */
  async function requestOfHimself(rpc: MatrixRpc) {
    const giver = world.organizations.ours;
    const user = await createHumanUser(service, giver);
    await setPhone(user);
    const objects = { ...world.objects.own, user, service_user: user };
    const target: Target = { parent: objects, leaf: objects, isByGrant: false };
    const [caller] = callers;
    if (caller === undefined) throw new Error("somebody must call");
    const { fields } = await prepareFresh({ world, rpc, target, caller, giver });
    const userId = typeof fields["user_id"] === "string" ? fields["user_id"] : user;
    const made = await service.call(UserService.method.addPersonalAccessToken, { userId });
    // Without it the code goes to the phone: nobody has his own code returned.
    const { returnCode: _returnCode, ...request } = requestOf(rpc, { ...target, fields });
    return { request, token: idOf(made, "token") };
  }

  test("and one who owns the instance has his own code returned as little as he vouches for his phone", async () => {
    const userId = await createHumanUser(service, world.organizations.hq);
    const owner = { userId, scope: { case: "instance", value: true }, role: "INSTANCE_OWNER" } as const;
    await addMember(service, owner);
    const token = idOf(await service.call(UserService.method.addPersonalAccessToken, { userId }), "token");
    const { setPhone: set, resendPhoneCode } = UserService.method;
    const phone = nextPhone();
    for (const lane of lanes) {
      const { call } = service.clients[lane];
      const outcomes = [
        await call(set, { userId, phone, verification: { case: "returnCode", value: {} } }, { token }),
        await call(set, { userId, phone, verification: { case: "isVerified", value: true } }, { token }),
        await call(resendPhoneCode, { userId, verification: { case: "returnCode", value: {} } }, { token }),
      ];
      expect([lane, ...outcomes.map((outcome) => refusalOf(outcome).reason)]).toEqual([
        lane,
        ...outcomes.map(() => "SELF_VERIFICATION_FORBIDDEN"),
      ]);
    }
  });
});
