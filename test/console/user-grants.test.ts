// User grants in the console: why one counts, and what is planned for several users.
import { describe, expect, test } from "@jest/globals";
import { readProblem, toFieldError } from "../../src/console/api/call-problem.ts";
import { explain, type GrantLink } from "../../src/console/pages/user-grants/reasons.ts";
import {
  activeSteps,
  type HeldGrant,
  mapSome,
  type NamedUser,
  planSteps,
} from "../../src/console/pages/user-grants/several.ts";

const active: GrantLink = { kind: "user", title: "Ada", state: 1 };
const inactive: GrantLink = { kind: "project", title: "Lamps", state: 2 };
const locked: GrantLink = { kind: "user", title: "Ada", state: 4 };
const unseen: GrantLink = { kind: "owner", title: "", state: undefined };

describe("a user grant", () => {
  test("counts if the service says so, whatever was read a moment before", () => {
    const verdict = explain([active, inactive], ["viewer"], ["viewer"]);
    expect(verdict).toEqual({ kind: "counts", roles: ["viewer"] });
  });

  test("does not count because of all that is not active", () => {
    const verdict = explain([locked, inactive, unseen], ["viewer"], []);
    expect(verdict).toEqual({ kind: "hindered", links: [locked, inactive] });
  });

  test("without roles gives nothing", () => {
    expect(explain([active, unseen], [], [])).toEqual({ kind: "empty" });
  });

  test("does not count because of something that may not be seen", () => {
    expect(explain([active, unseen], ["viewer"], [])).toEqual({ kind: "unseen", links: [unseen] });
  });
});

describe("the plan for several users", () => {
  const named = (typed: string, id?: string): NamedUser => ({
    typed,
    user: id === undefined ? undefined : { id, title: typed },
  });
  const held = (userId: string, roleKeys: readonly string[]): HeldGrant => ({
    id: `grant of ${userId}`,
    userId,
    roleKeys,
    sequence: 5n,
  });
  const steps = planSteps(
    [named("ada", "1"), named("ben", "2"), named("cy", "3"), named("nobody"), named("ada@example.com", "1")],
    [held("2", ["viewer", "auditor"]), held("3", ["editor", "viewer"])],
    ["viewer", "editor"],
  );

  test("adds, extends and keeps, finds who is missing, and takes each user once", () => {
    expect(steps.map(({ kind }) => kind)).toEqual(["add", "extend", "keep", "missing"]);
    expect(steps[1]).toMatchObject({ held: { id: "grant of 2" }, added: ["editor"] });
  });

  test("changes something only for users whom it adds or extends", () => {
    expect(activeSteps(steps).map(({ user }) => user.id)).toEqual(["1", "2"]);
  });
});

test("many values are loaded a few at a time, in their order", async () => {
  let underWay = 0;
  let most = 0;
  const results = await mapSome(
    Array.from({ length: 20 }, (_, index) => index),
    async (value) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      return value * 2;
    },
  );
  expect(results).toEqual(Array.from({ length: 20 }, (_, index) => index * 2));
  expect(most).toBe(6);
});

test("a problem that the console finds itself is shown at its field, like those of the service", () => {
  expect(readProblem(toFieldError("userId", "There is no such user.")).violations).toEqual([
    { field: "userId", message: "There is no such user." },
  ]);
});
