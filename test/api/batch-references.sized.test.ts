import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { itemFieldOf, resultsOf } from "../support/batch.ts";
import type { Lane } from "../support/clients.ts";
import { refusalOf } from "../support/service.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { answerAt, type BatchGround, endingOf, infoOf, startBatchGround } from "./support/batch-ground.ts";
import { violationsOf } from "./support/lanes.ts";
import { prepareFresh } from "./support/tenancy-fresh.ts";
import { requestOf, targetOf } from "./support/tenancy-requests.ts";
import { callers } from "./support/tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc } from "./support/tenancy-rpcs.ts";
import { createTenancyWorld, type TenancyWorld } from "./support/tenancy-world.ts";
import { someOf } from "../support/size.ts";

/** Fields that end like an id of ours and are none. */
const notOurs = new Set(["client_id", "external_id", "imported_id"]);

/** Every field of every request that can be an item that names an object by its id. */
const places = (await listMatrixRpcs())
  .filter(({ method }) => itemFieldOf(method) !== undefined)
  .flatMap((rpc) =>
    rpc.method.input.fields
      .filter(
        ({ name, oneof }) =>
          /(?:^|_)ids?$/.test(name) && !notOurs.has(name) && isChosen(rpc, name, oneof?.name),
      )
      .map((field) => [`${rpc.name} ${field.name}`, { rpc, field }] as const),
  );

/** Of the scopes of a membership a request names one. */
function isChosen({ scope }: MatrixRpc, name: string, oneof: string | undefined): boolean {
  return oneof !== "scope" || name === `${scope ?? ""}_id`;
}

let ground: BatchGround;
let world: TenancyWorld;
beforeAll(async () => {
  ground = await startBatchGround();
  world = await createTenancyWorld(ground.service);
});
afterAll(() => ground.service.stop());

const added = (bulkId: string): JsonObject => ({ bulkId, addProject: { name: uniqueName("Project") } });
const renamed = (id: string, rest: JsonObject = {}): JsonObject => ({
  ...rest,
  updateProject: { id, name: uniqueName("Renamed") },
});

describe("a reference stands for the id in every field that holds ids of objects:", () => {
  test("there are some of them", () => {
    expect(places.length).toBeGreaterThan(60);
  });

  test.each(someOf(places))("%s", async (_name, { rpc, field }) => {
    const [caller] = callers;
    if (caller === undefined) throw new Error("somebody must call");
    const target = targetOf(world, { parent: "own", leaf: "own", isNamed: true, caller });
    const giver = world.organizations.ours;
    const options = { token: ground.service.adminToken, headers: { "x-service-orgid": giver } };
    const { fields } = await prepareFresh({ world, rpc, target, caller, giver });
    const inItem = itemFieldOf(rpc.method);
    const request = requestOf(rpc, { ...target, fields });
    const itemWith = (value: string): JsonObject => {
      const list = field.fieldKind === "list" ? ["1", value] : value;
      return { [inItem?.jsonName ?? ""]: { ...request, [field.jsonName]: list } };
    };
    const path = field.fieldKind === "list" ? `${field.name}[1]` : field.name;
    // An id of another kind mostly names nothing; the refusal then says which id was looked for.
    const organization: JsonObject = { bulkId: "made", addOrganization: { name: uniqueName("Made") } };
    const items = [organization, itemWith("bulkId:nobody"), itemWith("bulkId:made")];
    const results = await ground.results(items, options);
    const made = idOf(answerAt(results, 0, "addOrganization"), "organizationId");
    const unknown = results[1]?.["error"] as JsonObject;
    expect(violationsOf(unknown["details"] as JsonObject[])).toEqual([
      { field: path, description: "must name the bulk_id of an earlier item" },
    ]);
    const [byId] = await ground.results([itemWith(made)], options);
    const referred = results[2];
    expect(JSON.stringify(referred)).not.toContain("bulkId:");
    // What an item does once cannot be done again.
    const isDone = endingOf(referred) === "OK";
    expect(isDone ? ["OK", "NOT_FOUND", "ALREADY_EXISTS"] : [endingOf(byId)]).toContain(endingOf(byId));
    expect(isDone ? undefined : referred).toEqual(isDone ? undefined : byId);
  });
});

