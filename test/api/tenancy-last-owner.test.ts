import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type Lane, lanes, type Outcome } from "../support/clients.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { createServiceUser, idOf, membershipIdOf, type TestUser, uniqueName } from "../support/world.ts";
import { addMember } from "./support/tenancy-world.ts";

// An instance never loses its last owner, whichever way they would go (decision 14).

let service: TestService;
let admin: Owner;

beforeAll(async () => {
  service = await startService();
  const { user } = await service.call(UserService.method.getMyUser, {});
  const { id, details } = user as JsonObject;
  admin = {
    id: id as string,
    token: service.adminToken,
    organizationId: idOf(details as JsonObject, "resourceOwner"),
  };
});

afterAll(() => service.stop());

interface Owner extends TestUser {
  readonly organizationId: string;
}

interface Way {
  readonly name: string;
  readonly method: DescMethodUnary;
  request(owner: Owner): Promise<Readonly<Record<string, unknown>>>;
}

const byUser = (method: DescMethodUnary): Way => ({
  name: method.name,
  method,
  request: ({ id }) => Promise.resolve({ userId: id }),
});
const byOrganization = (method: DescMethodUnary): Way => ({
  name: method.name,
  method,
  request: ({ organizationId }) => Promise.resolve({ id: organizationId }),
});

const ways: readonly Way[] = [
  byUser(UserService.method.deactivateUser),
  byUser(UserService.method.lockUser),
  byUser(UserService.method.removeUser),
  byOrganization(OrganizationService.method.deactivateOrganization),
  byOrganization(OrganizationService.method.removeOrganization),
  {
    name: "UpdateMembership",
    method: MembershipService.method.updateMembership,
    request: async ({ id }) => ({
      membershipId: await membershipIdOf(service, id),
      roles: ["INSTANCE_VIEWER"],
    }),
  },
  {
    name: "RemoveMembership",
    method: MembershipService.method.removeMembership,
    request: async ({ id }) => ({ membershipId: await membershipIdOf(service, id) }),
  },
];

async function go(way: Way, owner: Owner, by: TestUser, lane: Lane = "json"): Promise<Outcome> {
  return await service.clients[lane].call(way.method, await way.request(owner), { token: by.token });
}

/** Makes another owner of the instance, in an organization of their own. */
async function addOwner(): Promise<Owner> {
  const { addOrganization } = OrganizationService.method;
  const added = await service.call(addOrganization, { name: uniqueName("Organization") });
  const organizationId = idOf(added, "organizationId");
  const user = await createServiceUser(service, organizationId);
  const scope = { case: "instance", value: true } as const;
  await addMember(service, { userId: user.id, scope, role: "INSTANCE_OWNER" });
  return { ...user, organizationId };
}

const reasonOf = (outcome: Outcome) => (outcome.kind === "answer" ? "done" : refusalOf(outcome).reason);

describe("the last owner of the instance stays:", () => {
  test.each(ways)("$name on every content type", async (way) => {
    for (const lane of lanes)
      expect([lane, reasonOf(await go(way, admin, admin, lane))]).toEqual([lane, "LAST_INSTANCE_OWNER"]);
  });

  test.each(ways)(
    "$name goes through as long as another one is left, and ends what they hold",
    async (way) => {
      const owner = await addOwner();
      const mayStill = async () => {
        const request = { name: uniqueName("Organization") };
        const { addOrganization } = OrganizationService.method;
        return reasonOf(await service.clients.json.call(addOrganization, request, { token: owner.token }));
      };
      expect(await mayStill()).toBe("done");
      expect(reasonOf(await go(way, owner, admin))).toBe("done");
      expect(["TOKEN_INVALID", "PERMISSION_DENIED"]).toContain(await mayStill());
    },
  );

  test.each([
    byUser(UserService.method.deactivateUser),
    byUser(UserService.method.lockUser),
    byOrganization(OrganizationService.method.deactivateOrganization),
  ])("one who is out of use by $name does not count", async (out) => {
    const owner = await addOwner();
    expect(reasonOf(await go(out, owner, admin))).toBe("done");
    for (const way of ways)
      expect([way.name, reasonOf(await go(way, admin, admin))]).toEqual([way.name, "LAST_INSTANCE_OWNER"]);
  });

  test("an owner who is out of use may be removed by the last one", async () => {
    const owner = await addOwner();
    expect(reasonOf(await go(byUser(UserService.method.lockUser), owner, admin))).toBe("done");
    expect(reasonOf(await go(byUser(UserService.method.removeUser), owner, admin))).toBe("done");
  });

  test.each(ways)("of two who remove each other at once by $name, one is left", async (way) => {
    const [first, second] = [await addOwner(), await addOwner()];
    const requests = [await way.request(second), await way.request(first)] as const;
    const call = (request: (typeof requests)[number], { token }: Owner) =>
      service.clients.json.call(way.method, request, { token });
    // While the administrator is out of the way, these two are all there are.
    await go(byUser(UserService.method.lockUser), admin, first);
    const reasons = await Promise.all([call(requests[0], first), call(requests[1], second)]);
    expect(reasons.map(reasonOf).filter((reason) => reason === "done")).toHaveLength(1);
    const left = reasons[0]?.kind === "answer" ? first : second;
    const unlock = byUser(UserService.method.unlockUser);
    expect(reasonOf(await go(unlock, admin, left))).toBe("done");
    expect(reasonOf(await go(byUser(UserService.method.removeUser), left, admin))).toBe("done");
  });
});
