import { describe, expect, test } from "@jest/globals";
import {
  type Attempt,
  type BootFacts,
  decideBegin,
  decideBoot,
  isExpectedIdToken,
  renewalMsOf,
  subjectOf,
} from "../../src/console/session/sign-in.ts";

const issuer = "https://id.example.com";
const attempt: Attempt = {
  state: "s1",
  nonce: "n1",
  verifier: "v1",
  place: "/orgs?name=Lamp",
  isSilent: true,
};

function boot(facts: Partial<BootFacts>): ReturnType<typeof decideBoot> {
  return decideBoot({
    path: "/callback",
    query: "",
    attempt,
    isSignedOut: false,
    begins: [],
    nowMs: 1_000_000,
    issuer,
    ...facts,
  });
}

const answer = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams({ state: "s1", iss: issuer, ...parameters }).toString();

describe("a page that is loaded", () => {
  test("begins a login without a page, and remembers the place", () => {
    const begun = { kind: "begin", isSilent: true, place: "/orgs?name=Lamp" };
    expect(boot({ path: "/orgs", query: "name=Lamp", attempt: undefined })).toEqual(begun);
    expect(boot({ path: "/", attempt: undefined })).toEqual({ kind: "begin", isSilent: true, place: "/" });
  });

  test("begins none after the user has signed out", () => {
    expect(boot({ path: "/orgs", isSignedOut: true })).toEqual({ kind: "signed-out" });
  });

  test("begins none when several have just begun and no call was accepted", () => {
    const begins = [1, 2, 3, 4, 5].map((second) => 1_000_000 - second * 1000);
    expect(boot({ path: "/", begins })).toEqual({ kind: "failed", failure: "loop" });
    expect(boot({ path: "/", begins: begins.slice(1) }).kind).toBe("begin");
    expect(decideBegin({ begins, nowMs: 1_030_000 }, { isSilent: true, place: "/" }).kind).toBe("begin");
  });
});

describe("an answer", () => {
  test("with a code is redeemed", () => {
    expect(boot({ query: answer({ code: "c1" }) })).toEqual({ kind: "redeem", code: "c1", attempt });
  });

  test.each([
    ["nobody asked for it", { attempt: undefined, query: answer({ code: "c1" }) }],
    ["it has another state", { query: answer({ code: "c1", state: "s2" }) }],
    ["it has no state", { query: `code=c1&iss=${issuer}` }],
    ["it is from another issuer", { query: answer({ code: "c1", iss: "https://evil.example" }) }],
    ["it names no issuer", { query: "code=c1&state=s1" }],
    ["it has no code", { query: answer({}) }],
    ["it is an error of somebody else", { query: answer({ error: "login_required", state: "s2" }) }],
  ])("is refused if %s", (_case, facts) => {
    expect(boot(facts)).toEqual({ kind: "failed", failure: "unexpected-answer" });
  });

  test.each(["login_required", "interaction_required", "consent_required", "account_selection_required"])(
    "%s to a login without a page begins one with a page",
    (error) => {
      const begun = { kind: "begin", isSilent: false, place: attempt.place };
      expect(boot({ query: answer({ error }) })).toEqual(begun);
    },
  );

  test("that is an error otherwise ends there", () => {
    const failed = (code: string) => ({ kind: "failed", failure: "refused", code });
    expect(boot({ query: answer({ error: "access_denied" }) })).toEqual(failed("access_denied"));
    const withPage = { ...attempt, isSilent: false };
    expect(boot({ query: answer({ error: "login_required" }), attempt: withPage })).toEqual(
      failed("login_required"),
    );
  });
});

describe("an ID token", () => {
  const expected = { issuer, clientId: "gatehouse-console", nonce: "n1", nowMs: 1_000_000 };
  const claims = {
    iss: issuer,
    aud: ["gatehouse-console", "gatehouse"],
    nonce: "n1",
    sub: "7",
    exp: 1001,
    name: "Zoë",
  };
  const sign = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.c2ln`;

  test("is expected with the claims of this login", () => {
    expect(isExpectedIdToken(sign(claims), expected)).toBe(true);
    expect(isExpectedIdToken(sign({ ...claims, aud: "gatehouse-console" }), expected)).toBe(true);
  });

  test.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["another audience", { aud: ["shop"] }],
    ["another nonce", { nonce: "n2" }],
    ["no nonce", { nonce: undefined }],
    ["an end long ago", { exp: 900 }],
    ["nobody", { sub: undefined }],
    ["a person without an id", { sub: "" }],
    ["no end", { exp: undefined }],
  ])("is not expected with %s", (_case, change) => {
    expect(isExpectedIdToken(sign({ ...claims, ...change }), expected)).toBe(false);
  });

  test("says who has signed in", () => {
    expect(subjectOf(sign(claims))).toBe("7");
    expect(subjectOf("")).toBe("");
  });

  test.each(["", "abc", "a.%%%.c", "a.bnVsbA.c"])("is not %j", (token) => {
    expect(isExpectedIdToken(token, expected)).toBe(false);
  });
});

test.each([
  [60, 15_000],
  [120, 30_000],
  [300, 75_000],
  [43_200, 120_000],
])("a token of %d seconds is renewed in its last %d milliseconds", (lifetimeSeconds, renewalMs) => {
  expect(renewalMsOf(lifetimeSeconds)).toBe(renewalMs);
});
