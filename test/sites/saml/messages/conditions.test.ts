import { describe, expect, test } from "@jest/globals";
import type { AuthnRequest, RequestedConditions } from "../../../../src/sites/saml/messages/authn-request.ts";
import {
  requireSupported,
  windowOf,
  writeConditions,
} from "../../../../src/sites/saml/messages/conditions.ts";
import { audience, nowMs, refusalOf } from "./support/written.ts";

const none: RequestedConditions = {
  notBeforeMs: undefined,
  notOnOrAfterMs: undefined,
  audiences: [],
  isOneTimeUse: false,
  hasOthers: false,
};
const minuteMs = 60_000;

function refusal(request: Partial<Pick<AuthnRequest, "subject" | "conditions">>): string {
  return refusalOf(() => {
    requireSupported({ subject: undefined, conditions: undefined, ...request }, { audience, nowMs });
  });
}

describe("a request that we can do", () => {
  test.each<Partial<RequestedConditions>>([
    {},
    { notBeforeMs: nowMs, notOnOrAfterMs: nowMs + 1 },
    { audiences: [["https://other.example.com", audience], [audience]] },
    { isOneTimeUse: true },
  ])("has conditions that only narrow ours: %j", (conditions) => {
    expect(refusal({ conditions: { ...none, ...conditions } })).toBe("");
  });

  test.each<Partial<RequestedConditions>>([
    { notBeforeMs: nowMs + 1 },
    { notOnOrAfterMs: nowMs },
    { audiences: [["https://other.example.com"]] },
    { audiences: [[audience], []] },
    { audiences: [[`${audience}/`]] },
    { hasOthers: true },
  ])("does not have conditions that we do not keep: %j", (conditions) => {
    expect(refusal({ conditions: { ...none, ...conditions } })).toBe("RequestUnsupported");
  });

  test("names a user by a NameID, if at all", () => {
    const nameId = { value: "ada", format: undefined, nameQualifier: undefined, spNameQualifier: undefined };
    expect(refusal({ subject: { kind: "name-id", nameId } })).toBe("");
    expect(refusal({ subject: { kind: "other" } })).toBe("RequestUnsupported");
  });
});

describe("SAML Core §2.5.1: the time in which an assertion may be used", () => {
  test.each<readonly [Partial<RequestedConditions>, number, number]>([
    [{}, -minuteMs, 5 * minuteMs],
    [{ notBeforeMs: nowMs - 2 * minuteMs, notOnOrAfterMs: nowMs + 6 * minuteMs }, -minuteMs, 5 * minuteMs],
    [{ notBeforeMs: nowMs - 10, notOnOrAfterMs: nowMs + 20 }, -10, 20],
  ])("with %j is from %d to %d", (conditions, before, after) => {
    expect(windowOf(nowMs, { ...none, ...conditions })).toEqual({
      notBeforeMs: nowMs + before,
      notOnOrAfterMs: nowMs + after,
    });
  });
});

test("the conditions name the service provider, and may be for one use", () => {
  const restriction = `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>`;
  const start =
    '<saml:Conditions NotBefore="2026-11-23T09:29:00.000Z" NotOnOrAfter="2026-11-23T09:35:00.000Z">';
  expect(writeConditions({ nowMs, audience, requested: undefined }).xml).toBe(
    `${start}${restriction}</saml:Conditions>`,
  );
  expect(writeConditions({ nowMs, audience, requested: { ...none, isOneTimeUse: true } }).xml).toBe(
    `${start}${restriction}<saml:OneTimeUse></saml:OneTimeUse></saml:Conditions>`,
  );
});
