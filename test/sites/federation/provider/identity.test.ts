import { expect, test } from "@jest/globals";
import { type IdentityProviderId, toId } from "../../../../src/kernel/base/ids.ts";
import { toIdentity, toSaid, toTimeMs } from "../../../../src/sites/federation/provider/identity.ts";

const of = { providerId: toId<IdentityProviderId>("1"), issuer: "https://idp.example", subject: "s" };
const claimsOf = (idToken: object, userinfo?: object) =>
  toIdentity(of, { ...idToken }, userinfo && { ...userinfo }).claims;

test("an identity is of its provider, issuer and subject, and has what the ID token says first", () => {
  const idToken = { sub: "s", name: " Ada Lovelace ", locale: "en", preferred_username: "ada" };
  const userinfo = { sub: "s", name: "Other", given_name: "Ada", family_name: "Lovelace" };
  const said = { claims: { ...userinfo, ...idToken }, isCut: false };
  expect(toIdentity(of, { ...idToken, nonce: "n", sid: "1" }, userinfo)).toEqual({
    ...of,
    said,
    claims: {
      preferredUsername: "ada",
      email: undefined,
      emailVerified: false,
      name: "Ada Lovelace",
      givenName: "Ada",
      familyName: "Lovelace",
      locale: "en",
    },
  });
});

test.each([
  [true, { email: "a@x.example", email_verified: true }, {}],
  [true, {}, { email: "a@x.example", email_verified: true }],
  [false, { email: "a@x.example" }, { email: "a@x.example", email_verified: true }],
  [false, { email: "a@x.example" }, { email: "b@x.example", email_verified: true }],
  [false, { email_verified: true }, { email: "b@x.example" }],
  [false, { email: "a@x.example", email_verified: "true" }, {}],
  [false, { email: "a@x.example", email_verified: 1 }, {}],
])(
  "an address is verified (%j) only if the same says so that names it: %j %j",
  (isVerified, idToken, userinfo) => {
    expect(claimsOf(idToken, userinfo).emailVerified).toBe(isVerified);
  },
);

test("claims for which there is no room are left out for hooks, which learn that", () => {
  const long = "x".repeat(16_300);
  expect(toSaid({ a: "1", long, b: "x".repeat(100), c: "2" })).toEqual({
    claims: { a: "1", long, c: "2" },
    isCut: true,
  });
});

test("a name loses what is not seen; an address does not, because without it another one would be left", () => {
  const hiding = "\u202eA\u200bda\u2069 ";
  const claims = claimsOf(
    { name: hiding, preferred_username: hiding, email: "a\u200bda@x.example", email_verified: true },
    { given_name: hiding, family_name: "\u200b" },
  );
  expect(claims).toEqual({
    preferredUsername: "Ada",
    email: "a\u200bda@x.example",
    emailVerified: true,
    name: "Ada",
    givenName: "Ada",
    familyName: undefined,
    locale: undefined,
  });
});

test.each(["", "  ", 5, null, [["Ada"]], "x".repeat(501), "\ud800", "a\u0000"])(
  "a name that is no text is none: %j",
  (name) => {
    expect(claimsOf({ name }).name).toBeUndefined();
  },
);

test.each<readonly [unknown, number | undefined]>([
  [630, 630_000],
  ["630", 630_000],
  ["630.5", 630_500],
  ...[undefined, null, [9e9], {}, -1, 1e300, "yesterday", "-1", "1e9", ""].map(
    (none) => [none, undefined] as const,
  ),
])("a time that a provider says, %j, is %j ms", (value, timeMs) => {
  expect(toTimeMs(value)).toBe(timeMs);
});
