import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Event } from "../../gen/gatehouse/v1/event_pb.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  uniqueName,
  type World,
} from "../support/world.ts";
import { openWatch, streamLanes } from "./support/watch.ts";
import { sized } from "../support/size.ts";

let service: TestService;
let ours: World;
let theirs: World;

beforeAll(async () => {
  service = await startService({ "max-watches-per-organization": "8" });
  ours = await createWorld(service);
  theirs = await createWorld(service);
});
afterAll(() => service.stop());

async function addProject(world = ours): Promise<{ readonly id: string; readonly sequence: bigint }> {
  const inside = createCaller(service, world.organizationId);
  const answer = await inside(ProjectService.method.addProject, { name: uniqueName("Project") });
  return { id: idOf(answer, "id"), sequence: BigInt(idOf(answer["details"] as JsonObject, "sequence")) };
}

async function processed(): Promise<bigint> {
  const answer = await service.call(EventService.method.listEvents, { pageSize: 1 });
  return BigInt(idOf(answer["details"] as JsonObject, "processedSequence"));
}

async function listed(token = ours.owner.token): Promise<readonly string[]> {
  const sequences: string[] = [];
  let pageToken = "";
  do {
    const page = await service.call(EventService.method.listEvents, { pageSize: 1000, pageToken }, token);
    sequences.push(...(page["events"] as readonly JsonObject[]).map((event) => idOf(event, "sequence")));
    pageToken = page["nextPageToken"] as string; // always there
  } while (pageToken !== "");
  return sequences;
}

/** Records an event about a membership. */
async function changeMembership(): Promise<void> {
  await createServiceUser(service, theirs.organizationId, "ORGANIZATION_VIEWER");
}

const sequencesOf = (events: readonly Event[]) => events.map((event) => String(event.sequence));
const has = (sequence: bigint) => (events: readonly Event[]) => events.at(-1)?.sequence === sequence;

