import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type DescField,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { engine, type TestPlace } from "../support/engine/engine.ts";
import { listMethods } from "../support/methods.ts";
import {
  type AskedList,
  byIds,
  createPlanJudge,
  isOfList,
  type PlanJudge,
  recordStatements,
} from "./support/query-plans.ts";
import { createGroup, createGroups } from "./support/tenancy-groups.ts";
import { addDelivery, createTarget } from "./support/tenancy-targets.ts";
import { rootRemovals } from "./support/removal-cases.ts";
import { createRemovalWorld } from "./support/removal-world.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createOidcApplication,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  type TestUser,
  uniqueName,
  type World,
} from "../support/world.ts";
import { sized } from "../support/size.ts";
import { createDirectory, person } from "../sites/scim/support/scim.ts";

// Every list is asked for with every set of its filters, by callers whose roles reach differently far. Each statement that the
// database runs for it must find its rows on an index, in the order of the list, and by the filters that were given.

const lists = (await listMethods()).filter((method) => method.name.startsWith("List"));

const recorder = recordStatements();
let service: TestService;
/** What the service has stored, and more. */
let full: TestPlace;
let judge: PlanJudge;
let world: World;
let oidcAppId: string;
let groupId: string;
let targetId: string;
let callers: readonly (readonly [string, TestUser])[];

beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  const { organizationId, projectId } = world;
  oidcAppId = await createOidcApplication(service, organizationId, projectId);
  const partner = await createWorld(service);
  const grant = await createCaller(service, organizationId)(ProjectService.method.addProjectGrant, {
    projectId,
    grantedOrganizationId: partner.organizationId,
    roleKeys: ["reader"],
  });
  const groups = await createGroups(service, {
    organization: organizationId,
    userId: world.owner.id,
    giver: partner.organizationId,
    projectId,
    projectGrantId: idOf(grant, "grantId"),
  });
  groupId = groups.group;
  ({ target: targetId } = await createTarget(service, organizationId));
  for (let count = 0; count < 3; count += 1) await addDelivery(service, targetId);
  const members = { groupId, groupIds: [await createGroup(service, organizationId)] };
  await createCaller(service, organizationId)(GroupService.method.addGroupMembers, members);
  await service.call(MembershipService.method.addMembership, {
    groupId,
    scope: { case: "organizationId", value: organizationId },
    roles: ["ORGANIZATION_VIEWER"],
  });
  const several = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
  const onProjects = await createServiceUser(service, organizationId);
  const onGrants = await createServiceUser(service, partner.organizationId);
  const another = await createCaller(service, organizationId)(ProjectService.method.addProjectGrant, {
    projectId: await createProject(service, organizationId, ["reader"]),
    grantedOrganizationId: partner.organizationId,
    roleKeys: ["reader"],
  });
  const give = async (user: TestUser, scope: object, role: string) =>
    void (await service.call(MembershipService.method.addMembership, {
      ...fromJson(MembershipService.method.addMembership.input, {
        user_id: user.id,
        ...scope,
        roles: [role],
      }),
    }));
  // A token that does not carry the roles that its user gets below, which its maker cannot give.
  await createCaller(
    service,
    organizationId,
    world.owner.token,
  )(UserService.method.addPersonalAccessToken, { userId: several.id });
  for (let index = 0; index < 2; index++) {
    const added = await service.call(OrganizationService.method.addOrganization, {
      name: uniqueName("Reach"),
    });
    await give(several, { organization_id: idOf(added, "organizationId") }, "ORGANIZATION_VIEWER");
    await give(
      onProjects,
      { project_id: await createProject(service, organizationId, ["reader"]) },
      "PROJECT_OWNER",
    );
  }
  await give(onProjects, { project_id: projectId }, "PROJECT_OWNER");
  for (const granted of [grant, another])
    await give(onGrants, { project_grant_id: idOf(granted, "grantId") }, "PROJECT_GRANT_OWNER");
  callers = [
    ["the administrator of the instance", { id: "", token: service.adminToken }],
    ["the owner of an organization", world.owner],
    ["a viewer of several organizations", several],
    ["the owner of some projects", onProjects],
    ["the owner of two project grants", onGrants],
  ];
  full = await service.place.copy();
  for (const table of ["second_factors", "passkeys"])
    await full.raw.damage(`UPDATE ${table} SET credential_id = id`); // as if its user had a device
  for (const table of [
    "stored_user_grants",
    "stored_group_grants",
    "stored_project_grants",
    "stored_memberships",
    "group_members",
  ])
    await full.raw.damage(`UPDATE ${table} SET end_date = '2999-01-01T00:00:00.000000Z'`); // as if all were to end
  await full.raw.grow();
  judge = createPlanJudge(full);
});

