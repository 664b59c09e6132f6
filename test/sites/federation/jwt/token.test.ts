import { describe, expect, test } from "@jest/globals";
import { checkToken } from "../../../../src/sites/federation/jwt/token.ts";

const nowSeconds = 1_800_000_000;
const issuer = "https://gateway.example/";
const good = { iss: issuer, sub: "ada", iat: nowSeconds - 10, exp: nowSeconds + 600 };

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const tokenOf = (claims: object, header: object = {}) =>
  `${part({ alg: "ES256", ...header })}.${part({ ...good, ...claims })}.c2ln`;

/** Says what is wrong with the good token but for these claims and headers. */
function faultOf(claims: object, header: object = {}, audiences: readonly string[] = []): string {
  const judged = checkToken(tokenOf(claims, header), { issuer, audiences }, nowSeconds * 1000);
  return "fault" in judged ? judged.fault : "none";
}

describe("the JWT of a gateway", () => {
  test("is read with its subject", () => {
    const judged = checkToken(tokenOf({}, { kid: "1" }), { issuer, audiences: [] }, nowSeconds * 1000);
    expect(judged).toMatchObject({ subject: "ada", claims: good });
  });

  test.each(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "Ed25519"])(
    "may be signed by %s",
    (alg) => expect(faultOf({}, { alg })).toBe("none"),
  );

  test.each(["none", "None", "HS256", "HS384", "HS512", "es256", "", 1, null, undefined, "__proto__"])(
    "is never signed by %p",
    (alg) => expect(faultOf({}, { alg })).toBe("unreadable"),
  );

  test("has no extensions", () => {
    expect(faultOf({}, { crit: ["exp"] })).toBe("unreadable");
  });

  test("is JSON in three parts", () => {
    for (const text of [
      "",
      "..",
      "a.b.c",
      `${part([])}.${part(good)}.c`,
      `${part({ alg: "ES256" })}.${part(1)}.c`,
    ])
      expect(checkToken(text, { issuer, audiences: [] }, 0)).toEqual({ fault: "unreadable" });
  });

  test("names the issuer byte for byte", () => {
    const others = [
      "https://gateway.example",
      "https://GATEWAY.example/",
      `${issuer} `,
      "",
      1,
      [issuer],
      undefined,
    ];
    for (const iss of others) expect(faultOf({ iss })).toBe("issuer");
  });

  test("names one of the audiences where any are configured", () => {
    for (const aud of ["a", ["a"], ["x", "b"]]) expect(faultOf({ aud }, {}, ["a", "b"])).toBe("none");
    for (const aud of [undefined, "", "A", [], ["ab"], [["a"]], { a: 1 }, null])
      expect(faultOf({ aud }, {}, ["a", "b"])).toBe("audience");
    for (const aud of [undefined, "x", 7, null]) expect(faultOf({ aud })).toBe("none");
  });

  test("has a subject of 1 to 255 characters", () => {
    for (const sub of ["a", "ü".repeat(255), "😀".repeat(255), "__proto__"])
      expect(faultOf({ sub })).toBe("none");
    for (const sub of [
      "",
      " ",
      "a".repeat(256),
      "a\u0000b",
      "a\n",
      "\ud800",
      7,
      null,
      undefined,
      ["a"],
      { a: 1 },
    ])
      expect(faultOf({ sub })).toBe("subject");
  });

  test("says when it was made and when it ends", () => {
    for (const time of [undefined, null, "1800000000", NaN, [1], {}])
      for (const claim of ["exp", "iat"]) expect(faultOf({ [claim]: time })).toBe("no times");
    expect(faultOf({ nbf: "0" })).toBe("no times");
  });

  test("ends with exp, give or take 30 seconds", () => {
    expect(faultOf({ exp: nowSeconds - 29 })).toBe("none");
    expect(faultOf({ exp: nowSeconds - 30 })).toBe("expired");
    expect(faultOf({ exp: -1e308 })).toBe("expired");
  });

  test("begins with iat and nbf, give or take 30 seconds", () => {
    expect(faultOf({ iat: nowSeconds + 30, nbf: nowSeconds + 30 })).toBe("none");
    expect(faultOf({ iat: nowSeconds + 31 })).toBe("not yet valid");
    expect(faultOf({ nbf: nowSeconds + 31 })).toBe("not yet valid");
  });

  test("is a day old at most, whatever its exp", () => {
    expect(faultOf({ iat: nowSeconds - 86_400 - 29 })).toBe("none");
    expect(faultOf({ iat: nowSeconds - 86_400 - 30, exp: nowSeconds + 1e6 })).toBe("too old");
  });
});
