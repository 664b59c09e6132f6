import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type MembershipId, type OrganizationId, toId, type UserId } from "../../src/kernel/base/ids.ts";
import { addMembership as recordMembership } from "../../src/identity/memberships/membership.ts";
import { largeTest } from "../support/large.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";
import { alike, type EveryLane, lanesOfRow, onEveryLane, openLanes } from "./support/lanes.ts";
import { permissionNames, roleHolds, type RoleName, roleNames } from "./support/tenancy-roles.ts";
import type { MembershipScope } from "./support/tenancy-world.ts";

// What callers are told about themselves must be what they may do: `test/identity/access/told-permissions.test.ts` compares the two.

const { getMyPermissions, addMembership } = MembershipService.method;

let service: TestService;
let callOn: ReturnType<typeof openLanes>;
let organizationId: string;
let projectId: string;
/** A grant of a project of another organization to that one. */
let projectGrantId: string;

beforeAll(async () => {
  service = await startService();
  callOn = openLanes(service);
  organizationId = await addOrganization();
  projectId = await createProject(service, organizationId);
  projectGrantId = await addGrant();
});

afterAll(() => service.stop());

async function addOrganization(): Promise<string> {
  const { addOrganization: add } = OrganizationService.method;
  return idOf(await service.call(add, { name: uniqueName("Organization") }), "organizationId");
}

async function addGrant(): Promise<string> {
  const grantor = await addOrganization();
  const inside = createCaller(service, grantor);
  const asked = { projectId: await createProject(service, grantor), grantedOrganizationId: organizationId };
  return idOf(await inside(ProjectService.method.addProjectGrant, asked), "grantId");
}

const onOrganization = (value = organizationId): MembershipScope => ({ case: "organizationId", value });
const onProject = (value = projectId): MembershipScope => ({ case: "projectId", value });
const onGrant = (value = projectGrantId): MembershipScope => ({ case: "projectGrantId", value });
const scopeOf = (role: RoleName): MembershipScope => {
  if (role.startsWith("INSTANCE")) return { case: "instance", value: true };
  if (role.startsWith("ORGANIZATION")) return onOrganization();
  return role.startsWith("PROJECT_GRANT") ? onGrant() : onProject();
};

async function give(userId: string, scope: MembershipScope, ...roles: RoleName[]): Promise<string> {
  return idOf(await service.call(addMembership, { userId, scope, roles }), "membershipId");
}

/** Makes a service user with a token who holds these roles, each where it exists. */
async function createMember(...roles: RoleName[]): Promise<TestUser> {
  const user = await createServiceUser(service, organizationId);
  for (const role of roles) await give(user.id, scopeOf(role), role);
  return user;
}

/** Returns what the answer says of a scope on which a token carries these roles. */
function told(scope: MembershipScope, ...roles: RoleName[]): JsonObject {
  const held = permissionNames.filter((permission) => roles.some((role) => roleHolds(role, permission)));
  // All of them belong to the organization, but for further ones.
  const owner = scope.case === "organizationId" ? scope.value : organizationId;
  return {
    [String(scope.case)]: scope.value ?? null,
    permissions: held.toSorted(),
    resourceOwner: scope.case === "instance" ? "" : owner,
  };
}

async function ask(token: string, lane: EveryLane = "rest"): Promise<unknown> {
  return answerOf(await callOn[lane](getMyPermissions, {}, { token }))["scopes"];
}

describe("GetMyPermissions", () => {
  const inTurn = roleNames.map((role, index) => [role, lanesOfRow(index)] as const);

  test.each(inTurn)("tells what %s gives, on every content type", async (role, lanes) => {
    const { token } = await createMember(role);
    const seen = await onEveryLane(async (lane) => await ask(token, lane), lanes);
    expect(seen).toEqual(alike([told(scopeOf(role), role)], lanes));
  });

  test("tells who has no role that they may do nothing but what everybody may", async () => {
    const { token } = await createMember();
    expect(await onEveryLane(async (lane) => await ask(token, lane))).toEqual(alike([]));
    const userId = await createHumanUser(service, organizationId);
    const own = await service.call(UserService.method.addPersonalAccessToken, { userId });
    expect(await ask(idOf(own, "token"))).toEqual([]);
  });

  test("puts together the roles of one membership, and keeps the scopes apart, wider ones first", async () => {
    const { id, token } = await createMember("PROJECT_GRANT_OWNER", "PROJECT_VIEWER");
    await give(id, onOrganization(), "ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER");
    const other = await createProject(service, organizationId);
    await give(id, onProject(other), "PROJECT_OWNER");
    await give(id, { case: "instance", value: true }, "INSTANCE_VIEWER");
    const projects = [told(onProject(), "PROJECT_VIEWER"), told(onProject(other), "PROJECT_OWNER")];
    expect(await ask(token)).toEqual([
      told({ case: "instance", value: true }, "INSTANCE_VIEWER"),
      told(onOrganization(), "ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER"),
      ...(BigInt(projectId) < BigInt(other) ? projects : projects.toReversed()),
      told(onGrant(), "PROJECT_GRANT_OWNER"),
    ]);
  });

  test("is about the token of the call: a limited one is not told what its user holds besides", async () => {
    const maker = await createServiceUser(service, organizationId, "ORGANIZATION_USER_MANAGER");
    const user = await createMember();
    const { addPersonalAccessToken } = UserService.method;
    const limited = idOf(
      await service.call(addPersonalAccessToken, { userId: user.id }, maker.token),
      "token",
    );
    await give(user.id, onProject(), "PROJECT_OWNER");
    await give(user.id, onOrganization(), "ORGANIZATION_USER_MANAGER");
    const whole = [told(onOrganization(), "ORGANIZATION_USER_MANAGER"), told(onProject(), "PROJECT_OWNER")];
    expect(await onEveryLane(async (lane) => await ask(user.token, lane))).toEqual(alike(whole));
    expect(await onEveryLane(async (lane) => await ask(limited, lane))).toEqual(alike(whole.slice(0, 1)));
    const own = idOf(await service.call(addPersonalAccessToken, { userId: user.id }, limited), "token");
    expect(await ask(own)).toEqual(whole.slice(0, 1));
  });

  largeTest("answers in one piece, below 1 MiB, who has as many memberships as a user may have", async () => {
    const { id, token } = await createMember();
    const { database, log } = service.context;
    const organizations = await database.write(async (tx) => {
      const ids = Array.from({ length: 999 }, () => tx.nextId<OrganizationId>());
      const userId = toId<UserId>(id);
      const events = ids.map((each) =>
        recordMembership({
          id: tx.nextId<MembershipId>(),
          userId,
          scope: { kind: "organization", organizationId: each },
          roles: ["ORGANIZATION_OWNER"],
          resourceOwner: each,
        }),
      );
      await log.append(tx, { editor: "system", remoteAddress: undefined, requestId: "test" }, events);
      return ids;
    });
    await give(id, { case: "instance", value: true }, "INSTANCE_OWNER");
    const expected = [
      told({ case: "instance", value: true }, "INSTANCE_OWNER"),
      ...organizations
        .toSorted((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1))
        .map((each) => told(onOrganization(each), "ORGANIZATION_OWNER")),
    ];
    expect(await onEveryLane(async (lane) => await ask(token, lane))).toEqual(alike(expected));
    const headers = { authorization: `Bearer ${token}` };
    const { text } = await service.http.send({ method: "GET", path: "/v1/users/me/permissions", headers });
    expect(Buffer.byteLength(text)).toBeGreaterThan(400_000);
    expect(Buffer.byteLength(text)).toBeLessThan(2 ** 20);
  });
});
