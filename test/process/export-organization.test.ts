import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { projections } from "../../src/app/installation.ts";
import { exportedTables } from "../../src/identity/exports/repository.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { createCaller, createWorld, idOf, type World } from "../support/world.ts";
import { createAllKinds } from "./support/all-kinds.ts";
import { liveDirectories } from "./support/directory-life.ts";
import { liveGroups } from "./support/group-life.ts";
import { liveHooks } from "./support/hook-life.ts";
import { liveLogins } from "./support/login-life.ts";
import { liveClaims, liveMetadata } from "./support/metadata-life.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { liveTargets } from "./support/target-life.ts";
import { liveWaysToLogIn } from "./support/ways-life.ts";

const newPlace = usePlaces();
const temporary = makeTemporaryFolder();
afterAll(() => temporary.remove());
let files = 0;
const newFile = () => join(temporary.path, `file-${++files}`);

let origin: Place;
let organizationId: string;
let ownerToken: string;
let answers: readonly unknown[];
/** What a plan has to name. */
let strangers: readonly string[];
const plain = newFile();
const sealed = newFile();
const keyFile = newFile();

interface Line {
  readonly event?: { readonly aggregate_id: string };
  readonly left_out?: { readonly kind: string; readonly id: string; readonly text: string };
}

interface Logged {
  readonly aggregateId: string;
  readonly editor: string;
  readonly remoteAddress: string;
}

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

async function readAll({ call }: ConnectedService, token: string): Promise<readonly unknown[]> {
  const { events } = await call(EventService.method.listEvents, { pageSize: 1000 }, token);
  const { users } = await call(UserService.method.listUsers, { pageSize: 100 }, token);
  const { identityProviders } = await call(
    IdentityProviderService.method.listIdentityProviders,
    { pageSize: 100 },
    token,
  );
  return [events, users, identityProviders];
}

const tables = [
  ...projections.flatMap((projection) => projection.tables),
  ...exportedTables.map(({ name }) => name),
];

type Rows = ReadonlyMap<string, ReadonlySet<string>>;

async function rowsOf(place: Place): Promise<Rows> {
  return await place.look(async (raw) => {
    const all = new Map<string, ReadonlySet<string>>();
    for (const name of tables)
      all.set(name, new Set((await raw.peek(`SELECT * FROM ${name}`)).map((row) => toText(row))));
    return all;
  });
}

/** A membership elsewhere limits the tokens of its user; it stays where it is. */
function toText({ was_limited: _limited, ...row }: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(row).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(sorted.map(([name, value]) => [name, Buffer.isBuffer(value) ? [...value] : value]));
}

/** A place with an instance and nothing else. */
async function newService(): Promise<Place> {
  const place = newPlace();
  const serving = await place.serve(["--dev"]);
  expect(await serving.stop()).toBe(0);
  return place;
}

beforeAll(async () => {
  origin = newPlace();
  const serving = await origin.serve(["--dev"]);
  const service = origin.connect(serving);
  const world = await createAllKinds(service);
  ({ organizationId } = world);
  ownerToken = world.owner.token;
  const inside = createCaller(service, organizationId);
  const groupId = await liveGroups(inside, world);
  await liveMetadata(service, { ...world, groupId });
  await liveClaims(service, world);
  await liveWaysToLogIn(service, world);
  await liveDirectories(service, organizationId);
  await liveTargets(service, organizationId);
  await liveHooks(service, world);
  await liveLogins(service);
  strangers = await addStrangers(service, world);
  answers = await readAll(service, ownerToken);
  expect(await serving.stop()).toBe(0);
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  writeFileSync(keyFile, identity);
  const run = ["--organization", organizationId];
  expect(await origin.run(["export", plain, ...run])).toMatchObject({ code: 0, stderr: "" });
  expect(
    await origin.run(["export", sealed, ...run, "--with-secrets", "--recipient", recipient]),
  ).toMatchObject({ code: 0, stderr: "" });
});

/** Has a grant of a project of another organization, and one of its users as an administrator. Returns how a plan names them. */
async function addStrangers(service: ConnectedService, world: World): Promise<readonly string[]> {
  const other = await createWorld(service);
  const granted = await createCaller(service, other.organizationId)(ProjectService.method.addProjectGrant, {
    projectId: other.projectId,
    grantedOrganizationId: world.organizationId,
    roleKeys: ["reader"],
  });
  const projectGrantId = idOf(granted, "grantId");
  const grant = await createCaller(service, world.organizationId)(UserGrantService.method.addUserGrant, {
    userId: world.userId,
    projectId: other.projectId,
    projectGrantId,
    roleKeys: ["reader"],
  });
  const membership = await service.call(MembershipService.method.addMembership, {
    userId: other.userId,
    scope: { case: "organizationId", value: world.organizationId },
    roles: ["ORGANIZATION_VIEWER"],
  });
  return [
    `~ project_grant ${projectGrantId} of project ${other.projectId} stays where it is: ${other.organizationId} has given it`,
    `~ user_grant ${idOf(grant, "userGrantId")} of user ${world.userId} is left out: it names project ${other.projectId}`,
    `~ membership ${idOf(membership, "membershipId")} of user ${other.userId} is left out: it names user ${other.userId}`,
  ];
}

