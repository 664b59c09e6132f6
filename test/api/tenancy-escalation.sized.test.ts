import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { toRequest } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
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
import { isOfServiceUser, listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import {
  addMember,
  createLogin,
  createTenancyWorld,
  type MembershipScope,
  type TenancyWorld,
} from "./support/tenancy-world.ts";

// Nobody reaches more than they hold (decision 14).

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
  { role: "ORGANIZATION_OWNER", scope: { kind: "organization", organization: "theirs" } },
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

/** Returns what somebody lacks who stops a user of ours with that role: owners are stopped by their like only. */
function missingToStop(caller: CallerFacts, holding: Holding): readonly string[] {
  const isOwner =
    holding.role === "INSTANCE_OWNER" ||
    (holding.role === "ORGANIZATION_OWNER" &&
      "organization" in holding.scope &&
      holding.scope.organization === "ours");
  return isOwner ? missing(caller, holding) : [];
}

describe("a user who holds more", () => {
  const names = new Set(["UpdateHumanUser", "UpdateServiceUser"]); // each call here changes the username
  const acting = rpcs.filter(({ rule, method }) => rule.guardsCredentials || names.has(method.name));
  const stopping = rpcs.filter(({ rule }) => rule.stopsUser);
  const judges = callers.filter(({ name }) =>
    ["instance owner", "organization owner", "user manager"].includes(name),
  );

  test("is acted as by the rpcs of their ways to log in and their addresses, and stopped or let go on by eleven", () => {
    expect(acting.map(({ name }) => name).toSorted()).toEqual([
      "AddIdpLink",
      "AddPersonalAccessToken",
      "AddServiceUserKey",
      "GenerateRecoveryCodes",
      "GenerateServiceUserSecret",
      "RegisterPasskey",
      "RegisterTotp",
      "RegisterU2f",
      "RemoveCodeFactor",
      "RemoveIdpLink",
      "RemovePasskey",
      "RemovePassword",
      "RemovePhone",
      "RemoveRecoveryCodes",
      "RemoveTotp",
      "RemoveU2f",
      "RequestPasswordReset",
      "ResendEmailCode",
      "ResendInvitation",
      "ResendPhoneCode",
      "SetEmail",
      "SetPassword",
      "SetPhone",
      "UpdateHumanUser",
      "UpdateServiceUser",
      "VerifyEmail",
      "VerifyPasskey",
      "VerifyPhone",
      "VerifyTotp",
      "VerifyU2f",
    ]);
    expect(stopping.map(({ name }) => name).toSorted()).toEqual([
      "DeactivateUser",
      "LockUser",
      "ReactivateUser",
      "RemovePersonalAccessToken",
      "RemoveRefreshToken",
      "RemoveServiceUserKey",
      "RemoveServiceUserSecret",
      "RemoveUser",
      "TerminateSession",
      "TerminateUserSessions",
      "UnlockUser",
    ]);
  });

  test.each([
    ...acting.map((rpc, place) => [rpc.name, "nobody acts as", rpc, { missingOf: missing, place }] as const),
    ...stopping.map(
      (rpc, place) =>
        [rpc.name, "nobody stops an owner like", rpc, { missingOf: missingToStop, place }] as const,
    ),
  ])("by %s %s a user who holds less", async (_name, _what, rpc, { missingOf, place }) => {
    const all = judges.flatMap((caller) => holdings.map((holding) => ({ caller, holding })));
    // What succeeds needs a user of its own each time, and who stops is refused in few cases. Another part for each rpc, so that
    // several of them have each case.
    const refused = missingOf === missingToStop ? 1 : 3;
    const everyNth = (isRefused: boolean) => sized({ small: isRefused ? refused : 5, full: 1 });
    const cases = all.filter(
      ({ caller, holding }, index) => (index + place) % everyNth(missingOf(caller, holding).length > 0) === 0,
    );
    const results = await inParallel(cases, async ({ caller, holding }) => {
      const lacked = missingOf(caller, holding);
      const about = lacked.length === 0 ? requestAbout : requestInVain;
      const request = await about(rpc, caller, holding);
      const seen = await ask(rpc, request, world.users.get(caller.name)?.token ?? "");
      const { scope } = holding;
      const organization = scope.kind === "instance" ? scope.kind : scope.organization;
      // Whose membership it is that stands in the way is told to who may read it.
      const told = holdsOn(caller, "membership.read", scope) ? world.organizations[organization] : undefined;
      const isNamed = lacked.includes(seen.permission ?? "") && seen.organization_id === told;
      return {
        name: `${caller.name} on ${nameOf(holding)}`,
        seen: isNamed ? "refused" : JSON.stringify(seen),
        expected: lacked.length === 0 ? JSON.stringify({ reason: reasonOfAllowed(rpc) }) : "refused",
      };
    });
    expect(results.map(({ name, seen }) => [name, seen])).toEqual(
      results.map(({ name, expected }) => [name, expected]),
    );
  });

  /** A registration that was begun before its user gained the role is void. Who may act as the user is told so. */
  const reasonOfAllowed = ({ name }: MatrixRpc) =>
    name === "VerifyU2f" || name === "VerifyPasskey" ? "U2F_EXPIRED" : "allowed";

  /** Makes a user of ours with that role, and returns a request about them that would succeed. */
  async function requestAbout(rpc: MatrixRpc, caller: CallerFacts, holding: Holding): Promise<JsonObject> {
    const giver = world.organizations.ours;
    const isService = isOfServiceUser(rpc);
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

  const inVain = new Map<string, Promise<string>>();

  /** Returns a request about a user with that role. As it is refused, one user is good for all of them. */
  async function requestInVain(rpc: MatrixRpc, _caller: CallerFacts, holding: Holding): Promise<JsonObject> {
    const isService = isOfServiceUser(rpc);
    const key = `${String(isService)} ${nameOf(holding)}`;
    const made = inVain.get(key) ?? createHolder(isService, holding);
    inVain.set(key, made);
    const user = await made;
    const { own } = world.objects;
    const login = rpc.path.includes("session") ? await createLogin(service, user, own.oidc_application) : {};
    const objects = { ...own, user, service_user: user, ...login };
    return requestOf(rpc, { parent: objects, leaf: objects, isByGrant: false });
  }

  async function createHolder(isService: boolean, { scope, role }: Holding): Promise<string> {
    const { ours } = world.organizations;
    const userId = isService
      ? (await createServiceUser(service, ours)).id
      : await createHumanUser(service, ours);
    await addMember(service, { userId, scope: toScope(scope), role });
    return userId;
  }

  test("and owns the instance is not stopped by way of their organization either; whoever holds less is", async () => {
    const { deactivateOrganization, reactivateOrganization, removeOrganization } = OrganizationService.method;
    for (const method of [deactivateOrganization, reactivateOrganization, removeOrganization]) {
      const added = await service.call(OrganizationService.method.addOrganization, {
        name: uniqueName("Organization"),
      });
      const id = idOf(added, "organizationId");
      const ownerOfIt = await createServiceUser(service, id, "ORGANIZATION_OWNER");
      const mightier = await createServiceUser(service, id);
      for (const role of ["PROJECT_OWNER", "ORGANIZATION_OWNER"] as const) {
        const scope =
          role === "PROJECT_OWNER"
            ? ({ case: "projectId", value: world.objects.other.project } as const)
            : ({ case: "organizationId", value: world.organizations.theirs } as const);
        await addMember(service, { userId: mightier.id, scope, role });
      }
      const scope = { case: "instance", value: true } as const;
      const membershipId = await addMember(service, { userId: mightier.id, scope, role: "INSTANCE_OWNER" });
      const refused = await service.clients.json.call(method, { id }, { token: ownerOfIt.token });
      expect([method.name, refusalOf(refused).reason]).toEqual([method.name, "PERMISSION_DENIED"]);
      await service.call(MembershipService.method.removeMembership, { membershipId });
      answerOf(await service.clients.json.call(method, { id }, { token: ownerOfIt.token }));
    }
  });
});

describe("nobody gives themselves, or anybody else, what they do not hold:", () => {
  const givers = callers.filter(({ held }) => held !== undefined);

  test.each(givers.map((caller) => [caller.name, caller] as const))("not the %s", async (_name, caller) => {
    const unchanged = await userLike(caller); // whom a call that is refused leaves as they are
    const results = await inParallel(holdings, async (holding) => {
      // On the scope of their own role they have a membership already.
      const isOwn = JSON.stringify(holding.scope) === JSON.stringify(caller.held?.scope);
      const mayGive = holdsOn(caller, "membership.write", holding.scope);
      const expected = mayGive ? (isOwn ? "ALREADY_EXISTS" : "allowed") : "refused";
      const { token, id } = expected === "allowed" ? await userLike(caller) : unchanged;
      const outcome = await service.clients.json.call(
        addMembership,
        { userId: id, scope: toScope(holding.scope), roles: [holding.role] },
        { token },
      );
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
    "nor the %s by more roles in their own membership",
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
