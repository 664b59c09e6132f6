import type { Call } from "../../src/kernel/base/call.ts";
import { type OrganizationId, toId } from "../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../src/kernel/base/paging.ts";
import { findAccess, type HeldRoles, type Permission } from "../../src/kernel/base/permission.ts";
import type { FeatureContext } from "../../src/identity/context.ts";
import { createEventCommands } from "../../src/identity/events/commands.ts";
import type { EventFilter } from "../../src/identity/events/event.ts";
import { createMembershipCommands } from "../../src/identity/memberships/commands.ts";
import { createOrganizationCommands } from "../../src/identity/organizations/commands.ts";
import { createProjectCommands } from "../../src/identity/projects/commands.ts";
import { createUserGrantCommands } from "../../src/identity/user-grants/commands.ts";
import { createUserCommands } from "../../src/identity/people/user/commands.ts";
import { callAs } from "../support/feature-fixture.ts";
import { idAt, rareCount, rareEditor, rareEventType } from "./list-ground.ts";

export type ReadPage = (
  page: PageRequest,
) => Promise<{ readonly items: readonly unknown[]; readonly nextPageToken: string }>;

/** A list with its filters, read by one caller. */
export interface ListCase {
  readonly name: string;
  readonly read: ReadPage;
  /** How many objects it holds. */
  readonly total: number;
}

/** Returns the lists of a filled database, in the same order for every size. */
export function listCases(context: FeatureContext, size: number): readonly ListCase[] {
  return [
    ...organizationCases(context, size),
    ...userCases(context, size),
    ...projectCases(context, size),
    ...userGrantCases(context, size),
    ...membershipCases(context, size),
    ...eventCases(context, size),
  ];
}

type Cases = (context: FeatureContext, size: number) => readonly ListCase[];

const organizationId = toId<OrganizationId>(idAt("organization", 0));
const instanceId = toId<never>("1");

/** Makes a case out of a list command with its arguments but the page. */
function toCase<Filter>(
  list: (
    call: Call,
    filter: Filter,
    page: PageRequest,
  ) => Promise<{
    readonly page: { readonly items: readonly unknown[]; readonly nextPageToken: string };
  }>,
  noun: string,
) {
  return (name: string, call: Call, filter: Filter, total: number): ListCase => ({
    name: `${noun}, ${name}`,
    read: async (page) => (await list(call, filter, page)).page,
    total,
  });
}

