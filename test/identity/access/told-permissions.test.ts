import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { create } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import type { ScopedPermissions } from "../../../gen/gatehouse/v1/membership_pb.ts";
import {
  type GetMyPermissionsResponse,
  GetMyPermissionsResponseSchema,
} from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { type AccessRequest, authorize } from "../../../src/identity/access/authorization.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import type { Caller } from "../../../src/kernel/base/call.ts";
import type { MembershipId } from "../../../src/kernel/base/ids.ts";
import { permissions, type Role, roleDefinitions } from "../../../src/kernel/base/permission.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { addMembership, type ScopeName } from "../../../src/identity/memberships/membership.ts";
import { createMembershipService } from "../../../src/identity/memberships/rpc.ts";
import { callBy, instanceId, openSetup, type Setup } from "../memberships/setup.ts";
import { enterWith } from "../../support/no-access-tokens.ts";

// GetMyPermissions says what calls are authorized for: no more, and no less.

let setup: Setup;
beforeEach(async () => {
  setup = await openSetup();
});
afterEach(() => setup.close());

const scopeNames = ["instance", "home", "partner", "project", "grant"] as const;
type Place = (typeof scopeNames)[number];

const rolesOn = (place: Place): readonly Role[] => {
  const kind = { instance: "instance", home: "organization", partner: "organization", project: "project" };
  const wanted = place === "grant" ? "project-grant" : kind[place];
  return (Object.keys(roleDefinitions) as Role[]).filter((role) => roleDefinitions[role].scope === wanted);
};
/** Roles on one scope, of which the token of the call may carry none. */
const membershipOn = (place: Place) =>
  fc.record({
    place: fc.constant(place),
    roles: fc.subarray([...rolesOn(place)], { minLength: 1 }),
    isLeftOut: fc.boolean(),
  });
/** At most one membership on a scope; rather few, so that narrow roles are seen without wide ones. */
const memberships = fc
  .tuple(fc.subarray([...scopeNames]), fc.subarray([...scopeNames]))
  .map(([some, others]) => some.filter((place) => others.includes(place)))
  .chain((places) => fc.tuple(...places.map(membershipOn)));
type Given = typeof memberships extends fc.Arbitrary<infer T> ? T : never;

/** Records the memberships, and returns who calls then with a token of the user. */
async function callerWith(given: Given): Promise<Caller> {
  const { log, scopes } = setup;
  const userId = await setup.addUser(setup.home);
  const token = await setup.addToken({ userId, by: "system" });
  for (const { place, roles, isLeftOut } of given) {
    const scope = scopes[place];
    const resourceOwner = scope.kind === "instance" ? instanceId : scope.organizationId;
    const id = log.context.ids.next<MembershipId>();
    const limitedTokenIds = isLeftOut ? [token.id] : [];
    await log.append([addMembership({ id, userId, scope, roles, resourceOwner, limitedTokenIds })]);
  }
  const findCredentials = createCredentials(log, log.database.watch(accessTables));
  return await enterWith({ findCredentials, clock: log.clock }, `Bearer ${token.text}`);
}

async function askFor(caller: Caller): Promise<GetMyPermissionsResponse> {
  const { context } = setup.log;
  const { rpcs } = createMembershipService(createMembershipCommands(context, instanceId), context);
  const rpc = rpcs["getMyPermissions"];
  if (rpc === undefined || !("run" in rpc)) throw new Error("GetMyPermissions is not implemented");
  const answer = await rpc.run({ ...callBy(setup.home), caller }, undefined as never);
  return create(GetMyPermissionsResponseSchema, answer as object);
}

/** Says whether the answer has the permission on one of these scopes. */
function says({ scopes }: GetMyPermissionsResponse, permission: string, places: readonly Place[]): boolean {
  const { home, partner, projectId, projectGrantId } = setup;
  const named: Readonly<Record<Place, ScopedPermissions["scope"]>> = {
    instance: { case: "instance", value: true },
    home: { case: "organizationId", value: home },
    partner: { case: "organizationId", value: partner },
    project: { case: "projectId", value: projectId },
    grant: { case: "projectGrantId", value: projectGrantId },
  };
  return scopes.some(
    ({ scope, permissions: told }) =>
      told.includes(permission) &&
      places.some((place) => named[place].case === scope.case && named[place].value === scope.value),
  );
}