afterAll(async () => {
  recorder.stop();
  await full.remove();
  await service.stop();
});

describe.each(lists.map((method) => [method.name, method] as const))("%s", (_name, method) => {
  test("finds each page and each count on an index, by the filters that were given", async () => {
    const required = method.input.fields.filter(({ number }) => number >= 20);
    const unread: (readonly string[])[] = [];
    const unindexed: object[] = [];
    for (const filters of subsets(method.input.fields.filter(isFilter))) {
      const list = { method: method.name, filters: namesOf([...filters, ...required]) };
      let statements = 0;
      for (const [who, caller] of callers) {
        recorder.take();
        await readTwoPages(method, caller, filters);
        for (const sql of recorder.take().filter((each) => isOfList(each))) {
          statements += 1;
          const found = await judge.unindexedFiltersOf(sql, list);
          if (found.length > 0) unindexed.push({ who, given: list.filters, unindexed: found, sql });
        }
      }
      if (statements === 0 && !isContradiction(list) && !isReadWhole(list)) unread.push(list.filters);
    }
    expect(unread).toEqual([]);
    expect(unindexed).toEqual([]);
    expect(await judge.faultsIn(recorder.all())).toEqual([]);
  });
});

test("a change of many objects finds them by their ids", async () => {
  const { organizationId } = world;
  const grantIds = Array.from({ length: 16 }, (_, index) => String(index + 1));
  const outcome = await service.clients.json.call(
    UserGrantService.method.bulkRemoveUserGrants,
    fromJson(UserGrantService.method.bulkRemoveUserGrants.input, { grant_ids: grantIds }),
    { token: service.adminToken, headers: { "x-service-orgid": organizationId } },
  );
  expect(refusalOf(outcome)).toMatchObject({ reason: "NOT_FOUND" });
  expect(recorder.all().filter((sql) => byIds.test(sql) && /FROM user_grants\b/.test(sql))).not.toEqual([]);
  expect(await judge.faultsIn(recorder.all())).toEqual([]);
});

test("a removal counts what goes along on indexes", async () => {
  const doomed = await createRemovalWorld(service);
  const headers = { "x-service-orgid": doomed.home, "x-service-validate-only": "true" };
  const seen = new Set<string>();
  for (const { method, request } of rootRemovals) {
    recorder.take();
    answerOf(
      await service.clients.json.call(method, request(doomed) as never, {
        // a case fits its method
        token: service.adminToken,
        headers,
      }),
    );
    const counting = recorder.take().filter((sql) => /AS taken_0|LIMIT 10001$/.test(sql));
    expect(counting).not.toEqual([]);
    for (const sql of counting) seen.add(sql);
  }
  const counts = (sql: string, part: RegExp) => sql.match(part)?.length ?? 0;
  const isLimited = (sql: string) => counts(sql, /LIMIT 10001\) AS taken\b/g) === counts(sql, /COUNT\(\*\)/g);
  expect([...seen].filter((sql) => !isLimited(sql) && !isOfOneUser(sql))).toEqual([]);
  const faults = (await judge.faultsIn([...seen])).map((fault) => fault.slice(0, fault.indexOf(":")));
  // Rows that a part of the statement has found on an index, no more than are counted.
  expect(faults.filter((fault) => !/^SCAN taken$/.test(fault))).toEqual([]);
});

