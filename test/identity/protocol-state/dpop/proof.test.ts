import { describe, expect, test } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint, SignJWT } from "jose";
import {
  type CheckedProof,
  checkProof,
  toProofChallenge,
} from "../../../../src/identity/protocol-state/dpop/proof.ts";
import { makeProofKey, type ProofKey, signProof, type WrongProof } from "../../../support/proofs.ts";

const nowMs = 1_800_000_000_500;
const nowSeconds = 1_800_000_000;
const url = "https://id.example/oauth/v2/token";
const keys = {
  ES256: makeProofKey("ES256"),
  ES384: makeProofKey("ES384"),
  EdDSA: makeProofKey("EdDSA"),
  RS256: makeProofKey("RS256"),
};
const key = keys.ES256;

const judge = (text: string, accessToken?: string): Promise<CheckedProof> =>
  checkProof(text, { verb: "POST", url, accessToken, nowMs });

/** Says what comes of a proof that is good but for what the test says. */
async function outcomeOf(wrong: WrongProof = {}, by: ProofKey = key): Promise<string> {
  const judged = await judge(await signProof(by, { url, nowMs }, wrong));
  return "fault" in judged ? judged.fault : "good";
}

const claims = (wrong: object): WrongProof => ({ claims: wrong });
const header = (wrong: object): WrongProof => ({ header: wrong });

