import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { openWatch, streamLanes } from "../../api/support/watch.ts";
import { itemOf, resultsOf, writeItems } from "../../support/batch.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  uniqueName,
  type World,
} from "../../support/world.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

// The log and the background work that two processes share.

let pair: Pair;
let world: World;

beforeAll(async () => {
  pair = await startPair();
  world = await createWorld(pair.one);
});
afterAll(() => pair.close());

const processes = () => [pair.one, pair.other];

async function addProject(process: Process): Promise<{ readonly id: string; readonly sequence: string }> {
  const inside = createCaller(process, world.organizationId);
  const answer = await inside(ProjectService.method.addProject, { name: uniqueName("Project") });
  return { id: idOf(answer, "id"), sequence: idOf(answer["details"] as JsonObject, "sequence") };
}

/** Adds projects in both processes at once, as many in each. */
const addMany = async (count: number) =>
  (
    await Promise.all(processes().map((process) => Promise.all(times(count, () => addProject(process)))))
  ).flat();

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

const inOrder = (sequences: readonly string[]) =>
  sequences.toSorted((left, right) => Number(BigInt(left) - BigInt(right)));

test("ids and sequences of both are all different", async () => {
  const added = await addMany(50);
  expect(new Set(added.map(({ id }) => id)).size).toBe(100);
  expect(new Set(added.map(({ sequence }) => sequence)).size).toBe(100);
});

test.each(streamLanes)("watches over %s show the events of both once, in their order", async (lane) => {
  const watches = processes().map(({ url }) =>
    openWatch(
      lane,
      url,
      { afterSequence: 0n, eventType: "project.added" },
      { token: world.owner.token, on: world.organizationId },
    ),
  );
  const before = await addProject(pair.one);
  for (const watch of watches)
    await watch.until((events) => String(events.at(-1)?.sequence) === before.sequence);
  const counts = watches.map(({ events }) => events.length);
  const added = inOrder((await addMany(15)).map(({ sequence }) => sequence));
  for (const [index, watch] of watches.entries()) {
    const seen = () => watch.events.slice(counts[index]).map(({ sequence }) => String(sequence));
    await watch.until(() => seen().includes(added.at(-1) ?? ""));
    expect(seen()).toEqual(added);
    watch.cancel();
  }
});

test("a watch ends when the other process takes the role or the token", async () => {
  for (const take of ["role", "token"] as const) {
    const user = await createServiceUser(pair.one, world.organizationId, "ORGANIZATION_VIEWER");
    const watch = openWatch("grpc", pair.other.url, { afterSequence: 0n }, { token: user.token });
    await watch.until((events) => events.length > 0);
    if (take === "role") {
      const membershipId = await membershipIdOf(pair.one, user.id);
      await pair.one.call(MembershipService.method.removeMembership, { membershipId });
    } else {
      await pair.one.call(UserService.method.deactivateUser, { userId: user.id });
    }
    const { reason } = await watch.ended;
    expect(reason).toBe(take === "role" ? "PERMISSION_DENIED" : "TOKEN_INVALID");
  }
});

test("lists are as new as what either process has answered", async () => {
  for (let round = 0; round < 10; round++) {
    const [here, there] = round % 2 === 0 ? processes() : processes().toReversed();
    const { sequence } = await addProject(here as Process);
    const answer = await (there as Process).call(EventService.method.listEvents, { pageSize: 1 });
    const processed = idOf(answer["details"] as JsonObject, "processedSequence");
    expect(BigInt(processed)).toBeGreaterThanOrEqual(BigInt(sequence));
  }
});

/** Removes an organization with more projects than a removal deletes itself. */
async function removeLarge(process: Process): Promise<void> {
  const made = await process.call(OrganizationService.method.addOrganization, { name: uniqueName("Large") });
  const id = idOf(made, "organizationId");
  const items = times(150, () =>
    itemOf(ProjectService.method.addProject, { name: uniqueName("Project") }, { organizationId: id }),
  );
  const token = process.adminToken;
  expect(resultsOf(await writeItems(process.clients.json, { items }, { token }))).toHaveLength(150);
  await process.call(OrganizationService.method.removeOrganization, { id });
}

test("one of them deletes what the removals of both have left", async () => {
  for (const process of processes()) {
    await removeLarge(process);
    const left = () => pair.peek("SELECT 1 FROM removed_organizations");
    // The time limit of the test ends it if that never comes.
    while ((await left()).length > 0) await new Promise(setImmediate);
    expect(await left()).toEqual([]);
  }
});
