import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { type ConnectedService, usePlaces } from "../process/support/place.ts";
import { judgeRegister, type Operation, type Version } from "../support/linearizability.ts";
import { sized } from "../support/size.ts";
import { createCaller, createProject, createWorld, idOf, type World } from "../support/world.ts";
import { createRacer, type Racer, racingLanes } from "./support/racer.ts";
import { race, type Register } from "./support/swap-race.ts";

// Updates with if-match by 32 clients, on a service in a process of its own. What they were told is judged as a whole, and
// against the log.

const clientCount = 32;
const updates = sized({ small: 400, full: 10_000 });
/** All at once: nearly all are refused. Most of them do not read again then. */
const crowd = { atOnce: clientCount, isHasty: (client: number) => client % 8 !== 0 };
/** Two at a time: half of them just miss it. */
const pairs = { atOnce: 2, isHasty: (client: number) => client % 8 === 0 };

const newPlace = usePlaces();
let service: ConnectedService;
let world: World;
let clients: readonly Racer[];
beforeAll(async () => {
  const place = newPlace();
  service = place.connect(await place.serve());
  world = await createWorld(service);
  clients = Array.from({ length: clientCount }, (_each, index) =>
    createRacer(racingLanes[index % racingLanes.length] ?? "rest", service.url, world.owner.token),
  );
});
afterAll(() => {
  for (const client of clients) client.close();
});

const sequenceOf = (details: { readonly sequence: bigint } | undefined) => Number(details?.sequence);

/** A register, and the id of the object that it is. */
interface Raced {
  readonly id: string;
  readonly register: Register;
}

/** A project with its name. */
async function createProjectRegister(): Promise<Raced> {
  const { getProject, updateProject } = ProjectService.method;
  const id = await createProject(service, world.organizationId);
  const path = `/v1/projects/${id}`;
  let count = 0;
  const register: Register = {
    async read(client) {
      const told = await client.call({ method: getProject, request: { id }, verb: "GET", path });
      if (told.kind !== "answer") throw new Error("a read has no condition");
      const { details, name = "" } = told.message.project ?? {};
      return { sequence: sequenceOf(details), value: name };
    },
    async swap(client, ifMatch) {
      const name = `Name ${(count += 1)}`;
      const request = { id, name };
      const told = await client.call({ method: updateProject, request, verb: "PUT", path, ifMatch });
      if (told.kind === "mismatch") return { kind: "refused", current: told.current };
      return { kind: "swapped", version: { sequence: sequenceOf(told.message.details), value: name } };
    },
  };
  return { id, register };
}

/** A user grant with its roles: each update gives those whose bits are in the next number. */
async function createUserGrantRegister(): Promise<Raced> {
  const { addUserGrant, getUserGrant, updateUserGrant } = UserGrantService.method;
  const roleKeys = Array.from({ length: 11 }, (_each, bit) => `role-${bit + 10}`);
  const projectId = await createProject(service, world.organizationId, roleKeys);
  const { userId } = world;
  const inside = createCaller(service, world.organizationId);
  const grantId = idOf(await inside(addUserGrant, { userId, projectId, roleKeys: [] }), "userGrantId");
  const path = `/v1/users/${userId}/grants/${grantId}`;
  let count = 0;
  const register: Register = {
    async read(client) {
      const request = { userId, grantId };
      const told = await client.call({ method: getUserGrant, request, verb: "GET", path });
      if (told.kind !== "answer") throw new Error("a read has no condition");
      const { details, roleKeys: held = [] } = told.message.userGrant ?? {};
      return { sequence: sequenceOf(details), value: held.toSorted().join() };
    },
    async swap(client, ifMatch) {
      const number = (count += 1);
      const given = roleKeys.filter((_key, bit) => (number >> bit) % 2 === 1);
      const request = { userId, grantId, roleKeys: given };
      const told = await client.call({ method: updateUserGrant, request, verb: "PUT", path, ifMatch });
      if (told.kind === "mismatch") return { kind: "refused", current: told.current };
      return {
        kind: "swapped",
        version: { sequence: sequenceOf(told.message.details), value: given.join() },
      };
    },
  };
  return { id: grantId, register };
}

async function readFirst(register: Register): Promise<Version> {
  const [first] = clients;
  if (first === undefined) throw new Error("there are no clients");
  return await register.read(first);
}

/** The answer of ListEvents, as JSON. */
interface ListedEvents {
  readonly events?: readonly { readonly sequence: string }[];
  readonly nextPageToken?: string;
}

/** Returns the sequences of the events of the object that came after that version, in their order. */
async function stepsAfter({ sequence }: Version, id: string): Promise<readonly number[]> {
  const steps: number[] = [];
  let pageToken = "";
  do {
    const request = { pageSize: 1000, pageToken, aggregateId: id, afterSequence: BigInt(sequence) };
    const listed = await service.call(EventService.method.listEvents, request);
    const { events = [], nextPageToken = "" } = listed as unknown as ListedEvents;
    steps.push(...events.map((event) => Number(event.sequence)));
    pageToken = nextPageToken;
  } while (pageToken !== "");
  return steps;
}

/** Judges what was told, and returns how many updates succeeded and how many were refused. */
async function judge(id: string, initial: Version, operations: readonly Operation[]) {
  expect(judgeRegister(initial, operations).slice(0, 10)).toEqual([]);
  const made = operations.flatMap((operation) =>
    operation.kind === "swapped" ? [operation.version.sequence] : [],
  );
  expect(made.toSorted((one, other) => one - other)).toEqual(await stepsAfter(initial, id));
  const refused = operations.filter(({ kind }) => kind === "refused").length;
  return { made: made.length, refused };
}

test("conditional updates of one project by 32 clients are one chain, and told as if one came after the other", async () => {
  const { id, register } = await createProjectRegister();
  const initial = await readFirst(register);
  const crowded = await race(register, clients, { ...crowd, updates: updates / 2 });
  const sparse = await race(register, clients, { ...pairs, updates: updates / 2 });
  const { made, refused } = await judge(id, initial, [...crowded, ...sparse]);
  expect(made + refused).toBe(updates);
  expect(made).toBeGreaterThanOrEqual(updates / 5);
  expect(refused).toBeGreaterThanOrEqual(updates / 5);
}, 120_000);

test("conditional updates of one user grant are as well", async () => {
  const { id, register } = await createUserGrantRegister();
  const initial = await readFirst(register);
  const operations = await race(register, clients, { ...crowd, updates: updates / 10 });
  const { made, refused } = await judge(id, initial, operations);
  expect(made + refused).toBe(updates / 10);
  expect(made).toBeGreaterThan(updates / 1000);
}, 120_000);
