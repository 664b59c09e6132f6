import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { EventService, type ListEventsRequestSchema } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  uniqueName,
  type World,
} from "../support/world.ts";
import { type Call, type EveryLane, everyLane, openLanes } from "./support/lanes.ts";
import { projectPayload } from "../support/samples.ts";
import { eventDefinitions } from "../../src/kernel/events/catalogue.ts";

const method = EventService.method.listEvents;
type Request = MessageInitShape<typeof ListEventsRequestSchema>;

let service: TestService;
let callOn: Readonly<Record<EveryLane, Call>>;
let ours: World;
let theirs: World;

beforeAll(async () => {
  service = await startService();
  callOn = openLanes(service);
  ours = await createWorld(service);
  theirs = await createWorld(service);
});
afterAll(() => service.stop());

interface Caller {
  readonly token?: string;
  readonly on?: string;
  readonly lane?: EveryLane;
}

async function call(request: Request, { token = ours.owner.token, on, lane = "json" }: Caller = {}) {
  const headers: Record<string, string> = on === undefined ? {} : { "x-service-orgid": on };
  return await callOn[lane](method, request, { token, headers });
}

const eventsIn = (answer: JsonObject) => answer["events"] as readonly JsonObject[];

async function list(request: Request = {}, caller: Caller = {}): Promise<readonly JsonObject[]> {
  const events: JsonObject[] = [];
  let pageToken = "";
  do {
    const answer = answerOf(await call({ ...request, pageToken }, caller));
    events.push(...eventsIn(answer));
    pageToken = answer["nextPageToken"] as string; // always there
  } while (pageToken !== "");
  return events;
}

const sequencesOf = (events: readonly JsonObject[]) => events.map((event) => Number(event["sequence"]));
const ownersOf = (events: readonly JsonObject[]) => [
  ...new Set(events.map((event) => event["resourceOwner"])),
];
const typesOf = (events: readonly JsonObject[]) => [...new Set(events.map((event) => event["eventType"]))];

describe.each(everyLane)("over %s", (lane) => {
  test("an event says everything that the log knows of it", async () => {
    const inside = createCaller(service, ours.organizationId, ours.owner.token);
    const answer = await inside(ProjectService.method.addProject, { name: "Shown", hasProjectCheck: true });
    const details = answer["details"] as JsonObject;
    const found = answerOf(await call({ aggregateId: idOf(answer, "id") }, { lane }));
    expect(eventsIn(found)).toEqual([
      {
        sequence: details["sequence"],
        creationDate: details["creationDate"],
        aggregateType: "project",
        aggregateId: answer["id"],
        eventType: "project.added",
        version: eventDefinitions["project.added"].version,
        resourceOwner: ours.organizationId,
        editor: ours.owner.id,
        remoteAddress: "127.0.0.1",
        requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
        payload: projectPayload({ name: "Shown", hasProjectCheck: true }),
      },
    ]);
    expect(found["details"]).toMatchObject({ processedSequence: details["sequence"] });
    await inside(ProjectService.method.updateProject, {
      id: idOf(answer, "id"),
      name: uniqueName("Renamed"),
    });
  });

  test("filters narrow the list down, alone and together", async () => {
    const all = await list({}, { lane });
    const cases: readonly (readonly [Request, (event: JsonObject) => boolean])[] = [
      [{ aggregateType: "project" }, (event) => event["aggregateType"] === "project"],
      [{ aggregateId: ours.userId }, (event) => event["aggregateId"] === ours.userId],
      [{ eventType: "user.phone.set" }, (event) => event["eventType"] === "user.phone.set"],
      [{ editor: ours.owner.id }, (event) => event["editor"] === ours.owner.id],
      [
        { aggregateType: "user", editor: idOf(all[0] ?? {}, "editor") },
        (event) => event["aggregateType"] === "user" && event["editor"] === all[0]?.["editor"],
      ],
      [
        { afterSequence: BigInt(idOf(all[4] ?? {}, "sequence")) },
        (event) => Number(event["sequence"]) > Number(all[4]?.["sequence"]),
      ],
      [
        { beforeSequence: BigInt(idOf(all[4] ?? {}, "sequence")) },
        (event) => Number(event["sequence"]) < Number(all[4]?.["sequence"]),
      ],
    ];
    for (const [request, matches] of cases) {
      const expected = all.filter(matches);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(all.length);
      expect(await list(request, { lane })).toEqual(expected);
    }
    expect(await list({ aggregateType: "project", eventType: "user.phone.set" }, { lane })).toEqual([]);
    expect(await list({ afterSequence: 2n ** 64n - 1n }, { lane })).toEqual([]);
    expect(await list({ beforeSequence: 2n ** 64n - 1n }, { lane })).toEqual(all);
  });

  test("pages follow each other without gap and repeat, and the count is that of the whole list", async () => {
    const all = await list({ pageSize: 1000 }, { lane });
    expect(sequencesOf(all)).toEqual(sequencesOf(all).toSorted((left, right) => left - right));
    expect(await list({ pageSize: 3 }, { lane })).toEqual(all);
    expect(await list({ pageSize: 3, newestFirst: true }, { lane })).toEqual(all.toReversed());
    const first = answerOf(await call({ pageSize: 3, countTotal: true }, { lane }));
    expect(first["details"]).toMatchObject({ totalResult: String(all.length) });
    expect(eventsIn(first)).toHaveLength(3);
  });

  test("types that do not exist are refused by their fields", async () => {
    const outcome = await call({ aggregateType: "projects", eventType: "project.add" }, { lane });
    expect(refusalOf(outcome)).toMatchObject({
      code: 3,
      reason: "FIELD_INVALID",
      fields: ["aggregate_type", "event_type"],
    });
  });
});