test("a request of SCIM walks through no table but the list that it asks for", async () => {
  const directory = await createDirectory(service, { organizationId: world.organizationId });
  const { schemas: _schemas, ...wanted } = { ...person(), externalId: "plan-1", title: "Engineer" };
  recorder.take();
  const userId = await directory.addUser(wanted);
  const added = await directory.send("POST", "/Groups", {
    displayName: uniqueName("Plans"),
    externalId: "plan-1",
    members: [{ value: userId }],
  });
  const asked: readonly (readonly [verb: string, path: string, body?: object])[] = [
    ["PATCH", `/Users/${userId}`, { Operations: [{ op: "replace", path: "title", value: "Boss" }] }],
    ["PUT", `/Users/${userId}`, wanted],
    ["GET", `/Users/${userId}`],
    ...[
      `userName eq "${wanted.userName}"`,
      'externalId eq "plan-1"',
      'title eq "Engineer"',
      `id eq "${userId}"`,
    ].map((filter) => ["POST", "/Users/.search", { filter }] as const),
    ["GET", "/Users?cursor=&count=2"],
    ["GET", "/Groups?count=2"],
    ...[`members eq "${userId}"`, 'externalId eq "plan-1"'].map(
      (filter) => ["POST", "/Groups/.search", { filter }] as const,
    ),
    ["PATCH", `/Groups/${added.body.id}`, { Operations: [{ op: "remove", path: "members" }] }],
    ["DELETE", `/Groups/${added.body.id}`],
    ["DELETE", `/Users/${userId}`],
  ];
  for (const [verb, path, body] of asked)
    expect([verb, path, (await directory.send(verb, path, body)).status < 300]).toEqual([verb, path, true]);
  const statements = recorder.take().filter((sql) => !/AS taken_0/.test(sql)); // what goes along with a removal: above
  expect(statements.filter((sql) => /\bFROM metadata\b/.test(sql))).not.toEqual([]);
  const faults = await judge.faultsIn(statements);
  expect(faults.filter((fault) => !isSortOfFew(fault))).toEqual([]);
});

test("a statement that walks through a table, or sorts, is seen", async () => {
  expect(await judge.faultsOf("SELECT * FROM users WHERE description = ?")).not.toEqual([]);
  for (const sql of unusableIds[engine.name]) expect(await judge.faultsOf(sql)).not.toEqual([]);
  expect(
    await judge.faultsOf("SELECT * FROM users WHERE resource_owner = ? ORDER BY name LIMIT 1"),
  ).not.toEqual([]);
  expect(
    await judge.faultsOf(
      "SELECT * FROM users WHERE resource_owner = ? AND id IN (?, ?) ORDER BY creation_date, id LIMIT ?",
    ),
  ).not.toEqual([]);
  expect(await judge.faultsOf("SELECT * FROM users WHERE id = ?")).toEqual([]);
  // One row is in any order.
  expect(await judge.faultsOf("SELECT * FROM users WHERE folded_username = ? ORDER BY name LIMIT ?")).toEqual(
    [],
  );
});

test("a filter without an index is seen", async () => {
  const unindexed = (where: string, method: string, ...filters: string[]) =>
    judge.unindexedFiltersOf(
      `SELECT * FROM projects WHERE resource_owner = ? AND ${where} ORDER BY creation_date, id LIMIT ?`,
      { method, filters },
    );
  expect(await unindexed("state = ?", "ListProjects", "state")).toEqual([]);
  expect(await unindexed("private_labeling_setting = ?", "ListProjects", "private_labeling_setting")).toEqual(
    ["private_labeling_setting"],
  );
  // What the order of the list compares is no filter.
  expect(await unindexed("(creation_date, id) > (?, ?)", "ListProjects", "creation_date")).toEqual([
    "creation_date",
  ]);
  // On the one row of a unique name, any other filter may be compared.
  expect(
    await unindexed("folded_name = ? AND has_project_check = ?", "ListProjects", "name", "has_project_check"),
  ).toEqual([]);
  expect(
    await unindexed("state = ? AND has_project_check = ?", "ListProjects", "state", "has_project_check"),
  ).toEqual(["has_project_check"]);
});

