import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectState } from "../../gen/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { type Lane, lanes, type Outcome } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createProject,
  createServiceUser,
  idOf,
  type TestUser,
  uniqueName,
} from "../support/world.ts";

const projects = ProjectService.method;

/** An organization with somebody who may do everything in it, and somebody who may read. */
interface Home {
  readonly id: string;
  readonly owner: TestUser;
  readonly viewer: TestUser;
}

let service: TestService;
let home: Home;
let partner: Home;
beforeAll(async () => {
  service = await startService();
  home = await createHome();
  partner = await createHome();
});
afterAll(() => service.stop());

async function createHome(): Promise<Home> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  const id = idOf(added, "organizationId");
  const owner = await createServiceUser(service, id, "ORGANIZATION_OWNER");
  return { id, owner, viewer: await createServiceUser(service, id, "ORGANIZATION_VIEWER") };
}

type Ask = <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) => Promise<Outcome>;

const askOn =
  (lane: Lane, { token }: TestUser): Ask =>
  (method, request) =>
    service.clients[lane].call(method, request, { token });

/** Returns the lane after this one: what one lane has changed, another one reads. */
function nextOf(lane: Lane): Lane {
  return lanes[(lanes.indexOf(lane) + 1) % lanes.length] ?? lane;
}

const addRoles = (projectId: string, ...roleKeys: readonly string[]) =>
  createCaller(service, home.id)(projects.bulkAddProjectRoles, {
    projectId,
    roles: roleKeys.map((roleKey) => ({ roleKey })),
  });

async function addGrant(projectId: string, ...roleKeys: readonly string[]): Promise<string> {
  const request = { projectId, grantedOrganizationId: partner.id, roleKeys: [...roleKeys] };
  return idOf(await createCaller(service, home.id)(projects.addProjectGrant, request), "grantId");
}

/** Returns the details of a change, which holds nothing else. */
function detailsOf(outcome: Outcome): JsonObject {
  const answer = answerOf(outcome);
  expect(Object.keys(answer).filter((name) => name !== "removed")).toEqual(["details"]);
  const details = answer["details"] as JsonObject;
  expect(Object.keys(details)).toEqual(["sequence", "creationDate", "changeDate", "resourceOwner"]);
  expect(details["resourceOwner"]).toBe(home.id);
  return details;
}

function metadataOf(outcome: Outcome): unknown {
  if (outcome.kind === "answer") throw new Error("expected an error");
  return outcome.status.details.find((detail) => "reason" in detail)?.["metadata"];
}

const notFound = (resource: string) => ({ code: 5, reason: "NOT_FOUND", resource });