describe("a proof of possession (RFC 9449 §4)", () => {
  test.each(Object.values(keys))("is taken by $algorithm, and names the key", async (by) => {
    const judged = await judge(await signProof(by, { url, nowMs }));
    const jkt = await calculateJwkThumbprint({ ...by.publicKey });
    expect(judged).toMatchObject({ proof: { jkt, use: { kind: "proof" } } });
  });

  test.each(["RS384", "RS512", "PS256", "PS384", "PS512"])("is taken by %s", async (alg) => {
    expect(await outcomeOf(header({ alg }), keys.RS256)).toBe("good");
  });

  test("is taken by Ed25519, the other name of EdDSA", async () => {
    expect(await outcomeOf(header({ alg: "Ed25519" }), keys.EdDSA)).toBe("good");
  });

  test("is good for a minute before and after, and remembered for longer", async () => {
    for (const iat of [nowSeconds - 59, nowSeconds + 60, nowSeconds + 0.25])
      expect(await outcomeOf(claims({ iat }))).toBe("good");
    for (const iat of [nowSeconds - 60, nowSeconds + 61, 0, -1, 1e300, "1800000000", null, undefined])
      expect(await outcomeOf(claims({ iat }))).toMatch(/^iat /);
    const judged = await judge(await signProof(key, { url, nowMs }, claims({ iat: nowSeconds + 60 })));
    expect("proof" in judged && judged.proof.use.expirationMs).toBeGreaterThan((nowSeconds + 120) * 1000);
  });

  test("is for one method and one URL", async () => {
    for (const htm of ["GET", "post", "POST ", "", undefined, ["POST"]])
      expect(await outcomeOf(claims({ htm }))).toMatch(/^htm /);
    for (const htu of [`${url}/x`, "https://evil.example/oauth/v2/token", "", undefined, [url], 1])
      expect(await outcomeOf(claims({ htu }))).toMatch(/^htu /);
    expect(await outcomeOf(claims({ htu: `${url}?a=b#c` }))).toBe("good");
  });

  test("is never for a URL that cannot be read", async () => {
    const text = await signProof(key, { url: "\n", nowMs });
    const judged = await checkProof(text, { verb: "POST", url: "\n", accessToken: undefined, nowMs });
    expect(judged).toMatchObject({ fault: expect.stringMatching(/^htu /) });
  });

  test("has an id of a sane length", async () => {
    for (const jti of ["", undefined, null, 1, ["a"], "a".repeat(257)])
      expect(await outcomeOf(claims({ jti }))).toMatch(/^jti /);
    for (const jti of ["a", "ü".repeat(256)]) expect(await outcomeOf(claims({ jti }))).toBe("good");
  });

  test("is for the access token that it comes with", async () => {
    const forToken = { url, nowMs, accessToken: "a token" };
    expect(await judge(await signProof(key, forToken), "a token")).toHaveProperty("proof");
    for (const ath of [undefined, "", "a token", null])
      expect(await judge(await signProof(key, forToken, claims({ ath })), "a token")).toMatchObject({
        fault: expect.stringMatching(/^ath /),
      });
    expect(await judge(await signProof(key, forToken), "another token")).toHaveProperty("fault");
    expect(await judge(await signProof(key, forToken))).toHaveProperty("proof");
  });

  test("is not taken before or after the time that it names itself", async () => {
    const late = [{ exp: nowSeconds - 61 }, { nbf: nowSeconds + 62 }];
    for (const wrong of late) expect(await outcomeOf(claims(wrong))).toMatch(/expired/);
    expect(await outcomeOf(claims({ exp: nowSeconds - 1, nbf: nowSeconds + 1 }))).toBe("good");
  });

  test("is of its own type", async () => {
    for (const typ of [undefined, "JWT", "at+jwt", "application/dpop+jwt", "DPOP+JWT"])
      expect(await outcomeOf(header({ typ }))).toMatch(/^typ /);
  });

  test("holds its public key, and nothing of the private one", async () => {
    const { privateKey } = key;
    const whole = privateKey.export({ format: "jwk" });
    const p521 = generateKeyPairSync("ec", { namedCurve: "P-521" }).publicKey.export({ format: "jwk" });
    const { x } = key.publicKey as { readonly x: string };
    const wrong = [
      undefined,
      null,
      "key",
      [],
      {},
      whole,
      p521,
      { kty: "oct", k: "AAAA" },
      { ...key.publicKey, y: x },
    ];
    for (const jwk of wrong) expect(await outcomeOf(header({ jwk }))).toMatch(/^jwk /);
  });

  test("has an RSA key of a size that client keys may have, with a usual exponent", async () => {
    const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const jwk = small.publicKey.export({ format: "jwk" });
    const wrong = { header: { jwk, alg: "RS256" }, privateKey: keys.RS256.privateKey };
    expect(await outcomeOf(wrong, keys.RS256)).toMatch(/^jwk /);
    const slow = { ...keys.RS256.publicKey, e: "AQAAAAE" };
    expect(await outcomeOf(header({ jwk: slow }), keys.RS256)).toMatch(/^jwk /);
  });

  test("is signed with that key, by an algorithm of it", async () => {
    expect(await outcomeOf({ privateKey: makeProofKey().privateKey })).toMatch(/not signed/);
    expect(await outcomeOf(header({ jwk: keys.ES384.publicKey }))).toMatch(/^jwk /);
    const text = await signProof(key, { url, nowMs });
    const [head = "", body = ""] = text.split(".");
    const changed = Buffer.from(JSON.stringify({ jti: "a", htm: "POST", htu: url, iat: nowSeconds }));
    const forged = `${head}.${changed.toString("base64url")}.${text.split(".")[2]}`;
    expect(await judge(forged)).toMatchObject({ fault: expect.stringMatching(/not signed/) });
    expect(await judge(`${head}.${body}.AAAA`)).toMatchObject({ fault: expect.stringMatching(/not signed/) });
  });

  test("is not signed with none, nor with HMAC over its public key", async () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const good = { jti: "a", htm: "POST", htu: url, iat: nowSeconds };
    const none = `${encode({ typ: "dpop+jwt", alg: "none", jwk: key.publicKey })}.${encode(good)}.`;
    const secret = Buffer.from(JSON.stringify(key.publicKey));
    const mac = await new SignJWT(good)
      .setProtectedHeader({ typ: "dpop+jwt", alg: "HS256", jwk: key.publicKey })
      .sign(secret);
    for (const text of [none, `${none}AAAA`, mac])
      expect(await judge(text)).toMatchObject({ fault: expect.stringMatching(/^the header DPoP /) });
  });

  test("is one JWT, with nothing that is not understood", async () => {
    const text = await signProof(key, { url, nowMs });
    for (const wrong of [
      "",
      "a",
      "a.b.c",
      "../..",
      `${text}, ${text}`,
      `${text},${text}`,
      `${text} `,
      ` ${text}`,
      `${text}.`,
      `.${text}`,
      `${text}=`,
      `Bearer ${text}`,
      text.replaceAll(".", "../.."),
      `${"a".repeat(8000)}.${"b".repeat(200)}.c`,
      "x".repeat(65_536),
    ])
      expect(await judge(wrong)).toMatchObject({ fault: expect.stringMatching(/^the header DPoP /) });
    expect(await outcomeOf(claims({ more: "x".repeat(8000) }))).toMatch(/^the header DPoP /);
    expect(await outcomeOf(header({ crit: ["b64"], b64: true }))).toMatch(/^the header DPoP /);
  });

  test("is named by key and id, whatever else is in it", async () => {
    const useOf = async (by: ProofKey, wrong: object) => {
      const judged = await judge(await signProof(by, { url, nowMs }, claims({ jti: "a", ...wrong })));
      return "proof" in judged ? judged.proof.use.hash : judged.fault;
    };
    const first = await useOf(key, {});
    expect(await useOf(key, { iat: nowSeconds + 1, other: 1, htu: `${url}?a` })).toBe(first);
    expect(await useOf(key, { jti: "b" })).not.toBe(first);
    expect(await useOf(makeProofKey(), {})).not.toBe(first);
  });
});

test("a challenge says what is taken, and what is wrong (RFC 9449 §7.1)", () => {
  const algs = 'algs="RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 EdDSA Ed25519"';
  expect(toProofChallenge()).toBe(`DPoP realm="gatehouse", ${algs}`);
  expect(toProofChallenge("invalid_token", "so")).toBe(
    `DPoP realm="gatehouse", error="invalid_token", error_description="so", ${algs}`,
  );
});
