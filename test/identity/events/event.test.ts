import { describe, expect, test } from "@jest/globals";
import { eventDefinitions } from "../../../src/kernel/events/catalogue.ts";
import {
  aggregateTypes,
  createMayAffectCaller,
  createMatcher,
  eventTypesOf,
  findUnknownTypes,
  isWider,
  scopeOf,
} from "../../../src/identity/events/event.ts";
import { callBy, everything, instanceWide, organizations, viewerOf } from "./fixture.ts";

const [home, partner] = organizations as [(typeof organizations)[0], (typeof organizations)[0]]; // there are four
const head = {
  sequence: 1,
  type: "project.changed",
  aggregate_id: "40",
  resource_owner: String(home),
  editor: "20",
};

describe("findUnknownTypes", () => {
  test("accepts every type of the catalogue, and nothing at all", () => {
    for (const eventType of ["", ...Object.keys(eventDefinitions)])
      for (const aggregateType of ["", ...aggregateTypes])
        expect(findUnknownTypes({ eventType, aggregateType })).toEqual([]);
  });

  test.each(["projects", "Project", "constructor", "project."])("names the field of %s", (name) => {
    const fields = findUnknownTypes({ eventType: name, aggregateType: name }).map(({ field }) => field);
    expect(fields).toEqual(["aggregate_type", "event_type"]);
  });
});

describe("eventTypesOf", () => {
  test("gives all, those of a kind, one, or none when the two filters exclude each other", () => {
    expect(eventTypesOf(everything)).toEqual(Object.keys(eventDefinitions));
    expect(eventTypesOf({ ...everything, aggregateType: "project_grant" })).toHaveLength(5);
    const both = { ...everything, aggregateType: "project", eventType: "project.added" };
    expect(eventTypesOf(both)).toEqual(["project.added"]);
    expect(eventTypesOf({ ...both, aggregateType: "user" })).toEqual([]);
  });
});

describe("scopeOf", () => {
  test("is the organization of the header, whatever else is held", () => {
    expect(scopeOf(callBy(instanceWide, home).access, instanceWide)).toEqual([home]);
  });

  test("without the header is everything for those who hold event.read instance-wide, else where they hold it", () => {
    const { access } = callBy([]);
    expect(scopeOf(access, instanceWide)).toBe("all");
    expect(scopeOf(access, viewerOf(home, partner))).toEqual([home, partner]);
    expect(scopeOf(access, [])).toEqual([]);
    const manager = {
      scope: { kind: "organization", organizationId: home },
      roles: ["ORGANIZATION_USER_MANAGER"],
    };
    expect(scopeOf(access, [manager as never])).toEqual([]);
  });
});

test("a matcher lets through what scope and every filter let through", () => {
  const matches = (change: Partial<typeof everything>, scope: "all" | readonly (typeof home)[] = "all") =>
    createMatcher(scope, { ...everything, ...change })(head);
  expect(matches({})).toBe(true);
  expect(matches({}, [home])).toBe(true);
  expect(matches({}, [partner])).toBe(false);
  expect(
    matches({ aggregateType: "project", eventType: "project.changed", aggregateId: "40", editor: "20" }),
  ).toBe(true);
  expect(matches({ aggregateType: "user" })).toBe(false);
  expect(matches({ eventType: "project.added" })).toBe(false);
  expect(matches({ aggregateId: "41" })).toBe(false);
  expect(matches({ editor: "21" })).toBe(false);
});

test("a watch is concerned by its caller, their organization, and changes of memberships", () => {
  const { caller } = callBy([]);
  const mayAffectCaller = createMayAffectCaller(caller);
  expect(mayAffectCaller({ ...head, type: "user.deactivated", aggregate_id: caller.userId })).toBe(true);
  expect(
    mayAffectCaller({ ...head, type: "organization.deactivated", aggregate_id: caller.organizationId }),
  ).toBe(true);
  expect(mayAffectCaller({ ...head, type: "membership.removed" })).toBe(true);
  expect(mayAffectCaller({ ...head, type: "membership.changed" })).toBe(true);
  expect(mayAffectCaller({ ...head, type: "user.deactivated" })).toBe(false);
});

test("a scope is wider when it holds what the other one lacks", () => {
  expect(isWider([home, partner], [home])).toBe(true);
  expect(isWider([partner], [home])).toBe(true);
  expect(isWider("all", [home])).toBe(true);
  expect(isWider([home], [home, partner])).toBe(false);
  expect(isWider([home], "all")).toBe(false);
  expect(isWider("all", "all")).toBe(false);
});
