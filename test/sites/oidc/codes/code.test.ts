import { describe, expect, test } from "@jest/globals";
import { createKeyring, parseMasterKeys } from "../../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  findFaultInRedemption,
  hashCode,
  isRefreshToken,
  newAuthorizationCode,
  newRefreshToken,
  openNonce,
  refreshLifetimeMs,
  sealNonce,
  toSuccessor,
} from "../../../../src/sites/oidc/codes/code.ts";
import { german as de } from "../../../../src/identity/texts/languages/de.ts";
import { english as en } from "../../../../src/identity/texts/languages/en.ts";

// RFC 7636 appendix B
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const codeChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const redirectUri = "https://a.example/cb";

describe("a code (RFC 6749 §4.1.3, RFC 7636 §4.6)", () => {
  const faultOf = (terms: { codeChallenge?: string }, sent: { redirectUri?: string; verifier?: string }) =>
    findFaultInRedemption(
      { redirectUri, codeChallenge: terms.codeChallenge },
      { redirectUri: sent.redirectUri, verifier: sent.verifier },
    );

  test("is redeemed with its redirect URI and its verifier", () => {
    expect(faultOf({}, { redirectUri })).toBeUndefined();
    expect(faultOf({ codeChallenge }, { redirectUri, verifier })).toBeUndefined();
  });

  test.each([
    ["no redirect URI", {}, {}],
    ["another redirect URI", {}, { redirectUri: `${redirectUri}/` }],
    ["no verifier", { codeChallenge }, { redirectUri }],
    ["another verifier", { codeChallenge }, { redirectUri, verifier: verifier.replace("d", "e") }],
    ["the challenge for the verifier", { codeChallenge }, { redirectUri, verifier: codeChallenge }],
    ["a verifier without a challenge (RFC 9700 §4.8.2)", {}, { redirectUri, verifier }],
  ])("is refused with %s", (_name, terms, sent) => {
    expect(faultOf(terms, sent)).toBeDefined();
  });

  test("is refused with a verifier of another length, whatever it hashes to", () => {
    const short = "x".repeat(42);
    const made = hashCode(short); // SHA-256 in base64url, as a challenge is
    expect(faultOf({ codeChallenge: made }, { redirectUri, verifier: short })).toBeDefined();
  });

  test("holds 256 random bits", () => {
    expect(newAuthorizationCode(systemRandom).reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe("a refresh token", () => {
  const keys = parseMasterKeys(
    `new ${Buffer.alloc(32, 1).toString("base64")}\nold ${Buffer.alloc(32, 2).toString("base64")}\n`,
  );
  const keyring = createKeyring(keys, systemRandom);

  test("is followed by one that only the key and the token make", () => {
    const first = newRefreshToken(systemRandom).reveal();
    const { token, keyId } = toSuccessor(keyring, first);
    expect(keyId).toBe("new");
    expect(isRefreshToken(token.reveal())).toBe(true);
    expect(token.reveal()).toBe(toSuccessor(keyring, first, "new").token.reveal());
    expect(token.reveal()).not.toBe(toSuccessor(keyring, first, "old").token.reveal());
    expect(token.reveal()).not.toBe(
      toSuccessor(keyring, newRefreshToken(systemRandom).reveal()).token.reveal(),
    );
  });
});

describe("a nonce", () => {
  test("is read with its code alone", () => {
    const code = newAuthorizationCode(systemRandom);
    const sealed = sealNonce(code, "n-0S6_WzA2Mj", systemRandom);
    expect(sealed).not.toContain("n-0S6_WzA2Mj");
    expect(openNonce(code.reveal(), sealed)).toBe("n-0S6_WzA2Mj");
    expect(() => openNonce(newAuthorizationCode(systemRandom).reveal(), sealed)).toThrow();
  });
});

test("the page that asks people says how long refresh tokens last", () => {
  const days = refreshLifetimeMs / 86_400_000;
  expect([en.login.confirm.offline, de.login.confirm.offline]).toEqual([
    expect.stringContaining(` ${days} days`),
    expect.stringContaining(` ${days} Tage`),
  ]);
});
