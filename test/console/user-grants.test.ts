// User grants in the console: why one counts, and what is planned for several users.
import { create } from "@bufbuild/protobuf";
import { timestampDate, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { readProblem, toFieldError } from "../../src/console/api/call-problem.ts";
import {
  isReversed,
  readPeriodChange,
  standingOf,
  toPeriodTexts,
} from "../../src/console/ui/period/period.ts";
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

describe("the dates of a right", () => {
  const asDates = {
    startDate: create(TimestampSchema, { seconds: 1_000_000_000n, nanos: 1000 }),
    endDate: create(TimestampSchema, { seconds: 2_000_000_000n }),
  };

  test("stay as they are stored, to the microsecond, unless the text is changed", () => {
    const texts = toPeriodTexts(asDates);
    const kept = { removeStartDate: false, removeEndDate: false };
    expect(readPeriodChange(texts, asDates)).toEqual(kept);
    const later = readPeriodChange({ ...texts, endDate: "2040-01-02T03:04" }, asDates);
    expect(later).toEqual({ ...kept, endDate: expect.anything() });
    expect(later.endDate && timestampDate(later.endDate)).toEqual(new Date("2040-01-02T03:04"));
    const none = { startDate: "", endDate: "" };
    expect(readPeriodChange(none, asDates)).toEqual({ removeStartDate: true, removeEndDate: true });
    expect(readPeriodChange(none, {})).toEqual(kept);
  });

  test.each([
    ["2030-01-01T12:00", "2030-01-01T12:00:00", true],
    ["2030-01-01T12:00", "2030-01-01T12:00:01", false],
    ["2030-01-01T12:00", "", false],
    ["", "2030-01-01T12:00", false],
  ])("from %j until %j: the wrong way round is %s", (startDate, endDate, isWrong) => {
    expect(isReversed({ startDate, endDate })).toBe(isWrong);
  });

  test("say where a right stands, and a grant that is not in its time is named as the reason", () => {
    const at = (seconds: number) => new Date(seconds * 1000);
    expect(standingOf(asDates, at(999_999_999))).toBe("later");
    expect(standingOf(asDates, at(1_999_999_999))).toBeUndefined();
    expect(standingOf(asDates, at(2_000_000_000))).toBe("ended");
    const ended: GrantLink = { kind: "projectGrant", title: "", state: 1, standing: "ended" };
    expect(explain([{ kind: "user", title: "", state: 1 }, ended], ["reader"], [])).toEqual({
      kind: "hindered",
      links: [ended],
    });
  });
});
