import { describe, expect, test } from "@jest/globals";
import {
  aggregateTypeOf,
  definitionOf,
  eventDefinitions,
  upgradePayload,
} from "../../../src/kernel/events/catalogue.ts";
import type { EventType } from "../../../src/kernel/events/payloads.ts";
import { readFrozen } from "./payloads/frozen.ts";

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
      "signing_key",
      "session",
      "authorization",
      "login_policy",
      "group",
      "group_grant",
      "label_policy",
      "custom_texts",
      "external_clients",
      "target",
      "hook",
      "instance",
    ];
    expect([...new Set(types.map(aggregateTypeOf))].toSorted()).toEqual(aggregates.toSorted());
    expect(types.filter((type) => !/^[a-z]+(_[a-z]+)*(\.[a-z0-9_]+){1,3}$/.test(type))).toEqual([]);
  });

  test("writes each type in the last version that was ever described", () => {
    const described = Object.entries(readFrozen()).map(([type, versions]) => [type, Object.keys(versions)]);
    const versionsOf = (type: EventType) =>
      Array.from({ length: definitionOf(type).version }, (_each, index) => String(index + 1));
    expect(Object.fromEntries(described)).toEqual(
      Object.fromEntries(types.map((type) => [type, versionsOf(type)])),
    );
  });

  test.each(["organization.removed", "user.removed", "user.token.removed"])(
    "upgrades version 1 of %s, which took tokens for others along",
    (type) => {
      const payload = Object.freeze({ token_id: "1" });
      const upgraded = upgradePayload(definitionOf(type), 1, payload);
      expect(upgraded).toEqual({ token_id: "1", takes_tokens_for_others: true });
    },
  );

  test("upgrades a payload through all versions after its own, in their order", () => {
    const step = (name: string) => (payload: { readonly steps: string }) => ({
      steps: `${payload.steps} ${name}`,
    });
    const definition = { version: 3, upgrades: [step("to 2"), step("to 3")] };
    const upgraded = [1, 2, 3].map((from) => upgradePayload(definition, from, { steps: "" }));
    expect(upgraded).toEqual([{ steps: " to 2 to 3" }, { steps: " to 3" }, { steps: "" }]);
  });

  test.each([0, -1, 4, Number.NaN])("knows no version %s of a type that is at version 3", (from) => {
    const definition = { version: 3, upgrades: [(payload: object) => payload, (payload: object) => payload] };
    expect(() => upgradePayload(definition, from, {})).toThrow(`version ${from} of its payload is not known`);
  });

  test("has personal fields on events that name a user, because the key is the user's", () => {
    const nameless = personal.filter((type) => definitionOf(type).personOf === undefined);
    expect(nameless.filter((type) => aggregateTypeOf(type) !== "user")).toEqual([]);
  });

  test("takes these fields of users as personal", () => {
    expect(Object.fromEntries(personal.map((type) => [type, definitionOf(type).personal]))).toEqual({
      "session.added": ["user_agent", "remote_address"],
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
        "imported_id",
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
      "user.metadata.removed": ["key"],
      "user.metadata.set": ["entries"],
      "user.idp_link.added": ["external_user_id", "external_username"],
      "user.phone.set": ["phone"],
      "user.email.set": ["email"],
      "user.u2f.verified": ["name"],
      "user.passkey.verified": ["name"],
    });
  });

  test("makes the key of a user with the first event of the user's life", () => {
    expect(types.filter((type) => definitionOf(type).createsKey)).toEqual(["user.added"]);
  });

  test.each(["user.renamed", "", "constructor", "__proto__", "toString"])(
    "does not know the type %j",
    (type) => {
      expect(() => definitionOf(type)).toThrow(`the event type ${type} is not known`);
    },
  );
});
