import { describe, expect, test } from "@jest/globals";
import {
  isOriginAllowed,
  localRelyingParty,
  loginPartyOf,
  type RelyingParties,
  selectRelyingParty,
} from "../../../../src/identity/factors/authenticators/relying-party.ts";
import { reasonOf } from "../../../support/problems.ts";

const example = { id: "example.com", origins: ["https://example.com", "https://example.com:8443"] };
const parties: RelyingParties = {
  list: [example, localRelyingParty],
  allowSubdomains: false,
  name: "Gatehouse",
};
const open: RelyingParties = { ...parties, allowSubdomains: true };

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

const https = (id: string) => ({ id, origins: [`https://${id}`] });
const partyOf = (issuer: string, ...list: readonly (typeof localRelyingParty)[]) =>
  loginPartyOf({ list }, issuer);

describe("the relying party of the login pages", () => {
  test.each([
    ["the host of the issuer without configured ids", "https://id.example.com", [], "id.example.com"],
    ["the host of the issuer in local mode", "http://localhost:8080", [localRelyingParty], "localhost"],
    [
      "that host also elsewhere than localhost",
      "https://id.example.com",
      [localRelyingParty],
      "id.example.com",
    ],
    ["a configured parent", "https://id.example.com", [https("example.com")], "example.com"],
    [
      "the longest of them",
      "https://id.a.example.com",
      [https("example.com"), https("a.example.com")],
      "a.example.com",
    ],
    [
      "the host itself before its parents",
      "https://example.com",
      [https("com"), https("example.com")],
      "example.com",
    ],
    ["none, when only others are configured", "https://id.example.com", [https("other.com")], undefined],
    ["none, for a host that only ends alike", "https://notexample.com", [https("example.com")], undefined],
    ["none, for a subdomain of the host", "https://example.com", [https("id.example.com")], undefined],
    ["none, for an IPv4 address", "http://127.0.0.1:8080", [localRelyingParty], undefined],
    ["none, for an IPv6 address", "http://[::1]:8080", [localRelyingParty], undefined],
  ])("is %s", (_name, issuer, list, id) => {
    expect(partyOf(issuer, ...list)?.id).toBe(id);
  });

  test("takes answers from the origin of the issuer only", () => {
    const listed = { id: "example.com", origins: ["https://example.com", "https://shop.example.com"] };
    expect(partyOf("https://id.example.com", listed)).toEqual({
      id: "example.com",
      origins: ["https://id.example.com"],
    });
  });
});