/** Every way in which calls are authorized, each with the scopes of which one must have the permission. */
function listRequests(
  ids: Readonly<Record<Place, string>>,
): readonly [AccessRequest["on"], readonly Place[]][] {
  const { home, partner, projectId, projectGrantId, userId, partnerUserId } = setup;
  const inHome = ["instance", "home", "project"] as const;
  const inPartner = ["instance", "partner", "grant"] as const;
  const about = {
    kind: "user",
    isSelfAllowed: false,
    isSelfAllowedLimited: false,
    touch: undefined,
  } as const;
  const onScopes: readonly [ScopeName, Place, readonly Place[]][] = [
    [{ kind: "instance" }, "instance", ["instance"]],
    [{ kind: "organization", id: home }, "home", ["instance", "home"]],
    [{ kind: "organization", id: partner }, "partner", ["instance", "partner"]],
    [{ kind: "project", id: projectId }, "project", ["instance", "home", "project"]],
    [{ kind: "project-grant", id: projectGrantId }, "grant", ["instance", "partner", "grant"]],
  ];
  return [
    [{ kind: "organization", id: undefined }, inHome],
    [{ kind: "organization", id: home }, inHome],
    [{ kind: "organization", id: partner }, inPartner],
    [{ kind: "instance" }, ["instance"]],
    [{ kind: "held", id: undefined }, scopeNames],
    [{ kind: "held", id: partner }, inPartner],
    [{ ...about, userId }, inHome],
    [{ ...about, userId: partnerUserId }, inPartner],
    ...onScopes.flatMap(([scope, place, around]): [AccessRequest["on"], readonly Place[]][] => [
      [{ kind: "scope", scope }, around],
      [{ kind: "membership", membershipId: ids[place] }, around],
    ]),
  ];
}

async function isAuthorized(caller: Caller, request: AccessRequest): Promise<boolean> {
  try {
    const decision = await authorize({ database: setup.log.database, instanceId }, caller, request);
    return decision.problem === undefined;
  } catch (error) {
    if (error instanceof Problem && error.reason === "PERMISSION_DENIED") return false;
    throw error;
  }
}

test("the permissions that a caller is told on a scope are those by which calls there are authorized", async () => {
  const { partnerUserId, scopes } = setup;
  const ids = {
    instance: await setup.give(partnerUserId, scopes.instance, "INSTANCE_VIEWER"),
    home: await setup.give(partnerUserId, scopes.home, "ORGANIZATION_VIEWER"),
    partner: await setup.give(partnerUserId, scopes.partner, "ORGANIZATION_VIEWER"),
    project: await setup.give(partnerUserId, scopes.project, "PROJECT_VIEWER"),
    grant: await setup.give(partnerUserId, scopes.grant, "PROJECT_GRANT_OWNER"),
  };
  const seen = { true: 0, false: 0 };
  const law = async (given: Given) => {
    const caller = await callerWith(given);
    const told = await askFor(caller);
    for (const permission of permissions) {
      for (const [on, places] of listRequests(ids)) {
        const isSaid = says(told, permission, places);
        const isAllowed = await isAuthorized(caller, { permission, on });
        seen[`${isAllowed}`] += 1;
        expect([permission, on, isSaid]).toEqual([permission, on, isAllowed]);
      }
    }
  };
  const examples = scopeNames.map((place): [Given] => [
    [{ place, roles: [...rolesOn(place)], isLeftOut: false }],
  ]);
  const limits = { numRuns: 25, interruptAfterTimeLimit: 90_000, examples };
  await fc.assert(fc.asyncProperty(memberships, law), limits);
  // The examples alone make as many: the law is not shown on refusals only.
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(400);
});
