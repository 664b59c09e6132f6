import { describe, expect, test } from "@jest/globals";
import { type MessageDelivery, requireDelivered } from "../../../../src/sites/saml/messages/message-head.ts";
import { audience, faultOf, nowMs } from "./support/written.ts";

const url = "https://id.example.com/saml/v2/SSO";
const minuteMs = 60_000;

interface Sent {
  readonly destination?: string | undefined;
  readonly issueInstantMs?: number;
  readonly notOnOrAfterMs?: number;
}

function fault(sent: Sent, delivery: Partial<MessageDelivery> = {}): string {
  const message = { id: "_1", issuer: audience, issueInstantMs: nowMs, destination: url, ...sent };
  return faultOf(() => {
    requireDelivered(message, { url, isSigned: true, nowMs, ...delivery });
  });
}

describe("SAML Bindings §3.4.5.2, §3.5.5.2: the Destination", () => {
  test("is our URL of this path", () => {
    expect(fault({})).toBe("");
  });

  test.each([
    "https://id.example.com/saml/v2/SLO",
    "https://id.example.com/saml/v2/SSO/",
    "https://ID.example.com/saml/v2/SSO",
    "https://id.example.com:443/saml/v2/SSO",
    "https://id.example.com/saml/v2/SSO?a=b",
    "https://other.example.com/saml/v2/SSO",
    "",
  ])("is nothing else, signed or not: %j", (destination) => {
    expect([fault({ destination }), fault({ destination }, { isSigned: false })]).toEqual([
      "destination",
      "destination",
    ]);
  });

  test("may be absent only when nobody has signed the message", () => {
    expect(fault({ destination: undefined }, { isSigned: false })).toBe("");
    expect(fault({ destination: undefined }, { isSigned: true })).toBe("destination");
  });
});

describe("the time of a message", () => {
  test.each([
    [-10 * minuteMs, ""],
    [10 * minuteMs, ""],
    [-10 * minuteMs - 1, "issue-instant"],
    [10 * minuteMs + 1, "issue-instant"],
  ])("may differ from our clock by ten minutes: %d", (differenceMs, reason) => {
    expect(fault({ issueInstantMs: nowMs + differenceMs })).toBe(reason);
  });

  test.each([
    [1, ""],
    [0, "expired"],
    [-minuteMs, "expired"],
  ])("ends at its NotOnOrAfter: %d", (leftMs, reason) => {
    expect(fault({ notOnOrAfterMs: nowMs + leftMs })).toBe(reason);
  });
});