/** Says whether a count is one of what a user has made with a token, or ends with a way to log in: of that there is little. */
const isOfOneUser = (sql: string) =>
  /FROM (credentials|authorizations a) WHERE (a\.)?user_id = \+?\?/.test(sql);

/** Statements that read rows of known ids, and cannot find them by those. */
const unusableIds = {
  sqlite: [
    "SELECT id FROM users WHERE resource_owner = ? AND +id IN (?, ?)",
    "SELECT id FROM users WHERE resource_owner = +? AND +id IN (+?, +?)",
  ],
  postgres: [
    "SELECT id FROM (SELECT id || '' AS id FROM users WHERE resource_owner = ?) AS found WHERE id IN (?, ?)",
  ],
};

/** Reads two pages of one object each. */
async function readTwoPages(
  method: DescMethodUnary,
  caller: TestUser,
  filters: readonly DescField[],
): Promise<void> {
  const json: JsonObject = { page_size: 1, count_total: true };
  for (const field of method.input.fields) {
    if (field.number >= 20 || filters.includes(field)) json[field.name] = sample(field);
  }
  let pageToken = "";
  for (let page = 0; page < 2; page++) {
    const request = fromJson(method.input, { ...json, page_token: pageToken });
    const outcome = await service.clients.json.call(method, request, { token: caller.token });
    if (outcome.kind === "error") return; // some lists are denied to some callers
    const next = answerOf(outcome)["nextPageToken"];
    pageToken = typeof next === "string" ? next : "";
    if (pageToken === "") break;
  }
}

/** Says whether no object can match all filters, so that nothing is read: a membership is of one user or group, and has one scope. */
function isContradiction({ method, filters }: AskedList): boolean {
  // A value is refused without its key.
  if (filters.includes("metadata_value") && !filters.includes("metadata_key")) return true;
  const scopes = new Set(["instance", "organization_id", "project_id", "project_grant_id"]);
  const holders = new Set(["user_id", "group_id"]);
  return (
    method === "ListMemberships" &&
    [scopes, holders].some((those) => filters.filter((filter) => those.has(filter)).length > 1)
  );
}

/** Says whether it reads all that one user has, and puts it in order: that is no statement of a page. */
function isReadWhole({ method, filters }: AskedList): boolean {
  return (
    method === "ListUserGrants" &&
    ["user_id", "search", "expires_before"].every((name) => filters.includes(name))
  );
}

/** Lists of the past are read in memory: `test/identity/as-of` looks at what finds their events. */
function isFilter({ number, oneof }: DescField): boolean {
  return number >= 10 && number < 20 && oneof === undefined;
}

function namesOf(fields: readonly DescField[]): readonly string[] {
  return fields.map(({ name }) => name);
}

function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  const sets = Array.from({ length: 2 ** items.length }, (_, bits) => bits);
  const all = sets.map((bits) => items.filter((_, index) => (bits >> index) % 2 === 1));
  return sized({ small: all.filter(({ length }) => length <= 2 || length === items.length), full: all });
}

function sample(field: DescField): JsonValue {
  const samples: Readonly<Record<string, JsonValue>> = {
    id: world.organizationId,
    user_id: world.userId,
    project_id: world.projectId,
    app_id: oidcAppId,
    group_id: groupId,
    target_id: targetId,
    project_grant_id: world.projectGrantId,
    organization_id: world.organizationId,
    aggregate_type: "project",
    aggregate_id: world.projectId,
    event_type: "project.added",
    editor: world.owner.id,
    expires_before: "9999-12-31T23:59:59Z",
    before_sequence: String(Number.MAX_SAFE_INTEGER),
  };
  if (Object.hasOwn(samples, field.name)) return samples[field.name] ?? null;
  if (field.enum !== undefined) return 1;
  if (field.scalar === ScalarType.BOOL) return true;
  return field.scalar === ScalarType.UINT64 ? "1" : "sample";
}

/** Members, groups of users, and what a filter leads to, are few enough to be put in order. */
function isSortOfFew(fault: string): boolean {
  return /B-TREE|Sort/.test(fault);
}
