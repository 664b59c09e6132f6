import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { definitionOf, eventTypes } from "../../../../src/kernel/events/catalogue.ts";
import { type CompiledProject, compileProject } from "../../../support/compiled-project.ts";
import { type CompiledPayloads, readPayloads } from "./describe.ts";
import { readFrozen } from "./frozen.ts";

let project: CompiledProject;
let payloads: CompiledPayloads;
beforeAll(() => {
  project = compileProject();
  payloads = readPayloads(project);
});
afterAll(() => project.close());

describe("the payloads of events", () => {
  // When this fails: a payload that was recorded never changes. README.md beside this file says what to do.
  test("are what frozen.json says, in every version", () => {
    expect(payloads.describeAll()).toEqual(readFrozen());
  });

  test("are described with their fields, and what is optional or personal as optional", () => {
    const described = payloads.describeAll();
    expect(described["user.phone.set"]).toEqual({ 1: { "phone?": "string" } });
    expect(described["user.token.removed"]).toEqual({
      1: { token_id: "string" },
      2: { token_id: "string", "takes_tokens_for_others?": "true" },
    });
    expect(described["application.metadata.fetched"]?.["1"]).toMatchObject({
      assertion_consumer_services: [
        { binding: "string", index: "number", is_default: "boolean", location: "string" },
      ],
    });
  });
});

const upgraded = eventTypes.filter((type) => definitionOf(type).version > 1);

describe.each(upgraded)("the upgrades of %s", (type) => {
  test("lead from each version to the next, and at last to what is read today", () => {
    const upgrades = payloads.upgradesOf(type);
    const expected = [...upgrades.slice(1).map(({ from }) => from), payloads.readTypeOf(type)];
    const wrong = upgrades.flatMap(({ to }, index) => {
      const next = expected[index];
      return next !== undefined && project.checker.isTypeAssignableTo(to, next) ? [] : [index + 1];
    });
    expect(wrong).toEqual([]);
  });

  test("expect that personal fields may be absent", () => {
    const { personal = [] } = definitionOf(type);
    for (const { from } of payloads.upgradesOf(type)) {
      const fields = project.checker.getPropertiesOfType(from).map(({ name }) => name);
      expect(payloads.optionalFieldsOf(from)).toEqual(
        expect.arrayContaining(fields.filter((field) => personal.includes(field))),
      );
    }
  });
});