describe("over REST", () => {
  const lane = "rest";
  const change: Ask = (method, request) => askOn(lane, home.owner)(method, request);
  const read = async <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) =>
    answerOf(await askOn(nextOf(lane), home.owner)(method, request));

  test("a project is stopped, started again and removed, each seen by the next read", async () => {
    const id = await createProject(service, home.id);
    const project = async () => (await read(projects.getProject, { id }))["project"] as JsonObject;
    for (const [method, state] of [
      [projects.deactivateProject, "PROJECT_STATE_INACTIVE"],
      [projects.reactivateProject, "PROJECT_STATE_ACTIVE"],
    ] as const) {
      const details = detailsOf(await change(method, { id }));
      expect(await project()).toMatchObject({ state, details });
      expect(detailsOf(await change(method, { id }))).toEqual(details);
    }
    const before = (await project())["details"] as JsonObject;
    const removed = detailsOf(await change(projects.removeProject, { id }));
    expect(removed["creationDate"]).toBe(before["creationDate"]);
    expect(BigInt(idOf(removed, "sequence"))).toBeGreaterThan(BigInt(idOf(before, "sequence")));
    for (const again of [
      await change(projects.removeProject, { id }),
      await askOn(nextOf(lane), home.owner)(projects.getProject, { id }),
    ]) {
      expect(refusalOf(again)).toMatchObject(notFound("project"));
    }
  });

  test("a role is updated, listed and removed, whatever its key is made of", async () => {
    const projectId = await createProject(service, home.id);
    const roleKey = "a/b%2F?c&\u{1F600}..";
    await addRoles(projectId, "reader", roleKey);
    const shown = { displayName: "Name", group: "Group" };
    const details = detailsOf(await change(projects.updateProjectRole, { projectId, roleKey, ...shown }));
    const list = await read(projects.listProjectRoles, { projectId, countTotal: true });
    expect(list).toMatchObject({
      details: { totalResult: "2", processedSequence: details["sequence"] },
      projectRoles: [
        { key: roleKey, ...shown, details },
        { key: "reader", displayName: "", group: "" },
      ],
      nextPageToken: "",
    });
    const removed = detailsOf(await change(projects.removeProjectRole, { projectId, roleKey }));
    expect(removed["creationDate"]).toBe(details["creationDate"]);
    const rest = await read(projects.listProjectRoles, { projectId });
    expect((rest["projectRoles"] as readonly JsonObject[]).map(({ key }) => key)).toEqual(["reader"]);
    expect(refusalOf(await change(projects.removeProjectRole, { projectId, roleKey }))).toMatchObject(
      notFound("role"),
    );
  });

  test("a project grant is changed, stopped, started again and removed, and its holder sees it", async () => {
    const projectId = await createProject(service, home.id, ["reader", "writer"]);
    const grantId = await addGrant(projectId, "reader");
    const path = { projectId, grantId };
    const grant = async () => (await read(projects.getProjectGrant, path))["projectGrant"] as JsonObject;
    const expected = { id: grantId, projectId, grantedOrganizationId: partner.id };
    const steps: readonly (readonly [DescMethodUnary, Record<string, unknown>, object])[] = [
      [projects.updateProjectGrant, { ...path, roleKeys: ["writer", "reader", "writer"] }, {}],
      [projects.deactivateProjectGrant, path, { state: "PROJECT_GRANT_STATE_INACTIVE" }],
      [projects.reactivateProjectGrant, path, { state: "PROJECT_GRANT_STATE_ACTIVE" }],
    ];
    for (const [method, request, shown] of steps) {
      const details = detailsOf(await change(method, request));
      const now = await grant();
      expect(now).toMatchObject({ ...expected, ...shown, details, roleKeys: ["writer", "reader"] });
      expect(detailsOf(await change(method, request))).toEqual(details);
      const held = await askOn(lane, partner.viewer)(projects.getProjectGrant, path);
      expect(answerOf(held)["projectGrant"]).toEqual(now);
      expect((await read(projects.listProjectGrants, { projectId }))["projectGrants"]).toEqual([now]);
      const granted = await grantedTo(partner.viewer);
      expect(granted.filter((each) => each["id"] === grantId)).toEqual([now]);
    }
    detailsOf(await change(projects.removeProjectGrant, path));
    const gone = await askOn(nextOf(lane), home.owner)(projects.getProjectGrant, path);
    expect(refusalOf(gone)).toMatchObject(notFound("project_grant"));
    expect((await read(projects.listProjectGrants, { projectId }))["projectGrants"]).toEqual([]);
    expect((await grantedTo(partner.viewer)).map((each) => each["id"])).not.toContain(grantId);
    expect(refusalOf(await change(projects.removeProjectGrant, path))).toMatchObject(
      notFound("project_grant"),
    );
  });

  async function grantedTo(user: TestUser): Promise<readonly JsonObject[]> {
    const answer = answerOf(
      await askOn(nextOf(lane), user)(projects.listGrantedProjects, { pageSize: 1000, countTotal: true }),
    );
    const granted = answer["grantedProjects"] as readonly JsonObject[];
    expect((answer["details"] as JsonObject)["totalResult"]).toBe(String(granted.length));
    return granted;
  }

  test("a list is paged, and its token works for nothing else", async () => {
    const projectId = await createProject(service, home.id, ["a", "b", "c"]);
    const other = await createProject(service, home.id, ["a", "b", "c"]);
    const pageOf = async (pageToken: string) => {
      const answer = await read(projects.listProjectRoles, { projectId, pageSize: 2, pageToken });
      const roles = answer["projectRoles"] as readonly JsonObject[];
      return { keys: roles.map(({ key }) => key), next: answer["nextPageToken"] };
    };
    const { keys, next } = await pageOf("");
    const pageToken = idOf({ next: next ?? "" }, "next");
    expect([keys, await pageOf(pageToken)]).toEqual([["a", "b"], { keys: ["c"], next: "" }]);
    for (const refused of [
      await change(projects.listProjectRoles, { projectId: other, pageToken }),
      await change(projects.listProjectGrants, { projectId, pageToken }),
    ]) {
      expect(refusalOf(refused)).toMatchObject({ code: 3, reason: "PAGE_TOKEN_INVALID" });
    }
  });

  test("who may only read is denied every change, with the permission that is missing", async () => {
    const projectId = await createProject(service, home.id, ["reader"]);
    const path = { projectId, grantId: await addGrant(projectId, "reader") };
    const before = await read(projects.getProjectGrant, path);
    for (const [method, request, permission] of [
      [projects.deactivateProject, { id: projectId }, "project.write"],
      [projects.reactivateProject, { id: projectId }, "project.write"],
      [projects.removeProject, { id: projectId }, "project.write"],
      [projects.updateProjectRole, { projectId, roleKey: "reader", group: "x" }, "project.write"],
      [projects.removeProjectRole, { projectId, roleKey: "reader" }, "project.write"],
      [projects.updateProjectGrant, path, "project.grant.write"],
      [projects.deactivateProjectGrant, path, "project.grant.write"],
      [projects.reactivateProjectGrant, path, "project.grant.write"],
      [projects.removeProjectGrant, path, "project.grant.write"],
    ] as const) {
      const outcome = await askOn(lane, home.viewer)(method as DescMethodUnary, request);
      expect([method.name, refusalOf(outcome).reason]).toEqual([method.name, "PERMISSION_DENIED"]);
      expect(metadataOf(outcome)).toEqual({ permission, organization_id: home.id });
    }
    expect(await read(projects.getProjectGrant, path)).toEqual(before);
  });

  test("the holder of a grant cannot change it, and others do not find it", async () => {
    const projectId = await createProject(service, home.id, ["reader"]);
    const path = { projectId, grantId: await addGrant(projectId, "reader") };
    const stranger = (await createHome()).owner;
    for (const [user, method] of [
      [partner.owner, projects.updateProjectGrant],
      [partner.owner, projects.deactivateProjectGrant],
      [partner.owner, projects.removeProjectGrant],
      [partner.owner, projects.listProjectGrants],
      [stranger, projects.getProjectGrant],
      [stranger, projects.removeProjectGrant],
    ] as const) {
      const outcome = await askOn(lane, user)(method as DescMethodUnary, path);
      expect([method.name, refusalOf(outcome)]).toMatchObject([method.name, notFound("project")]);
    }
    expect(await read(projects.getProjectGrant, path)).toMatchObject({ projectGrant: { id: path.grantId } });
  });

  test("what is not there is named, and bounds come before it", async () => {
    const projectId = await createProject(service, home.id, ["reader"]);
    const beside = await createProject(service, home.id, ["reader", "writer"]);
    const grantId = await addGrant(projectId, "reader");
    const long = "1".repeat(201);
    const refused: [Outcome, object][] = [
      [await change(projects.deactivateProject, { id: "x" }), notFound("project")],
      [await change(projects.listProjectRoles, { projectId: "1" }), notFound("project")],
      [await change(projects.updateProjectRole, { projectId, roleKey: "writer" }), notFound("role")],
      [
        await change(projects.updateProjectGrant, { projectId, grantId, roleKeys: ["reader", "writer"] }),
        notFound("role"),
      ],
      [await change(projects.getProjectGrant, { projectId: beside, grantId }), notFound("project_grant")],
      [await change(projects.deactivateProject, { id: long }), { reason: "FIELD_INVALID", fields: ["id"] }],
      [
        await change(projects.getProjectGrant, { projectId: long, grantId: long }),
        { reason: "FIELD_INVALID", fields: ["grant_id", "project_id"] },
      ],
      [
        await change(projects.updateProjectRole, { projectId, roleKey: "reader", displayName: "\t" }),
        { reason: "FIELD_INVALID", fields: ["display_name", "display_name"] },
      ],
    ];
    for (const [outcome, expected] of refused) expect(refusalOf(outcome)).toMatchObject(expected);
  });
});

test("an inactive project is listed as such, and can still be administered", async () => {
  const inside = createCaller(service, home.id);
  const id = await createProject(service, home.id);
  await inside(projects.deactivateProject, { id });
  await inside(projects.addProjectRole, { projectId: id, roleKey: "reader" });
  const list = await inside(projects.listProjects, { state: ProjectState.INACTIVE, pageSize: 1000 });
  expect((list["projects"] as readonly JsonObject[]).map((project) => project["id"])).toContain(id);
});
