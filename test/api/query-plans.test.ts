import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type DescField,
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import Sqlite from "better-sqlite3";
import { join } from "node:path";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { listMethods } from "../support/methods.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  type TestUser,
  uniqueName,
  type World,
} from "../support/world.ts";

// Every list is asked for with every set of its filters, by callers whose roles reach differently far, and each statement
// that SQLite prepares for it must find its rows on an index, in the order of the list.

const lists = (await listMethods()).filter((method) => method.name.startsWith("List"));

/** What was prepared in this process. */
const prepared = new Set<string>();
const prepare = Sqlite.prototype.prepare;
Sqlite.prototype.prepare = function remember(this: Sqlite.Database, sql: string) {
  prepared.add(sql);
  return prepare.call(this, sql);
} as typeof prepare;

let service: TestService;
let world: World;
let callers: readonly (readonly [string, TestUser])[];

beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  const { organizationId, projectId } = world;
  const partner = await createWorld(service);
  const grant = await createCaller(service, organizationId)(ProjectService.method.addProjectGrant, {
    projectId,
    grantedOrganizationId: partner.organizationId,
    roleKeys: ["reader"],
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
});

afterAll(async () => {
  Sqlite.prototype.prepare = prepare;
  await service.stop();
});

describe.each(lists.map((method) => [method.name, method] as const))("%s", (_name, method) => {
  test("finds each page and each count on an index", async () => {
    const asked = subsets(method.input.fields.filter(isFilter));
    let answers = 0;
    for (const [, caller] of callers) {
      for (const filters of asked) answers += await readTwoPages(method, caller, filters);
    }
    expect(answers).toBeGreaterThan(0);
    expect([...prepared].flatMap((sql) => faultsOf(sql))).toEqual([]);
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
  expect([...prepared].filter((sql) => byIds.test(sql) && /FROM user_grants\b/.test(sql))).not.toEqual([]);
  expect([...prepared].flatMap((sql) => faultsOf(sql))).toEqual([]);
});

test("a statement that walks through a table, or sorts, is seen", () => {
  expect(faultsOf("SELECT * FROM users WHERE phone = ?")).not.toEqual([]);
  for (const id of ["?", "+?"])
    expect(
      faultsOf(`SELECT id FROM users WHERE resource_owner = ${id} AND +id IN (${id}, ${id})`),
    ).not.toEqual([]);
  expect(faultsOf("SELECT * FROM users WHERE resource_owner = ? ORDER BY name LIMIT 1")).not.toEqual([]);
  expect(
    faultsOf(
      "SELECT * FROM users WHERE resource_owner = ? AND id IN (?, ?) ORDER BY creation_date, id LIMIT ?",
    ),
  ).not.toEqual([]);
  expect(faultsOf("SELECT * FROM users WHERE id = ?")).toEqual([]);
});

/** Reads two pages of one object each. Returns how many calls were answered: some are denied to some callers. */
async function readTwoPages(
  method: DescMethodUnary,
  caller: TestUser,
  filters: readonly DescField[],
): Promise<number> {
  const json: JsonObject = { page_size: 1, count_total: true };
  for (const field of method.input.fields) {
    if (field.number >= 20 || filters.includes(field)) json[field.name] = sample(field);
  }
  let pageToken = "";
  let answers = 0;
  for (let page = 0; page < 2; page++) {
    const request = fromJson(method.input, { ...json, page_token: pageToken });
    const outcome = await service.clients.json.call(method, request, { token: caller.token });
    if (outcome.kind === "error") return answers;
    answers += 1;
    const next = answerOf(outcome)["nextPageToken"];
    pageToken = typeof next === "string" ? next : "";
    if (pageToken === "") break;
  }
  return answers;
}

function isFilter({ number }: DescField): boolean {
  return number >= 10 && number < 20;
}

function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  const sets = Array.from({ length: 2 ** items.length }, (_, bits) => bits);
  return sets.map((bits) => items.filter((_, index) => (bits >> index) % 2 === 1));
}

function sample(field: DescField): JsonValue {
  const samples: Readonly<Record<string, JsonValue>> = {
    user_id: world.userId,
    project_id: world.projectId,
    organization_id: world.organizationId,
    aggregate_type: "project",
    aggregate_id: world.projectId,
    event_type: "project.added",
    editor: world.owner.id,
  };
  if (Object.hasOwn(samples, field.name)) return samples[field.name] ?? null;
  if (field.enum !== undefined) return 1;
  if (field.scalar === ScalarType.BOOL) return true;
  return field.scalar === ScalarType.UINT64 ? "1" : "sample";
}

/** Returns what is wrong with the plan of a statement; nothing for one that does not read a list. */
function faultsOf(sql: string): readonly string[] {
  if (!/^\s*(SELECT|WITH)\b/.test(sql) || exempt.some((known) => known.test(sql))) return [];
  const database = new Sqlite(join(service.dataFolder, "gatehouse.db"), { readonly: true });
  const parameters = Array.from({ length: sql.split("?").length - 1 }, () => "1");
  const plan = prepare.call(database, `EXPLAIN QUERY PLAN ${sql}`).all(parameters) as readonly {
    readonly detail: string;
  }[]; // as SQLite documents it
  database.close();
  const details = plan.map(({ detail }) => detail);
  const faults = details.filter(
    (detail) =>
      isFault(detail) && !(/^SCAN stored_(organizations|memberships)$/.test(detail) && countsAll.test(sql)),
  );
  if (byIds.test(sql) && !details.some((detail) => isById(sql, detail))) faults.push(...details);
  return faults.map((detail) => `${detail}: ${sql.replaceAll(/\s+/g, " ")}`);
}

/** A statement that reads rows of known ids. */
const byIds = /\bid IN \(\+?\?/;

/** Statements that no list makes, or that sort few rows. */
const exempt: readonly RegExp[] = [
  /FROM (sqlite_master|sqlite_schema|settings|migrations)\b/, // the start; a handful of rows
  /FROM metadata_refreshes\b/, // the background; it bounds what it sorts
  /FROM \w+_grant_roles WHERE .* ORDER BY (\w+, )?position$/, // at most 1,000 a grant
];

/** Says whether the rows that a statement is about are found by their ids, and not only others that a view looks up. */
function isById(sql: string, detail: string): boolean {
  const [, table = ""] = /\bFROM (\w+)/.exec(sql) ?? [];
  return new RegExp(`^SEARCH (stored_)?${table}\\b.* (PRIMARY KEY|INDEX \\w+) \\(id=\\?\\)`).test(detail);
}

/** Tables that some list holds all of, in the order of an index, or counts up to a limit in any order. */
const walked = /^SCAN stored_(organizations|memberships)\b.* USING (COVERING )?INDEX \w+_by_creation$/;
const countsAll =
  /^SELECT COUNT\(\*\) AS total FROM \(SELECT id FROM (organizations|memberships) WHERE TRUE LIMIT \+\?\)/;

function isFault(detail: string): boolean {
  if (detail.includes("TEMP B-TREE")) return true;
  if (!detail.startsWith("SCAN ")) return false;
  return !(
    walked.test(detail) ||
    detail === "SCAN stored_organizations USING COVERING INDEX organizations_removed" || // those whose rows have yet to go
    /^SCAN (counted|looked|json_each|CONSTANT ROW|\(subquery|\d+ CONSTANT)/.test(detail)
  );
}
