import { describe, expect, test } from "@jest/globals";
import type { CallProblem } from "../../src/console/api/call-problem.ts";
import type { Draft } from "../../src/console/ui/form/drafts.ts";
import {
  beginForm,
  followStored,
  type FormState,
  meetConflict,
} from "../../src/console/ui/form/form-state.ts";

interface Values extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly uris: readonly string[];
}

const first = { values: { name: "Shop", uris: ["a"] }, version: { sequence: 1n } };
const begun = beginForm<Values>(first, undefined);
const typed: FormState<Values> = { ...begun, values: { name: "Shops", uris: ["a"] } };

describe("a form is filled", () => {
  test("with what is stored", () => {
    expect(begun).toMatchObject({ ...first, base: first.values, isRestored: false });
  });

  const draft: Draft = { values: typed.values, base: first.values, version: first.version, key: undefined };

  test("with a draft, whose version is that of what its form was filled with", () => {
    const changed = { values: { name: "Shop", uris: ["b"] }, version: { sequence: 2n } };
    const restored = beginForm<Values>(changed, draft);
    expect(restored).toMatchObject({ values: typed.values, base: first.values, version: first.version });
    expect(restored.isRestored).toBe(true);
    expect(followStored(restored, changed)).toBe(restored); // so that saving it is a conflict
  });

  test("with a draft whose values nobody else has changed, which is no conflict", () => {
    const elsewhere = { ...first, version: { sequence: 2n } };
    const restored = followStored(beginForm<Values>(elsewhere, draft), elsewhere);
    expect(restored).toMatchObject({ values: typed.values, base: first.values, version: { sequence: 2n } });
  });

  test("with what was typed into a form that changes nothing", () => {
    const nothing = { values: { name: "", uris: [] }, version: undefined };
    const restored = beginForm<Values>(nothing, { ...draft, base: nothing.values, version: undefined });
    expect(restored).toMatchObject({ values: typed.values, base: nothing.values, version: undefined });
  });

  test("only with values of the kinds that it has", () => {
    const odd = { ...draft, values: { name: 1, uris: "a", other: "x" } };
    expect(beginForm<Values>(first, odd).values).toEqual(first.values);
  });
});

describe("a form, when its object is read again,", () => {
  const theirs = { values: { name: "Shop", uris: ["b"] }, version: { sequence: 2n } };

  test("shows what is stored if nothing is typed", () => {
    expect(followStored(begun, theirs)).toMatchObject({ ...theirs, base: theirs.values });
  });

  test("keeps its version if something is typed and others have changed its values", () => {
    expect(followStored(typed, theirs)).toBe(typed);
  });

  test("takes the version if others have changed what it does not hold", () => {
    const elsewhere = { ...first, version: { sequence: 2n } };
    expect(followStored(typed, elsewhere)).toEqual({ ...typed, version: { sequence: 2n } });
  });

  test.each([
    ["it is being sent", { ...begun, isBusy: true }, theirs],
    ["it was read before", { ...begun, version: { sequence: 3n } }, theirs],
    ["it is the same", begun, { ...theirs, version: first.version }],
    ["it has no version", begun, { ...theirs, version: undefined }],
  ])("stays as it is if %s", (_case, state, stored) => {
    expect(followStored<Values>(state, stored)).toBe(state);
  });
});

describe("a form whose object somebody else has changed", () => {
  const problem: CallProblem = {
    code: "failed_precondition",
    reason: "SEQUENCE_MISMATCH",
    message: "",
    violations: [],
    requestId: undefined,
    metadata: {},
  };

  test("lets the user choose between both versions", () => {
    const theirs = { values: { name: "Shop", uris: ["b"] }, version: { sequence: 2n } };
    expect(meetConflict(typed, theirs, problem)).toEqual({ conflict: theirs });
  });

  test("says so if what it shows is as before, and takes the version for the next try", () => {
    const elsewhere = { ...first, version: { sequence: 2n } };
    expect(meetConflict(typed, elsewhere, problem)).toEqual({ problem, version: { sequence: 2n } });
  });

  test("says so if what is stored cannot be read", () => {
    expect(meetConflict(typed, undefined, problem)).toEqual({ problem });
  });
});
