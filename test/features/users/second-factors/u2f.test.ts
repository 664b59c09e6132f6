import { describe, expect, test } from "@jest/globals";
import {
  isOriginAllowed,
  localRelyingParty,
  type RelyingParties,
  requireOpen,
  type SecondFactor,
  selectRelyingParty,
} from "../../../../src/features/users/second-factors/u2f.ts";
import { toId } from "../../../../src/base/ids.ts";
import { reasonOf } from "../fixture.ts";

const example = { id: "example.com", origins: ["https://example.com", "https://example.com:8443"] };
const parties: RelyingParties = {
  list: [example, localRelyingParty],
  allowSubdomains: false,
  name: "Gatehouse",
};
const open: RelyingParties = { ...parties, allowSubdomains: true };
const factor: SecondFactor = {
  id: toId("5"),
  details: { sequence: 1, creationDate: 1, resourceOwner: "2" },
  userId: toId("1"),
  state: "NOT_READY",
  domain: "example.com",
  name: "",
};

describe("the relying party", () => {
  test("is the first one for an empty domain", () => {
    expect(selectRelyingParty(parties, "")).toBe(example);
  });

  test("is the one that is named", () => {
    expect(selectRelyingParty(parties, "localhost")).toBe(localRelyingParty);
  });

  test.each(["evil-example.com", "login.example.com", "example.com.", "EXAMPLE.COM"])(
    "is never %s",
    (domain) => {
      expect(reasonOf(() => selectRelyingParty(open, domain))).toBe("FIELD_INVALID");
    },
  );

  test("is missing when none is configured", () => {
    expect(reasonOf(() => selectRelyingParty({ ...parties, list: [] }, ""))).toBe("U2F_NOT_CONFIGURED");
  });
});

describe("an origin", () => {
  test.each(["http://localhost", "http://localhost:1", "http://localhost:65535"])(
    "%s is allowed for localhost",
    (origin) => {
      expect(isOriginAllowed(parties, localRelyingParty, origin)).toBe(true);
    },
  );

  test.each([
    "https://localhost",
    "http://localhost.",
    "http://localhost.evil.example",
    "http://sub.localhost",
    "http://localhost:80@evil.example",
    "http://127.0.0.1",
    "http://localhost/",
    "HTTP://localhost",
    "null",
    "",
  ])("%s is not allowed for localhost, with sub-domains or without", (origin) => {
    expect(isOriginAllowed(parties, localRelyingParty, origin)).toBe(false);
    expect(isOriginAllowed(open, localRelyingParty, origin)).toBe(false);
  });

  test.each(["https://example.com", "https://example.com:8443"])("%s is allowed when listed", (origin) => {
    expect(isOriginAllowed(parties, example, origin)).toBe(true);
  });

  test.each(["https://login.example.com", "https://a.b.example.com:8443"])(
    "%s is allowed only by option",
    (origin) => {
      expect(isOriginAllowed(parties, example, origin)).toBe(false);
      expect(isOriginAllowed(open, example, origin)).toBe(true);
    },
  );

  test.each([
    "https://evil-example.com",
    "https://example.com.evil.example",
    "http://login.example.com",
    "https://login.example.com:9999",
    "https://login.example.com/path",
    "https://user@login.example.com",
    "https://.example.com",
    "https://example.com.",
  ])("%s is not allowed, even with sub-domains", (origin) => {
    expect(isOriginAllowed(open, example, origin)).toBe(false);
  });
});

describe("a registration", () => {
  const challenge = { value: "AAAA", expirationMs: 1000 };

  test.each([
    ["before it expires", factor, challenge, 999, "no problem"],
    ["when it expires", factor, challenge, 1000, "U2F_EXPIRED"],
    ["without a challenge", factor, undefined, 0, "U2F_EXPIRED"],
    ["after it was completed", { ...factor, state: "READY" as const }, undefined, 0, "U2F_ALREADY_VERIFIED"],
  ])("%s", (_name, given, pending, nowMs, reason) => {
    expect(reasonOf(() => requireOpen(given, pending, nowMs))).toBe(reason);
  });
});