describe.each(sized({ small: streamLanes.slice(0, 1), full: [...streamLanes] }))("over %s", (lane) => {
  const watch = (
    request: Parameters<typeof openWatch>[2],
    options: Partial<Parameters<typeof openWatch>[3]> = {},
  ) => openWatch(lane, service.url, request, { token: ours.owner.token, ...options });

  test("from the beginning: everything that the list has, then what is committed", async () => {
    const before = await listed();
    const open = watch({ afterSequence: 0n });
    await open.until((events) => events.length >= before.length);
    expect(sequencesOf(open.events)).toEqual(before);
    const { sequence } = await addProject();
    await addProject(theirs);
    const last = await addProject();
    await open.until(has(last.sequence));
    expect(sequencesOf(open.events)).toEqual([...before, String(sequence), String(last.sequence)]);
    open.cancel();
    expect(await open.ended).toMatchObject({ code: 1 });
  });

  test("from a sequence on, with filters", async () => {
    const afterSequence = await processed();
    const open = watch({ afterSequence, aggregateType: "project", eventType: "project.changed" });
    const { id } = await addProject();
    const inside = createCaller(service, ours.organizationId);
    const changed = await inside(ProjectService.method.updateProject, { id, name: uniqueName("Renamed") });
    await open.until((events) => events.length > 0);
    expect(open.events).toHaveLength(1);
    expect(open.events[0]).toMatchObject({
      sequence: BigInt(idOf(changed["details"] as JsonObject, "sequence")),
      aggregateId: id,
      eventType: "project.changed",
      payload: { project_role_check: false },
    });
    open.cancel();
    await open.ended;
  });

  test("without a sequence: only what is committed from then on", async () => {
    const before = await processed();
    const open = watch({});
    // When it is open nobody can say from outside: one write after the other, until the first one arrives.
    const writing = { goesOn: true };
    const write = async () => {
      while (writing.goesOn) await addProject();
    };
    const written = write();
    await open.until((events) => events.length > 2);
    writing.goesOn = false;
    await written;
    const all = (await listed()).filter((sequence) => BigInt(sequence) > before);
    await open.until(has(BigInt(all.at(-1) ?? 0)));
    expect(sequencesOf(open.events)).toEqual(all.slice(-open.events.length));
    open.cancel();
    await open.ended;
  });

  test("has its headers before any event, and then a bookmark behind what is not for it", async () => {
    // No other event of the test has this type, and one about memberships makes every watch look again.
    const filter = { eventType: "project_grant.removed", bookmarks: true };
    const open = watch(filter);
    await open.opened;
    const other = await addProject(theirs);
    let bookmark = 0n;
    while (bookmark < other.sequence) {
      const count = open.bookmarks.length;
      service.clock.turn(15_000);
      await changeMembership();
      await open.until(() => open.bookmarks.length > count);
      bookmark = open.bookmarks.at(-1) ?? 0n; // of a look that may have begun before
    }
    expect(open.events).toEqual([]);
    open.cancel();
    await open.ended;
    const again = watch({ afterSequence: bookmark });
    const { sequence } = await addProject();
    await again.until((events) => events.length > 0);
    expect(sequencesOf(again.events)).toEqual([String(sequence)]);
    again.cancel();
    await again.ended;
  });

  test("with the header: that organization only, for an administrator of the instance too", async () => {
    const afterSequence = await processed();
    const options = { token: service.adminToken, on: theirs.organizationId };
    const open = watch({ afterSequence }, options);
    await addProject();
    const { sequence } = await addProject(theirs);
    await open.until((events) => events.length > 0);
    expect(sequencesOf(open.events)).toEqual([String(sequence)]);
    open.cancel();
    await open.ended;
  });

  test("what is refused has no events", async () => {
    const refused = [
      [await watch({}, { token: ours.stranger.token }).ended, 7, "PERMISSION_DENIED"],
      [await watch({}, { on: theirs.organizationId }).ended, 7, "PERMISSION_DENIED"],
      [await watch({}, { token: service.adminToken, on: "404" }).ended, 5, "NOT_FOUND"],
      [await watch({}, { token: "gatehouse_pat_1_x" }).ended, 16, "TOKEN_INVALID"],
      [await watch({ eventType: "project.add" }).ended, 3, "FIELD_INVALID"],
    ] as const;
    for (const [ending, code, reason] of refused) expect(ending).toMatchObject({ code, reason });
  });

  test("the removal of the token ends it at once", async () => {
    const user = await createServiceUser(service, ours.organizationId, "ORGANIZATION_VIEWER");
    const method = UserService.method.addPersonalAccessToken;
    const expirationDate = { seconds: 4_000_000_000n, nanos: 0 };
    const request = { userId: user.id, expirationDate };
    const made = await service.call(method, request, ours.owner.token);
    const open = watch({ afterSequence: await processed() }, { token: idOf(made, "token") });
    const { sequence } = await addProject();
    await open.until(has(sequence));
    const removal = { userId: user.id, tokenId: idOf(made, "tokenId") };
    await service.call(UserService.method.removePersonalAccessToken, removal, ours.owner.token);
    expect(await open.ended).toMatchObject({ code: 16, reason: "TOKEN_INVALID" });
    expect(open.events).toHaveLength(1);
  });

  test("its deadline ends it", async () => {
    const open = watch({ afterSequence: await processed() }, { timeoutMs: 300 });
    expect(await open.ended).toMatchObject({ code: 4 });
  });
});