describe("a reference", () => {
  const lane: Lane = "grpc"; // That every lane carries a batch alike is in `batch.test.ts`.

  test("goes from item to item, into lists, and to the organization that an item acts on", async () => {
    const person = { username: uniqueName("u"), name: "Service" };
    const results = resultsOf(
      await ground.write(
        [
          { bulkId: "o", addOrganization: { name: uniqueName("Organization") } },
          { bulkId: "p", organizationId: "bulkId:o", addProject: { name: "bulkId:o" } },
          { organizationId: "bulkId:o", addProjectRole: { projectId: "bulkId:p", roleKey: "reader" } },
          { bulkId: "u", organizationId: "bulkId:o", addServiceUser: person },
          {
            bulkId: "g",
            organizationId: "bulkId:o",
            addUserGrant: { userId: "bulkId:u", projectId: "bulkId:p", roleKeys: ["reader"] },
          },
          {
            bulkId: "m",
            addMembership: { userId: "bulkId:u", organizationId: "bulkId:o", roles: ["ORGANIZATION_OWNER"] },
          },
          { bulkId: "t", addPersonalAccessToken: { userId: "bulkId:u" } },
          { removePersonalAccessToken: { userId: "bulkId:u", tokenId: "bulkId:t" } },
          { removeMembership: { membershipId: "bulkId:m" } },
          { organizationId: "bulkId:o", bulkRemoveUserGrants: { grantIds: ["bulkId:g"] } },
        ],
        { lane, token: ground.service.adminToken },
      ),
    );
    const organizationId = idOf(answerAt(results, 0, "addOrganization"), "organizationId");
    const id = idOf(answerAt(results, 1, "addProject"), "id");
    const { project } = await createCaller(ground.service, organizationId)(ProjectService.method.getProject, {
      id,
    });
    // What is no id stays as it is.
    expect(project).toMatchObject({ name: "bulkId:o", details: { resourceOwner: organizationId } });
  });

  test.each([
    ["a later item", [renamed("bulkId:x"), added("x")], 0],
    ["its own item", [renamed("bulkId:x", { bulkId: "x" })], 0],
    ["no item", [added("x"), renamed("bulkId:y")], 1],
    ["nothing", [added("x"), renamed("bulkId:")], 1],
    ["another case", [added("x"), renamed("bulkId:X")], 1],
  ])("to %s is refused, with its field", async (_what, items, at) => {
    const before = await ground.tables();
    const outcome = await ground.write(items, { lane });
    expect(refusalOf(outcome)).toMatchObject({
      reason: "FIELD_INVALID",
      fields: [`items[${at}].update_project.id`],
    });
    expect(await ground.tables()).toEqual(before);
  });

  test("to an item that makes nothing with an id is refused", async () => {
    const before = await ground.tables();
    const { projectId } = ground.world;
    const makingNone: readonly JsonObject[] = [
      { bulkId: "x", addProjectRole: { projectId, roleKey: `r-${lane}` } },
      { bulkId: "x", bulkAddProjectRoles: { projectId, roles: [{ roleKey: `r-${lane}` }] } },
      { bulkId: "x", updateProject: { id: projectId, name: uniqueName("n") } },
      { bulkId: "x", deactivateProject: { id: projectId } },
    ];
    for (const item of makingNone)
      expect(refusalOf(await ground.write([item, renamed("bulkId:x")], { lane }))).toMatchObject({
        reason: "FIELD_INVALID",
        fields: ["items[1].update_project.id"],
      });
    expect(await ground.tables()).toEqual(before);
  });
});

describe("a bulk_id", () => {
  test("has 1 to 64 letters, digits, - and _", async () => {
    const legal = ["a", "A-z_9", "x".repeat(64), "__proto__", "constructor"];
    const names = legal.flatMap((name) => [added(name), renamed(`bulkId:${name}`)]);
    expect(resultsOf(await ground.write(names))).toHaveLength(names.length);
    for (const name of ["x".repeat(65), "a b", "a:b", "ä", "a\n"])
      expect(refusalOf(await ground.write([added(name)])).fields).toContain("items[0].bulk_id");
  });

  test("of an item that was undone because another failed names nothing any more", async () => {
    const outcome = await ground.write([added("x"), renamed("bulkId:x"), renamed("1")]);
    expect(infoOf(outcome)).toMatchObject({ reason: "NOT_FOUND", metadata: { item: "2" } });
    expect(refusalOf(await ground.write([renamed("bulkId:x")])).reason).toBe("FIELD_INVALID");
  });
});