describe("gatehouse export --organization, and import gatehouse", () => {
  test("bring everything of the organization beside what is there, and name what stays", async () => {
    const place = await newService();
    const before = await rowsOf(place);
    const plan = await place.run(["import", "gatehouse", sealed, "--identity", keyFile]);
    const leftOut = linesOf(readFileSync(plain, "utf8")).flatMap((line) => line.left_out ?? []);
    for (const { text } of leftOut) expect(plan.stdout).toContain(`~ ${text}\n`);
    for (const text of strangers) expect(plan.stdout).toContain(text);
    expect(await place.run(["import", "gatehouse", sealed, "--identity", keyFile, "--apply"])).toMatchObject({
      code: 0,
      stderr: "",
    });
    const [after, all] = [await rowsOf(place), await rowsOf(origin)];
    const named = leftOut.flatMap(({ id }) => id.split(" "));
    const own = new Set(
      linesOf(readFileSync(plain, "utf8")).flatMap(({ event }) => event?.aggregate_id ?? []),
    );
    for (const table of tables.filter((name) => name !== "right_events")) {
      // That one says which events give rights; the events are compared below.
      const rows = [...(after.get(table) ?? [])];
      const kept = rows.filter((row) => before.get(table)?.has(row) === true);
      expect([table, kept.length]).toEqual([table, before.get(table)?.size]); // nothing else has changed
      const added = new Set(rows.filter((row) => before.get(table)?.has(row) !== true));
      const missing = [...(all.get(table) ?? [])]
        .filter((row) => !added.has(row) && mentions(row, own))
        .filter((row) => !named.some((id) => row.includes(id)));
      expect([table, missing]).toEqual([table, []]);
      const foreign = [...added].filter((row) => all.get(table)?.has(row) !== true);
      expect([table, foreign]).toEqual([table, []]);
    }
    const doctor = await place.run(["doctor"]);
    expect(doctor.stdout.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([]);
    const serving = await place.serve(["--dev"]);
    const [events, ...others] = await readAll(place.connect(serving), ownerToken); // the token goes on, too
    const [formerEvents, ...formerOthers] = answers;
    expect(others).toEqual(formerOthers);
    const stays = new Set(leftOut.filter(({ text }) => text.includes("is left out")).map(({ id }) => id));
    const expected = (formerEvents as readonly Logged[])
      .filter(({ aggregateId }) => !stays.has(aggregateId))
      // Addresses of people who stay where they are stay with them.
      .map((event) => (own.has(event.editor) ? event : Object.assign({}, event, { remoteAddress: "" })));
    expect(events).toEqual(expected);
    expect(expected.some(({ remoteAddress }) => remoteAddress !== "")).toBe(true);
    expect(await serving.stop()).toBe(0);
    expect(await place.run(["import", "gatehouse", plain, "--apply"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `the organization ${organizationId} is already in this place, or was; nothing was changed`,
      ),
    });
  });

  test("need a place with an instance, and an organization that there is", async () => {
    const place = newPlace();
    const { code, stderr } = await place.run(["import", "gatehouse", plain, "--apply"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("there is no ")]);
    expect((await origin.run(["export", newFile(), "--organization", "Nobody"])).stderr).toContain(
      'there is no organization with the id or name "Nobody"',
    );
    const { stdout } = await origin.run(["events", "--event-type", "instance.exported"]);
    expect(stdout.match(/"organization_id":"(\d*)","with_secrets":(?:true|false)/g)).toEqual([
      `"organization_id":"${organizationId}","with_secrets":false`,
      `"organization_id":"${organizationId}","with_secrets":true`,
    ]);
  });
});

/** Whether a row is about the organization or something in it, and no other one owns it. */
function mentions(row: string, own: ReadonlySet<string>): boolean {
  const [, owner = organizationId] = /\["resource_owner","(\d+)"\]/.exec(row) ?? [];
  if (owner !== organizationId) return false;
  return (row.match(/\d{15,}/g) ?? []).some((id) => own.has(id));
}