describe("who sees what", () => {
  test("without the header: the events of all organizations where the caller holds event.read, and no others", async () => {
    expect(ownersOf(await list())).toEqual([ours.organizationId]);
    expect(ownersOf(await list({}, { token: theirs.viewer.token }))).toEqual([theirs.organizationId]);
    const both = await createServiceUser(service, ours.organizationId, "ORGANIZATION_VIEWER");
    const scope = { case: "organizationId" as const, value: theirs.organizationId };
    const role = { userId: both.id, scope, roles: ["ORGANIZATION_VIEWER"] };
    await service.call(MembershipService.method.addMembership, role);
    const merged = await list({ pageSize: 7 }, { token: both.token });
    expect(new Set(ownersOf(merged))).toEqual(new Set([ours.organizationId, theirs.organizationId]));
    const parts = [...(await list()), ...(await list({}, { token: theirs.viewer.token }))];
    expect(sequencesOf(merged)).toEqual(sequencesOf(parts).toSorted((left, right) => left - right));
    expect(await list({ editor: ours.owner.id }, { token: theirs.viewer.token })).toEqual([]);
    expect(await list({ aggregateId: ours.projectId }, { token: theirs.viewer.token })).toEqual([]);
  });

  test("events of the instance are for those who hold event.read instance-wide", async () => {
    const all = await list({}, { token: service.adminToken });
    const instance = all.find((event) => event["aggregateType"] === "membership")?.["resourceOwner"];
    const owners = ownersOf(all);
    expect(owners).toEqual(expect.arrayContaining([instance, ours.organizationId, theirs.organizationId]));
    const inside = await list({}, { token: service.adminToken, on: ours.organizationId });
    const withoutAddress = ({ remoteAddress: _address, ...event }: JsonObject) => event;
    expect(inside.map(withoutAddress)).toEqual((await list()).map(withoutAddress));
  });

  test("the address of an editor is for those who may read them: who holds user.read on their organization, and themselves", async () => {
    const inside = createCaller(service, ours.organizationId, theirs.owner.token);
    const scope = { case: "organizationId" as const, value: ours.organizationId };
    const role = { userId: theirs.owner.id, scope, roles: ["ORGANIZATION_PROJECT_MANAGER"] };
    await service.call(MembershipService.method.addMembership, role);
    const added = await inside(ProjectService.method.addProject, { name: uniqueName("Of a guest") });
    const both = await createServiceUser(service, ours.organizationId, "ORGANIZATION_VIEWER");
    const users = { case: "organizationId" as const, value: theirs.organizationId };
    const manager = { userId: both.id, scope: users, roles: ["ORGANIZATION_USER_MANAGER"] };
    await service.call(MembershipService.method.addMembership, manager);
    await service.call(MembershipService.method.updateMembership, {
      membershipId: await membershipIdOf(service, theirs.owner.id, ours.organizationId),
      roles: ["ORGANIZATION_VIEWER"],
    });
    const seen: Record<string, unknown> = {};
    const callers = { owner: ours.owner, viewer: ours.viewer, both, themselves: theirs.owner };
    for (const [name, { token }] of Object.entries(callers))
      for (const lane of everyLane) {
        const [event] = await list(
          { aggregateId: idOf(added, "id") },
          { token, lane, on: ours.organizationId },
        );
        expect(event).toMatchObject({ editor: theirs.owner.id, eventType: "project.added" });
        seen[`${name} over ${lane}`] = event?.["remoteAddress"];
      }
    expect(seen).toEqual(
      Object.fromEntries(
        Object.keys(callers).flatMap((name) =>
          everyLane.map((lane) => [
            `${name} over ${lane}`,
            name === "both" || name === "themselves" ? "127.0.0.1" : "",
          ]),
        ),
      ),
    );
  });

  test("with the header: that organization's, denied or not found as everywhere", async () => {
    expect(await list({}, { on: ours.organizationId })).toEqual(await list());
    const other = await call({}, { on: theirs.organizationId });
    expect(refusalOf(other)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
    const unknown = await call({}, { on: "404" });
    expect(refusalOf(unknown)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
    const asAdmin = await call({}, { on: "404", token: service.adminToken });
    expect(refusalOf(asAdmin)).toMatchObject({ code: 5, reason: "NOT_FOUND", resource: "organization" });
    const stranger = await call({}, { token: ours.stranger.token });
    expect(refusalOf(stranger)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });

  test("a page token is good for the same organization and filters only", async () => {
    const token = service.adminToken;
    const on = ours.organizationId;
    const page = answerOf(await call({ pageSize: 1 }, { token, on }));
    const pageToken = idOf(page, "nextPageToken");
    const refusals = [
      await call({ pageSize: 1, pageToken }, { token }),
      await call({ pageSize: 1, pageToken }, { token, on: theirs.organizationId }),
      await call({ pageSize: 1, pageToken, editor: "20" }, { token, on }),
      await call({ pageSize: 1, pageToken, afterSequence: 1n }, { token, on }),
      await call({ pageSize: 1, pageToken, newestFirst: true }, { token, on }),
    ];
    for (const outcome of refusals)
      expect(refusalOf(outcome)).toMatchObject({ code: 3, reason: "PAGE_TOKEN_INVALID" });
    expect(answerOf(await call({ pageSize: 2, pageToken }, { token, on }))["events"]).toHaveLength(2);
  });
});

describe("what is in an event", () => {
  test("personal fields can be read, secrets are not there", async () => {
    const oidc = {
      clientId: "client",
      clientSecret: "a client secret 4711",
      issuer: "https://idp.example.com",
    };
    const inside = createCaller(service, ours.organizationId);
    await inside(IdentityProviderService.method.addOidcIdentityProvider, {
      name: uniqueName("OIDC"),
      ...oidc,
    });
    const all = await list();
    expect(typesOf(all)).toEqual(
      expect.arrayContaining(["user.added", "user.token.added", "identity_provider.added"]),
    );
    const added = all.find(
      (event) => event["aggregateId"] === ours.userId && event["eventType"] === "user.added",
    );
    expect(added?.["payload"]).toMatchObject({ given_name: "Ada", email: "ada@example.com", kind: "human" });
    const text = JSON.stringify(all);
    for (const secret of ["a client secret 4711", ours.owner.token, ours.phoneCode])
      expect(text).not.toContain(secret);
  });
});