describe("what the caller may see", () => {
  test("is what the token carries: roles that are left out for it show nothing, and take nothing", async () => {
    const user = await createServiceUser(service, ours.organizationId, "ORGANIZATION_VIEWER");
    const request = { userId: user.id };
    const made = await service.call(
      UserService.method.addPersonalAccessToken,
      request,
      ours.owner.token, // which carries nothing elsewhere
    );
    const afterSequence = await processed();
    const limited = openWatch("grpc", service.url, { afterSequence }, { token: idOf(made, "token") });
    const whole = openWatch("grpc", service.url, { afterSequence }, { token: user.token });
    const scope = { case: "organizationId" as const, value: theirs.organizationId };
    const role = { userId: user.id, scope, roles: ["ORGANIZATION_VIEWER"] };
    await service.call(MembershipService.method.addMembership, role);
    await addProject(theirs);
    const last = await addProject();
    await whole.until(has(last.sequence));
    await limited.until(has(last.sequence));
    const ownersOf = ({ events }: typeof limited) => new Set(events.map((event) => event.resourceOwner));
    expect(ownersOf(whole)).toEqual(new Set([ours.organizationId, theirs.organizationId]));
    expect(ownersOf(limited)).toEqual(new Set([ours.organizationId]));
    for (const open of [limited, whole]) {
      open.cancel();
      await open.ended;
    }
  });

  test("does not hold addresses of editors whom they may not read", async () => {
    const afterSequence = await processed();
    const open = openWatch("grpc", service.url, { afterSequence }, { token: ours.viewer.token });
    await addProject(); // by the administrator, who is of another organization
    const name = uniqueName("Project");
    const own = createCaller(service, ours.organizationId, ours.owner.token);
    await own(ProjectService.method.addProject, { name });
    await open.until((events) => events.length === 2);
    expect(open.events.map((event) => event.remoteAddress)).toEqual(["", "127.0.0.1"]);
    open.cancel();
    await open.ended;
  });

  test("is computed anew: a role that is given while the watch is open shows at the next event", async () => {
    const user = await createServiceUser(service, ours.organizationId, "ORGANIZATION_VIEWER");
    const afterSequence = await processed();
    const open = openWatch("grpc", service.url, { afterSequence }, { token: user.token });
    const first = await addProject();
    await open.until(has(first.sequence));
    const hidden = await addProject(theirs);
    const scope = { case: "organizationId" as const, value: theirs.organizationId };
    const role = { userId: user.id, scope, roles: ["ORGANIZATION_VIEWER"] };
    await service.call(MembershipService.method.addMembership, role);
    const shown = await addProject(theirs);
    const last = await addProject();
    await open.until(has(last.sequence));
    const seen = sequencesOf(open.events);
    expect(seen).toContain(String(shown.sequence));
    expect(seen).toEqual(seen.toSorted());
    expect(new Set(open.events.map((event) => event.resourceOwner))).toEqual(
      new Set([ours.organizationId, theirs.organizationId]),
    );
    expect(seen.indexOf(String(hidden.sequence))).toBeLessThan(seen.indexOf(String(shown.sequence)));
    open.cancel();
    await open.ended;
  });
});

describe("how many may be open", () => {
  test("is bounded for an organization, and others are not concerned; one that ends makes room", async () => {
    const afterSequence = await processed();
    const options = { token: theirs.owner.token };
    const open = Array.from({ length: 8 }, () => openWatch("grpc", service.url, { afterSequence }, options));
    const { sequence } = await addProject(theirs);
    await Promise.all(open.map((watch) => watch.until(has(sequence))));
    const refused = await openWatch("grpc", service.url, { afterSequence }, options).ended;
    expect(refused).toMatchObject({ code: 8, reason: "TOO_MANY_STREAMS" });
    const other = openWatch("grpc", service.url, { afterSequence: 0n }, { token: ours.owner.token });
    await other.until((events) => events.length > 0);
    other.cancel();
    open[0]?.cancel();
    await open[0]?.ended;
    // The service learns of the end a moment after the client.
    for (;;) {
      const again = openWatch("grpc", service.url, { afterSequence }, options);
      const arrived = await again.until(has(sequence)).then(
        () => true,
        () => false,
      );
      again.cancel();
      if (arrived) break;
    }
    for (const watch of open) watch.cancel();
    await Promise.all([...open, other].map((watch) => watch.ended));
  });
});
