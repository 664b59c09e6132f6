import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import {
  nameIdFormatUris,
  type SamlNameIdFormat,
} from "../../../../src/identity/applications/saml/saml-settings.ts";
import type { NameIdPolicy } from "../../../../src/sites/saml/messages/authn-request.ts";
import {
  chooseNameIdFormat,
  isNameOf,
  makeNameId,
} from "../../../../src/sites/saml/messages/choose-name-id.ts";
import { createFixedRandom } from "../../../support/fixed-random.ts";
import { ada } from "./support/people.ts";
import { audience, issuer, refusalOf } from "./support/written.ts";

const { PERSISTENT, TRANSIENT, EMAIL_ADDRESS, USERNAME: unspecified } = nameIdFormatUris;
const kerberos = "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos";
const encrypted = "urn:oasis:names:tc:SAML:2.0:nameid-format:encrypted";
const random = createFixedRandom();
const naming = { user: ada, audience, issuer, pairwiseSecret: new Uint8Array(32).fill(7), random };

interface Wish {
  readonly policy?: Partial<NameIdPolicy>;
  readonly setting?: SamlNameIdFormat;
  readonly formats?: readonly string[];
}

function choose({ policy, setting, formats = [] }: Wish): SamlNameIdFormat {
  return chooseNameIdFormat({
    policy: policy && { format: undefined, spNameQualifier: undefined, ...policy },
    settings: { nameIdFormat: setting },
    serviceProvider: { entityId: audience, nameIdFormats: formats },
  });
}

describe("the format of the name of a user", () => {
  test.each<readonly [Wish, SamlNameIdFormat]>([
    [{}, "PERSISTENT"],
    [{ policy: {} }, "PERSISTENT"],
    [{ policy: { spNameQualifier: audience } }, "PERSISTENT"],
    [{ policy: { format: PERSISTENT } }, "PERSISTENT"],
    [{ policy: { format: TRANSIENT }, formats: [PERSISTENT] }, "TRANSIENT"],
    [{ policy: { format: EMAIL_ADDRESS } }, "EMAIL_ADDRESS"],
    [{ policy: { format: unspecified } }, "PERSISTENT"],
    [{ policy: { format: unspecified }, formats: [kerberos, unspecified, EMAIL_ADDRESS] }, "EMAIL_ADDRESS"],
    [{ formats: [kerberos, TRANSIENT, PERSISTENT] }, "TRANSIENT"],
    [{ formats: [kerberos] }, "PERSISTENT"],
    [{ setting: "USERNAME", policy: { format: PERSISTENT }, formats: [TRANSIENT] }, "USERNAME"],
    [{ setting: "TRANSIENT", policy: { format: kerberos } }, "TRANSIENT"],
  ])("with %j is %s", (wish, format) => {
    expect(choose(wish)).toBe(format);
  });

  test.each<Wish>([
    { policy: { format: kerberos } },
    { policy: { format: encrypted } },
    { policy: { format: "" } },
    { policy: { format: PERSISTENT.toUpperCase() } },
    { policy: { spNameQualifier: "https://other.example.com" } },
    { policy: { format: PERSISTENT, spNameQualifier: "" } },
    { setting: "PERSISTENT", policy: { spNameQualifier: "https://other.example.com" } },
  ])("cannot be had with %j", (wish) => {
    expect(refusalOf(() => choose(wish))).toBe("InvalidNameIDPolicy");
  });
});

