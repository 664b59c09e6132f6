import { describe, expect, test } from "@jest/globals";
import {
  aggregateTypeOf,
  definitionOf,
  type EventType,
  eventDefinitions,
} from "../../src/events/catalogue.ts";

const types = Object.keys(eventDefinitions) as EventType[];
const personal = types.flatMap((type) => (definitionOf(type).personal === undefined ? [] : [type]));

describe("the catalogue of events", () => {
  test("names every type after its aggregate and a fact", () => {
    const aggregates = [
      "organization",
      "membership",
      "identity_provider",
      "user",
      "project",
      "project_grant",
      "user_grant",
      "application",
    ];
    expect([...new Set(types.map(aggregateTypeOf))].toSorted()).toEqual(aggregates.toSorted());
    expect(types.filter((type) => !/^[a-z]+(_[a-z]+)*(\.[a-z0-9_]+){1,3}$/.test(type))).toEqual([]);
  });

  test("starts versions at 1", () => {
    expect(types.filter((type) => !(definitionOf(type).version >= 1))).toEqual([]);
  });

  test("says of every older version what it means today, and changes no payload for that", () => {
    const newer = types.filter((type) => definitionOf(type).version > 1);
    expect(newer).toEqual(["organization.removed", "user.removed", "user.token.removed"]);
    for (const type of newer) {
      const payload = Object.freeze({ token_id: "1" });
      expect(definitionOf(type).upcast?.(payload)).toEqual({ token_id: "1", takes_tokens_for_others: true });
    }
  });

  test("has personal fields on events of users only, because the key is the user's", () => {
    expect(personal.filter((type) => aggregateTypeOf(type) !== "user")).toEqual([]);
  });

  test("takes these fields of users as personal", () => {
    expect(Object.fromEntries(personal.map((type) => [type, definitionOf(type).personal]))).toEqual({
      "user.added": [
        "username",
        "given_name",
        "family_name",
        "display_name",
        "preferred_language",
        "email",
        "name",
        "description",
        "phone",
      ],
      "user.changed": [
        "username",
        "given_name",
        "family_name",
        "display_name",
        "preferred_language",
        "email",
        "name",
        "description",
      ],
      "user.phone.set": ["phone"],
      "user.u2f.verified": ["name"],
    });
  });

  test("makes the key of a user with the first event of his life", () => {
    expect(types.filter((type) => definitionOf(type).createsKey)).toEqual(["user.added"]);
  });

  test.each(["user.renamed", "", "constructor", "__proto__", "toString"])(
    "does not know the type %j",
    (type) => {
      expect(() => definitionOf(type)).toThrow(`the event type ${type} is not known`);
    },
  );
});