const instanceOwner: readonly HeldRoles[] = [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }];
const organizationOwner: readonly HeldRoles[] = [
  { scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_OWNER"] },
];

function byOwner(permission: Permission): Call {
  return callAs(organizationId, { held: organizationOwner, permission });
}

function byInstanceOwner(permission: Permission): Call {
  return callAs(organizationId, { held: instanceOwner, permission });
}

/** The owner of 100 projects of the organization, spread over all of them. */
function byProjectOwner(permission: Permission, size: number): Call {
  const held = Array.from(
    { length: 100 },
    (_, index): HeldRoles => ({
      scope: { kind: "project", projectId: toId(idAt("project", (index * size) / 100)), organizationId },
      roles: ["PROJECT_OWNER"],
    }),
  );
  if (findAccess(held, permission, organizationId) === undefined) throw new Error("the role lacks it");
  return callAs(organizationId, { held, permission });
}

const organizationCases: Cases = (context, size) => {
  const of = toCase(createOrganizationCommands(context, instanceId).list, "organizations");
  const call = byInstanceOwner("organization.read");
  const held: readonly HeldRoles[] = Array.from({ length: 100 }, (_, index) => ({
    scope: { kind: "organization", organizationId: toId(idAt("organization", (index * size) / 100)) },
    roles: ["ORGANIZATION_VIEWER"],
  }));
  const ofSome = callAs(organizationId, { held, permission: "organization.read" });
  return [
    of("all", call, { name: "" }, size + 1), // and the one of the first start
    of("name", call, { name: `organization ${size / 2}` }, 1),
    of("search, one hit", call, { name: "", search: `${size / 2}` }, 1),
    of("search, all hits", call, { name: "", search: "org" }, size),
    of("a viewer of 100", ofSome, { name: "" }, 100),
  ];
};

const userCases: Cases = (context, size) => {
  const commands = createUserCommands({ ...context, hasTwoFactors: async () => false }, toId("1"));
  const of = toCase(commands.list, "users");
  const call = byOwner("user.read");
  return [
    of("all", call, {}, size),
    of("state, half of them", call, { state: "ACTIVE" }, size / 2),
    of("state, 50 of them", call, { state: "LOCKED" }, rareCount),
    of("email, 50 of them", call, { email: "team@EXAMPLE.com" }, rareCount),
    of("email and state", call, { email: "team@example.com", state: "LOCKED" }, rareCount),
    of("username", call, { username: `USER-${size / 2}` }, 1),
    of("search, one hit", call, { search: `u${size / 2}` }, 1),
    of("search, one hit of two words", call, { search: `user-${size / 2}` }, 1),
    of("search, 1,000 hits", call, { search: "thou" }, 1000),
    of("search, 1,000 hits of two words", call, { search: "ada thousand" }, 1000),
    of("search, all hits", call, { search: "ADA" }, size),
    of("search, all hits of two words", call, { search: "Ada Lovelace" }, size),
    of("search and state, half of them", call, { search: "ada", state: "ACTIVE" }, size / 2),
    of("username and state", call, { username: `USER-${size / 2}`, state: "ACTIVE" }, 1),
  ];
};

const projectCases: Cases = (context, size) => {
  const of = toCase(createProjectCommands(context).list, "projects");
  const call = byOwner("project.read");
  const ofSome = byProjectOwner("project.read", size);
  return [
    of("all", call, {}, size),
    of("state, half of them", call, { state: "ACTIVE" }, size / 2),
    of("name", call, { name: `project ${size / 2}` }, 1),
    of("search, one hit of two words", call, { search: `proj ${size / 2}` }, 1),
    of("search, all hits", call, { search: "proj" }, size),
    of("name and state", call, { name: `project ${size / 2}`, state: "ACTIVE" }, 1),
    of("the owner of 100", ofSome, {}, 100),
    of("the owner of 100, state", ofSome, { state: "ACTIVE" }, 100),
  ];
};

const userGrantCases: Cases = (context, size) => {
  const of = toCase(createUserGrantCommands(context).list, "user grants");
  const call = byOwner("user.grant.read");
  const all = { userId: "", projectId: "", roleKey: "" };
  const projectId = idAt("project", 0);
  const ofOther = Math.ceil(size / 3);
  const onFirst = size - ofOther + 1;
  const rareOnFirst = rareNumbers(size).filter((index) => index % 3 !== 0).length;
  const userId = idAt("user", size / 2);
  return [
    of("all", call, all, size),
    of("user", call, { ...all, userId }, 1),
    of("project, two of three", call, { ...all, projectId }, onFirst),
    of("role, all of them", call, { ...all, roleKey: "reader" }, size),
    of("role, 50 of them", call, { ...all, roleKey: "auditor" }, rareCount),
    of("project and common role", call, { ...all, projectId, roleKey: "reader" }, onFirst),
    of("project and rare role", call, { ...all, projectId, roleKey: "auditor" }, rareOnFirst),
    of("user and role", call, { ...all, userId, roleKey: "reader" }, 1),
    of(
      "the owner of the project, rare role",
      callAs(organizationId, {
        held: [
          {
            scope: { kind: "project", projectId: toId(projectId), organizationId },
            roles: ["PROJECT_OWNER"],
          },
        ],
        permission: "user.grant.read",
      }),
      { ...all, roleKey: "auditor" },
      rareOnFirst,
    ),
  ];
};

const membershipCases: Cases = (context, size) => {
  const of = toCase(createMembershipCommands(context, instanceId).list, "memberships");
  const all = { userId: "", scopes: [] };
  const call = byInstanceOwner("membership.read");
  const ofOwner = byOwner("membership.read");
  const scopes = [{ kind: "organization" as const, id: organizationId }];
  const onFirst = size - Math.ceil(size / 3) + 1;
  const userId = idAt("user", size / 2);
  return [
    of("all of the instance", call, all, size + 1), // and that of the administrator
    of("organization", call, { ...all, scopes }, onFirst),
    of("user", call, { ...all, userId }, 1),
    of("user and organization", call, { userId, scopes }, 1),
    of("the owner of the organization", ofOwner, all, onFirst),
    of("the owner of 100 projects", byProjectOwner("membership.read", size), all, 0),
  ];
};

const eventCases: Cases = (context, size) => {
  const commands = createEventCommands(context, {
    watchMaxLagMs: 1,
    maxWatches: 1,
    maxWatchesPerOrganization: 1,
  });
  const of = toCase(
    (call: Call, filter: Partial<EventFilter>, page: PageRequest) =>
      commands.list(call, { filter: { ...any, ...filter }, after: 0 }, page),
    "events",
  );
  const any = { aggregateType: "", aggregateId: "", eventType: "", editor: "" };
  const call = byOwner("event.read");
  const unbound: Call = {
    ...byInstanceOwner("event.read"),
    access: { organizationId, projects: "all", projectGrants: "all", spansOrganizations: true },
  };
  return [
    of("of one organization", call, {}, size + rareCount),
    of("one object", call, { aggregateId: idAt("project", 7) }, 2),
    of("common type, everywhere", unbound, { eventType: "project.added" }, size / 5),
    of("rare type, everywhere", unbound, { eventType: rareEventType }, rareCount),
    of("rare editor", call, { editor: rareEditor }, rareCount),
    of("aggregate type of one organization", call, { aggregateType: "user" }, size / 5),
    of("rare type of one organization", call, { eventType: rareEventType }, rareCount),
  ];
};

/** Which users have a grant with the rare role. */
function rareNumbers(size: number): readonly number[] {
  return Array.from({ length: rareCount }, (_, index) => 7 + (index * size) / rareCount);
}
