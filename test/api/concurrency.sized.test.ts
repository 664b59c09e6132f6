import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type Lane, lanes, type Outcome } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createProject, createServiceUser, idOf, uniqueName } from "../support/world.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Makes an organization of its own and returns its id with the token of its owner. */
async function createOwner(): Promise<{ readonly organizationId: string; readonly token: string }> {
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Crowd") });
  const organizationId = idOf(added, "organizationId");
  const { token } = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  return { organizationId, token };
}

/** Makes so many calls at the same moment, over one lane or over all of them in turn. */
function crowd(
  count: number,
  make: (lane: Lane, index: number) => Promise<Outcome>,
  chosen: readonly Lane[] = lanes,
): Promise<readonly Outcome[]> {
  const laneOf = (index: number) => chosen[index % chosen.length] ?? "json";
  return Promise.all(Array.from({ length: count }, (_each, index) => make(laneOf(index), index)));
}

function reasonOf(outcome: Outcome): string {
  const { reason } = refusalOf(outcome);
  if (typeof reason !== "string") throw new Error("an error without a reason");
  return reason;
}

/** Counts how the calls ended: `ok` or the reason. */
function tally(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const how = outcome.kind === "answer" ? "ok" : reasonOf(outcome);
    counts[how] = (counts[how] ?? 0) + 1;
  }
  return counts;
}

describe("hundreds of projects added at once", () => {
  const count = sized({ small: 100, full: 600 });

  // grpc-js sends all of them over one connection, fetch over as many as it opens.
  test.each(["json", "grpc"] as const)("over %s all succeed, each once", async (lane) => {
    const { token } = await createOwner();
    const { addProject, listProjects } = ProjectService.method;
    const name = (index: number) => `Project ${index}`;
    const add = (on: Lane, index: number) =>
      service.clients[on].call(addProject, { name: name(index) }, { token });
    const outcomes = await crowd(count, add, [lane]);
    expect(tally(outcomes)).toEqual({ ok: count });
    const answers = outcomes.map(answerOf);
    const sequences = answers.map(({ details }) => idOf(details as JsonObject, "sequence"));
    expect(new Set(answers.map((answer) => idOf(answer, "id"))).size).toBe(count);
    expect(new Set(sequences).size).toBe(count);
    const list = await service.call(listProjects, { pageSize: 4_294_967_295, countTotal: true }, token);
    const projects = list["projects"] as JsonObject[];
    expect((list["details"] as JsonObject)["totalResult"]).toBe(String(count));
    // Each is there under its own id, and with the details that its caller was told.
    const listed = new Map(projects.map((project) => [project["id"], project]));
    const told = answers.map(({ id, details }, index) => [id, name(index), details]);
    expect(
      told.map(([id]) => [id, listed.get(id as string)?.["name"], listed.get(id as string)?.["details"]]),
    ).toEqual(told);
    const order = projects.map(({ details }) => BigInt(idOf(details as JsonObject, "sequence")));
    expect(order).toEqual(order.toSorted((one, other) => (one < other ? -1 : 1)));
    const first = await service.call(listProjects, {}, token);
    expect((first["projects"] as unknown[]).length).toBe(50);
  });
});

describe("the same name 50 times at once", () => {
  const { addProjectRole } = ProjectService.method;

  test.each<
    readonly [
      string,
      (token: string, organizationId: string) => Promise<(lane: Lane, index: number) => Promise<Outcome>>,
    ]
  >([
    [
      "an organization",
      async () => {
        const name = uniqueName("One");
        return (lane) =>
          service.clients[lane].call(
            OrganizationService.method.addOrganization,
            { name },
            { token: service.adminToken },
          );
      },
    ],
    [
      "a role of a project",
      async (token, organizationId) => {
        const projectId = await createProject(service, organizationId);
        return (lane) => service.clients[lane].call(addProjectRole, { projectId, roleKey: "one" }, { token });
      },
    ],
    [
      "a user, human or not",
      async (token) => {
        const username = uniqueName("one");
        const human = { username, givenName: "A", familyName: "B", email: "a@example.com" };
        return (lane, index) =>
          index % 2 === 0
            ? service.clients[lane].call(UserService.method.addHumanUser, human, { token })
            : service.clients[lane].call(
                UserService.method.addServiceUser,
                { username, name: "S" },
                { token },
              );
      },
    ],
  ])("%s: exactly one succeeds", async (_what, prepare) => {
    const { organizationId, token } = await createOwner();
    const outcomes = await crowd(50, await prepare(token, organizationId));
    expect(tally(outcomes)).toEqual({ ok: 1, ALREADY_EXISTS: 49 });
  });
});
