import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import { createWorld, uniqueName } from "../support/world.ts";
import { largeTest } from "../support/large.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

test.each(["a", "€", "\u{1F600}"])(
  "an organization id of 50,000 %s is answered in full on every lane",
  async (character) => {
    const scope = { case: "organizationId" as const, value: character.repeat(50_000) };
    const request = { userId: "1", scope, roles: ["ORGANIZATION_VIEWER"] };
    const { stranger } = await createWorld(service);
    for (const token of [service.adminToken, stranger.token]) {
      const refusals = await Promise.all(
        Object.values(service.clients).map(async (client) =>
          refusalOf(await client.call(MembershipService.method.addMembership, request, { token })),
        ),
      );
      const expected = token === stranger.token ? "PERMISSION_DENIED" : "FIELD_INVALID";
      expect(refusals.map(({ reason }) => reason)).toEqual(refusals.map(() => expected));
    }
  },
);

test("calls that take no token are bounded on the JSON lane too", async () => {
  const response = await fetch(`${service.url}/grpc.health.v1.Health/Check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ service: "x".repeat(5000) }),
  });
  expect(response.status).toBe(413);
});

largeTest("a binary message of millions of values is refused before it is made", async () => {
  const body = new Uint8Array(2_600_000);
  for (let at = 0; at < body.length; at += 2) body[at] = 0x12; // field 2, an empty role
  const response = await fetch(`${service.url}/gatehouse.v1.ProjectService/BulkAddProjectRoles`, {
    method: "POST",
    headers: { "content-type": "application/proto", authorization: `Bearer ${service.adminToken}` },
    body,
  });
  expect(await response.json()).toMatchObject({
    code: 3,
    message: "the message has more than 20000 values",
  });
});

test("a foreign lock on the database answers UNAVAILABLE, and is no harm once it is gone", async () => {
  const release = await service.place.raw.holdWrites();
  const { addProject } = ProjectService.method;
  const name = uniqueName("Project");
  const options = { token: service.adminToken };
  expect(refusalOf(await service.clients.json.call(addProject, { name }, options)).code).toBe(14);
  await release();
  expect((await service.clients.json.call(addProject, { name }, options)).kind).toBe("answer");
});
