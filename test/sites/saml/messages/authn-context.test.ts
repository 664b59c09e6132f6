import { describe, expect, test } from "@jest/globals";
import {
  chooseContext,
  type ContextLevel,
  type ReachedContext,
  tellContext,
} from "../../../../src/sites/saml/messages/authn-context.ts";
import type {
  ContextComparison,
  RequestedContext,
} from "../../../../src/sites/saml/messages/authn-request.ts";
import { refusalOf } from "./support/written.ts";

const classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:";
const unspecified = `${classes}unspecified`;
const password = `${classes}Password`;
const protectedPassword = `${classes}PasswordProtectedTransport`;
const refeds = "https://refeds.org/profile/mfa";
const microsoft = "http://schemas.microsoft.com/claims/multipleauthn";
const own = "urn:gatehouse:acr:mfa";
const kerberos = `${classes}Kerberos`;

const one: ReachedContext = { level: 1, authority: undefined };
const two: ReachedContext = { level: 2, authority: undefined };
const outside: ReachedContext = { level: 1, authority: "https://idp.example.com" };

function asks(comparison: ContextComparison, ...uris: readonly string[]): RequestedContext {
  return { comparison, classes: uris };
}

function told(requested: RequestedContext | undefined, reached: ReachedContext): string {
  return tellContext(chooseContext(requested), reached).classUri;
}

describe("SAML Core §3.3.2.2.1: the level that a login needs", () => {
  test.each<readonly [RequestedContext | undefined, ContextLevel]>([
    [undefined, 0],
    [asks("exact", unspecified), 0],
    [asks("exact", password), 1],
    [asks("exact", protectedPassword), 1],
    [asks("exact", refeds), 2],
    [asks("exact", microsoft), 2],
    [asks("exact", own), 2],
    [asks("exact", kerberos, refeds, password), 2],
    [asks("exact", kerberos, password, refeds), 1],
    [asks("minimum", refeds, password), 1],
    [asks("minimum", refeds, kerberos), 2],
    [asks("better", unspecified), 1],
    [asks("better", unspecified, password), 2],
    [asks("maximum", refeds), 0],
    [asks("maximum", unspecified), 0],
  ])("of %j is %d", (requested, level) => {
    expect(chooseContext(requested).level).toBe(level);
  });

  test.each([
    asks("exact"),
    asks("minimum"),
    asks("exact", kerberos),
    asks("maximum", kerberos),
    asks("exact", protectedPassword.toUpperCase()),
    asks("better", refeds),
    asks("better", password, own),
  ])("of %j is more than there is", (requested) => {
    expect(refusalOf(() => chooseContext(requested))).toBe("NoAuthnContext");
  });
});

describe("SAML Core §2.7.2.2: the class that an assertion names", () => {
  test.each<readonly [RequestedContext | undefined, ReachedContext, string]>([
    [undefined, one, protectedPassword],
    [undefined, two, protectedPassword],
    [asks("exact", unspecified), two, unspecified],
    [asks("exact", password), one, password],
    [asks("exact", password), two, password],
    [asks("exact", kerberos, microsoft), two, microsoft],
    [asks("minimum", unspecified), one, protectedPassword],
    [asks("minimum", password), two, refeds],
    [asks("minimum", microsoft), two, refeds],
    [asks("better", unspecified), one, protectedPassword],
    [asks("better", password), two, refeds],
    [asks("maximum", refeds), one, protectedPassword],
    [asks("maximum", own), two, refeds],
    [asks("maximum", password), two, protectedPassword],
    [asks("maximum", unspecified), two, unspecified],
  ])("after %j and %j is %s", (requested, reached, classUri) => {
    expect(told(requested, reached)).toBe(classUri);
  });

  test.each([asks("exact", refeds), asks("minimum", own), asks("better", password)])(
    "is none when %j was asked for and there was one factor",
    (requested) => {
      expect(refusalOf(() => told(requested, one))).toBe("NoAuthnContext");
      expect(refusalOf(() => told(requested, outside))).toBe("NoAuthnContext");
    },
  );
});

describe("a login at another identity provider", () => {
  test.each<readonly [RequestedContext | undefined, ReachedContext, string]>([
    [undefined, outside, unspecified],
    [undefined, { ...outside, level: 2 }, unspecified],
    [asks("exact", protectedPassword), outside, protectedPassword],
    [asks("exact", unspecified), outside, unspecified],
    [asks("exact", refeds), { ...outside, level: 2 }, refeds],
    [asks("minimum", password), { ...outside, level: 2 }, refeds],
  ])("after %j and %j is %s, and names its issuer", (requested, reached, classUri) => {
    expect(tellContext(chooseContext(requested), reached)).toEqual({
      classUri,
      authority: "https://idp.example.com",
    });
  });
});