describe("SAML Core §8.3.7: a persistent name", () => {
  test("is the HMAC of the entity id and the user id", () => {
    // Python: base64.b32encode(hmac.digest(bytes([7] * 32), b"https://sp.example.com/metadata\0" + b"4711", "sha256")) in small letters, without =
    expect(makeNameId("PERSISTENT", naming)).toEqual({
      format: "PERSISTENT",
      value: "qdjseoy4hl3qadecf5f2ogugncu7ryaklq3uonl6zm63kw4trmaq",
      nameQualifier: issuer,
      spNameQualifier: audience,
    });
  });

  test("is always the same for a user at a service provider, and for nobody and nowhere else", () => {
    const entityIds = fc.constantFrom(
      "https://a.example",
      "https://a.example/4",
      "https://b.example",
      "urn:c",
    );
    const userIds = fc.constantFrom("4711", "711", "4712");
    const secrets = fc.constantFrom(1, 2);
    const inputs = fc.tuple(entityIds, userIds, secrets);
    const valueOf = ([entityId, userId, secret]: readonly [string, string, number]) => {
      const user = { ...ada, id: toId<UserId>(userId) };
      const pairwiseSecret = new Uint8Array(32).fill(secret);
      return makeNameId("PERSISTENT", { ...naming, user, audience: entityId, pairwiseSecret }).value;
    };
    fc.assert(
      fc.property(inputs, inputs, (left, right) => {
        const isSame = left.every((each, at) => each === right[at]);
        const [one, other] = [valueOf(left), valueOf(right)];
        return /^[a-z2-7]{52}$/.test(one) && (one === other) === isSame;
      }),
    );
  });
});

describe("the name of a user", () => {
  test("is new each time when it is transient", () => {
    const names = Array.from({ length: 100 }, () => makeNameId("TRANSIENT", naming));
    expect(new Set(names.map(({ value }) => value)).size).toBe(100);
    for (const { value, ...rest } of names) {
      expect(value).toMatch(/^_[\da-f]{32}$/);
      expect(rest).toEqual({ format: "TRANSIENT", nameQualifier: issuer, spNameQualifier: audience });
    }
  });

  test("is a verified email, or the username, without qualifiers", () => {
    expect(makeNameId("EMAIL_ADDRESS", naming)).toEqual({
      format: "EMAIL_ADDRESS",
      value: "ada@example.com",
    });
    expect(makeNameId("USERNAME", naming)).toEqual({ format: "USERNAME", value: "ada" });
  });

  test.each([
    { format: "EMAIL_ADDRESS", user: { ...ada, isEmailVerified: false } },
    { format: "EMAIL_ADDRESS", user: { ...ada, email: "" } },
    { format: "USERNAME", user: { ...ada, username: "ad\uffff" } },
    { format: "USERNAME", user: { ...ada, username: "ad\u0001" } },
  ] as const)("cannot be had in the format $format of $user", ({ format, user }) => {
    expect(refusalOf(() => makeNameId(format, { ...naming, user }))).toBe("InvalidNameIDPolicy");
  });
});

describe("SAML Core §3.3.4: the name of whom a request wants to log in", () => {
  const persistent = makeNameId("PERSISTENT", naming).value;
  const elsewhere = makeNameId("PERSISTENT", { ...naming, audience: "https://other.example.com" }).value;
  const stated = { value: persistent, format: PERSISTENT, nameQualifier: issuer, spNameQualifier: audience };
  const bare = { format: undefined, nameQualifier: undefined, spNameQualifier: undefined };

  test.each([
    stated,
    { ...bare, value: persistent },
    { ...bare, value: persistent, format: unspecified },
    { ...bare, value: "ada@example.com", format: EMAIL_ADDRESS },
    { ...bare, value: "ada@example.com" },
    { ...bare, value: "ada", format: unspecified },
  ])("is the user's: %j", (nameId) => {
    expect(isNameOf(nameId, naming)).toBe(true);
  });

  test.each([
    { ...stated, value: elsewhere },
    { ...stated, value: `${persistent} ` },
    { ...stated, format: EMAIL_ADDRESS },
    { ...stated, format: TRANSIENT },
    { ...stated, format: kerberos },
    { ...stated, nameQualifier: "https://other.example.com" },
    { ...stated, spNameQualifier: "https://other.example.com" },
    { ...bare, value: "ada", format: PERSISTENT },
    { ...bare, value: "ADA" },
    { ...bare, value: "" },
  ])("is not the user's: %j", (nameId) => {
    expect(isNameOf(nameId, naming)).toBe(false);
  });

  test("is no email that nobody has verified", () => {
    const user = { ...ada, isEmailVerified: false };
    expect(isNameOf({ ...bare, value: "ada@example.com" }, { ...naming, user })).toBe(false);
  });
});
