import { describe, expect, test } from "@jest/globals";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { compactVerify, CompactSign } from "jose";
import { type ClientAlgorithm, clientAlgorithms, isKeyOf } from "../../../src/kernel/base/jws.ts";
import type { PublicJwk } from "../../../src/kernel/base/public-key.ts";
import { isSignedBy, signCompact, signedPartOf } from "../../../src/kernel/base/signature.ts";

const pairs = {
  RSA: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "P-384": generateKeyPairSync("ec", { namedCurve: "P-384" }),
  Ed25519: generateKeyPairSync("ed25519"),
};
const jwkOf = (pair: { readonly publicKey: ReturnType<typeof createPublicKey> }) =>
  pair.publicKey.export({ format: "jwk" }) as PublicJwk;
const pairOf = (algorithm: ClientAlgorithm) => {
  const pair = Object.values(pairs).find((each) => isKeyOf(algorithm, jwkOf(each)));
  if (pair === undefined) throw new Error(`no pair for ${algorithm}`);
  return pair;
};
const signedBy = async (algorithm: ClientAlgorithm, privateKey = pairOf(algorithm).privateKey) =>
  await signCompact({ sub: "1" }, { algorithm, header: { typ: "JWT", kid: "k" }, privateKey });

describe("a signature", () => {
  test.each(clientAlgorithms)(
    "of %s is what a library by others takes, and the other way round",
    async (algorithm) => {
      const { publicKey, privateKey } = pairOf(algorithm);
      const { payload, protectedHeader } = await compactVerify(await signedBy(algorithm), publicKey);
      expect(protectedHeader).toEqual({ alg: algorithm, typ: "JWT", kid: "k" });
      expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ sub: "1" });
      const signer = new CompactSign(Buffer.from("{}")).setProtectedHeader({ alg: algorithm });
      expect(await isSignedBy(await signer.sign(privateKey), { algorithm, publicKey })).toBe(true);
    },
  );

  test.each(clientAlgorithms)(
    "of %s is worth nothing in another spelling, cut, or for another text",
    async (algorithm) => {
      const { publicKey } = pairOf(algorithm);
      const text = await signedBy(algorithm);
      const [header = "", payload = "", signature = ""] = text.split(".");
      const changed = Buffer.from(signature, "base64url").map((byte, index) =>
        index === 5 ? byte ^ 1 : byte,
      );
      const texts = [
        `${header}.${payload}.${Buffer.from(changed).toString("base64url")}`,
        `${header}.${payload}.${signature.slice(0, -4)}`,
        `${text}AAAA`,
        `${text}=`,
        `${header}.${payload}. ${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}A.${signature}`,
        `${header}.${signature}`,
        "",
        ".",
      ];
      for (const each of texts) expect(await isSignedBy(each, { algorithm, publicKey })).toBe(false);
    },
  );

  test("has one spelling: bits that mean nothing are zero (RFC 4648 §3.5)", async () => {
    const text = await signedBy("ES256");
    const { publicKey } = pairOf("ES256");
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const other = text.slice(0, -1) + String(digits[digits.indexOf(text.at(-1) ?? "") + 1]);
    expect(Buffer.from(signatureOf(other), "base64url")).toEqual(Buffer.from(signatureOf(text), "base64url"));
    expect(await isSignedBy(text, { algorithm: "ES256", publicKey })).toBe(true);
    expect(await isSignedBy(other, { algorithm: "ES256", publicKey })).toBe(false);
  });

  test("is worth nothing by another key, hash or padding", async () => {
    const { publicKey } = pairOf("RS256");
    const others = ["RS384", "PS256", "PS384"] as const;
    for (const each of others)
      expect(await isSignedBy(await signedBy(each), { algorithm: "RS256", publicKey })).toBe(false);
    const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const { publicKey: own } = pairOf("ES256");
    expect(await isSignedBy(await signedBy("ES256", foreign), { algorithm: "ES256", publicKey: own })).toBe(
      false,
    );
  });

  test.each([
    [
      "RFC 7515 appendix A.3",
      "ES256",
      {
        kty: "EC",
        crv: "P-256",
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      },
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
    ],
    [
      "RFC 8037 appendix A.4",
      "EdDSA",
      { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    ],
  ] as const)("is that of %s", async (_source, algorithm, jwk, text) => {
    const publicKey = createPublicKey({ key: { ...jwk }, format: "jwk" });
    expect(await isSignedBy(text, { algorithm, publicKey })).toBe(true);
  });

  test("is no part of what it is over", async () => {
    const text = await signedBy("EdDSA");
    expect(text.startsWith(`${signedPartOf(text)}.`)).toBe(true);
    expect(signedPartOf(text).split(".")).toHaveLength(2);
  });
});

const signatureOf = (text: string) => text.slice(text.lastIndexOf(".") + 1);

test.each([
  ["RS256", ["RSA"]],
  ["PS512", ["RSA"]],
  ["ES256", ["P-256"]],
  ["ES384", ["P-384"]],
  ["EdDSA", ["Ed25519"]],
  ["Ed25519", ["Ed25519"]],
] as const)("the keys of %s are %p", (algorithm, names) => {
  const fitting = Object.entries(pairs).filter(([, pair]) => isKeyOf(algorithm, jwkOf(pair)));
  expect(fitting.map(([name]) => name)).toEqual(names);
});
