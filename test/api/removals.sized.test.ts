import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { eventTypes } from "../../src/kernel/events/catalogue.ts";
import { projections } from "../../src/app/installation.ts";
import type { Dump } from "../process/support/tables.ts";
import { itemOf, resultsOf, writeItems } from "../support/batch.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import { idOf, uniqueName } from "../support/world.ts";
import {
  type Counts,
  countsOf,
  objectsIn,
  tablesOfObjects,
  tablesOfParts,
} from "./support/removal-counts.ts";
import { leafRemovals, ofPartner, type RemovalCase, rootRemovals } from "./support/removal-cases.ts";
import { createRemovalWorld, type RemovalWorld } from "./support/removal-world.ts";
import { someOf } from "../support/size.ts";

// What removals say they take along, compared with the rows that are gone from the tables afterwards.

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const send = async (
  method: DescMethodUnary,
  request: object,
  headers: Readonly<Record<string, string>>,
  { clients, adminToken: token }: TestService = service,
) => answerOf(await clients.json.call(method, request as never, { token, headers })); // a case fits its method

/** Reads the counts of an answer, in their order. */
function toCounts(answer: JsonObject): Counts {
  const removed = answer["removed"] as readonly JsonObject[];
  return removed.map((each) => [idOf(each, "type"), Number(each["count"])]);
}

/** Tries the removal, removes, and says what was answered and what is gone. */
async function removeIn(world: RemovalWorld, { method, request, own }: RemovalCase) {
  const headers = { "x-service-orgid": world.home };
  const before = await service.place.raw.dump();
  const tried = await send(method, request(world), { ...headers, "x-service-validate-only": "true" });
  const untouched = countsOf(gone(before, await service.place.raw.dump()));
  const answer = await send(method, request(world), headers);
  const taken = gone(before, await service.place.raw.dump());
  for (const type of own) taken.delete([...taken].find(([, of]) => of === type)?.[0] ?? "");
  return { tried: toCounts(tried), untouched, answered: toCounts(answer), taken: countsOf(taken) };
}

/** Returns the objects that are in the first dump and not in the second, by their keys, with their types. */
function gone(before: Dump, after: Dump): Map<string, string> {
  const nowMs = service.clock.nowMs();
  const left = objectsIn(after, nowMs);
  return new Map([...objectsIn(before, nowMs)].filter(([key]) => !left.has(key)));
}

describe("an rpc that removes", () => {
  test("says in its answer what goes along", async () => {
    const methods = await listMethods();
    const removing = methods.filter(
      ({ name, output }) =>
        /^(Bulk)?Remove/.test(name) || output.fields.some((field) => field.message?.name === "Removed"),
    );
    const fields = removing.map(({ name, output }) => [
      name,
      output.fields.map(({ number, name: field }) => `${number} ${field}`),
    ]);
    expect(fields).toEqual(removing.map(({ name }) => [name, ["1 details", "2 removed"]]));
    const cases = [...leafRemovals, ...rootRemovals].map(({ method }) => method.name);
    expect(new Set(cases)).toEqual(new Set(removing.map(({ name }) => name)));
  });

  test("counts rows of known tables, by names of events", () => {
    const tables = [...projections.flatMap((projection) => projection.tables), "authorizations"];
    expect([...tablesOfObjects, ...tablesOfParts].toSorted()).toEqual(tables.toSorted());
    const types = projections.flatMap(({ takenAlong = {} }) =>
      Object.values(takenAlong).flatMap((taken) => taken.map(({ type }) => type)),
    );
    const named = new Set(eventTypes.map((type) => type.slice(0, type.lastIndexOf("."))));
    expect(types.filter((type) => !named.has(type))).toEqual([]);
  });
});

describe("a removal of what nothing hangs on", () => {
  let world: RemovalWorld;
  beforeAll(async () => {
    world = await createRemovalWorld(service);
  });

  test.each(leafRemovals.map((each) => [each.method.name, each] as const))("%s", async (_name, each) => {
    expect(await removeIn(world, each)).toEqual({ tried: [], untouched: [], answered: [], taken: [] });
  });
});

describe("a removal that takes along", () => {
  test.each(someOf(rootRemovals.map((each) => [each.name ?? each.method.name, each] as const)))(
    "%s",
    async (_name, each) => {
      const { tried, untouched, answered, taken } = await removeIn(await createRemovalWorld(service), each);
      expect(answered).toEqual(taken);
      expect(tried).toEqual(taken);
      expect(untouched).toEqual([]);
      expect(taken.map(([type]) => type)).toEqual(each.types);
    },
  );
});

test("a repeat answers the counts of the first call", async () => {
  const { home, project: id } = await createRemovalWorld(service);
  const headers = { "x-service-orgid": home, "idempotency-key": uniqueName("key") };
  const first = await send(ProjectService.method.removeProject, { id }, headers);
  expect(toCounts(first)).not.toEqual([]);
  expect(await send(ProjectService.method.removeProject, { id }, headers)).toEqual(first);
});

test("a batch answers the counts of each item, after the items before it", async () => {
  const { home, project, oidcApp } = await createRemovalWorld(service);
  const items = [
    itemOf(ApplicationService.method.removeApplication, { projectId: project, appId: oidcApp }),
    itemOf(ProjectService.method.removeProject, { id: project }),
  ];
  const written = await writeItems(
    service.clients.json,
    { items },
    { token: service.adminToken, headers: { "x-service-orgid": home } },
  );
  const [first, second] = resultsOf(written).map((result) =>
    toCounts(Object.values(result)[0] as JsonObject),
  );
  expect(first).toEqual([
    ["application.key", 1],
    ["authorization", 3],
  ]);
  const counts = new Map(second);
  expect([counts.get("application"), counts.get("application.key"), counts.get("authorization")]).toEqual([
    2,
    undefined,
    undefined,
  ]);
});

test("a refresh token that has expired is not counted", async () => {
  const { person: userId } = await createRemovalWorld(service);
  const count = async () => {
    const headers = { "x-service-validate-only": "true" };
    return new Map(toCounts(await send(UserService.method.removeUser, { userId }, headers)));
  };
  expect((await count()).get("authorization")).toBe(3);
  service.clock.turn(24 * 3_600_000);
  expect((await count()).get("authorization")).toBeUndefined();
  expect((await count()).get("session")).toBe(5);
});

test("what is hidden already, because its organization was removed, is not counted", async () => {
  const countAfter = async (of: TestService) => {
    const world = await createRemovalWorld(of);
    await of.call(OrganizationService.method.removeOrganization, { id: world.partner });
    const counts: Counts[] = [];
    // Refresh tokens of its applications are listed until their rows are gone. The grant that was made to the other one is gone with it.
    const isGone = ({ method, name }: RemovalCase) =>
      method.name === "RemoveProjectGrant" || name === ofPartner;
    for (const each of rootRemovals.filter((one) => !isGone(one))) {
      const headers = { "x-service-orgid": world.home, "x-service-validate-only": "true" };
      const counted = toCounts(await send(each.method, each.request(world), headers, of));
      counts.push(counted.filter(([type]) => type !== "authorization"));
    }
    return counts;
  };
  const unswept = await startService({}, { isSweepOff: true });
  try {
    expect(await countAfter(unswept)).toEqual(await countAfter(service));
  } finally {
    await unswept.stop();
  }
});
