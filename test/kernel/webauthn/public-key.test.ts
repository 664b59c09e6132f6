import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { verifyCredential } from "../../../src/kernel/webauthn/registration-verification.ts";
import { encodeCbor, registerInSoftware } from "../../support/software-authenticator.ts";
import { outcomeOf } from "../../support/problems.ts";

const challenge = Buffer.alloc(32, 5).toString("base64url");

/** Registers a COSE key without attestation, so that nothing but its own form is judged. */
function register(publicKey: Uint8Array): Promise<string> {
  const options = { publicKey: { rp: { id: "example.com" }, challenge } };
  const expected = { challenge, rpId: "example.com", isOriginAllowed: () => true, nowMs: 0 };
  const verify = async () => verifyCredential(registerInSoftware(options, { publicKey }), expected);
  return outcomeOf(verify());
}

function cose(...entries: readonly (readonly [number, unknown])[]): Uint8Array {
  return encodeCbor(new Map(entries));
}

describe("an RSA key", () => {
  const { n = "" } = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });
  const good = Buffer.from(n, "base64url");
  const usual = Buffer.of(1, 0, 1);
  const rsa = (modulus: Uint8Array, exponent: Uint8Array) =>
    cose([1, 3], [3, -257], [-1, modulus], [-2, exponent]);
  const even = Buffer.from(good).fill((good.at(-1) ?? 0) & 0xfe, 255);
  const times = (factor: bigint) => {
    const number = BigInt(`0x${good.toString("hex")}`) * factor;
    return Buffer.from(number.toString(16).padStart(516, "0"), "hex");
  };

  test.each([
    ["e = 65537", good, usual],
    ["e = 3", good, Buffer.of(3)],
    ["a zero before n", Buffer.concat([Buffer.of(0), good]), usual],
  ])("with %s is taken", async (_name, modulus, exponent) => {
    expect(await register(rsa(modulus, exponent))).toBe("ok");
  });

  test.each([
    ["e = 0", good, Buffer.of(0)],
    ["e = 1, so that every text is its own signature", good, Buffer.of(1)],
    ["e = 1 behind zeros", good, Buffer.of(0, 0, 1)],
    ["e = 2", good, Buffer.of(2)],
    ["e = 65536", good, Buffer.of(1, 0, 0)],
    ["n even", even, usual],
    ["n = 0", Buffer.alloc(256), usual],
    ["n of 2,047 bits", Buffer.from(good).fill(0x7f, 0, 1), usual],
    ["n of 15 bits behind zeros", Buffer.alloc(256).fill(0x7f, 254), usual],
    ["n of 1,024 bits behind zeros", Buffer.concat([Buffer.alloc(128), good.subarray(128)]), usual],
    ["n of 255 bytes", good.subarray(1), usual],
    ["n that 3 divides", times(3n), usual],
    ["n that 751 divides", times(751n), usual],
  ])("with %s is refused", async (_name, modulus, exponent) => {
    expect(await register(rsa(modulus, exponent))).toBe("U2F_CREDENTIAL_MALFORMED");
  });
});

describe("an Ed25519 key", () => {
  const ed25519 = (x: Uint8Array) => cose([1, 1], [3, -8], [-1, 6], [-2, x]);
  const prime = 2n ** 255n - 19n;
  const encode = (y: bigint, sign: 0n | 1n = 0n) =>
    Buffer.from(Buffer.from((y + (sign << 255n)).toString(16).padStart(64, "0"), "hex").toReversed());
  const power = (base: bigint, exponent: bigint): bigint => {
    if (exponent === 0n) return 1n;
    const half = power(base, exponent / 2n);
    return (half * half * (exponent % 2n === 1n ? base : 1n)) % prime;
  };
  const inverse = (number: bigint) => power(((number % prime) + prime) % prime, prime - 2n);
  /** The y-coordinate of twice the point, from -x² + y² = 1 + dx²y² and the law of addition: RFC 8032 §5.1.4. */
  const double = (y: bigint) => {
    const d = -121_665n * inverse(121_666n);
    const xx = (y * y - 1n) * inverse(d * y * y + 1n);
    return ((((xx + y * y) * inverse(1n - d * xx * y * y)) % prime) + prime) % prime;
  };
  // The points whose order divides 8, as in section 5 of "Taming the many EdDSAs" (eprint.iacr.org/2020/1244), table 2.
  const lowOrder = [
    ["the neutral element", encode(1n)],
    ["order 2", encode(prime - 1n)],
    ["order 4", encode(0n)],
    ["order 4, the other sign", encode(0n, 1n)],
    ["order 8", Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex")],
    [
      "order 8, negative",
      Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", "hex"),
    ],
    [
      "order 8, another",
      Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "hex"),
    ],
    [
      "order 8, another, negative",
      Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", "hex"),
    ],
  ] as const;
  const notCanonical = [
    ["the neutral element with a sign", encode(1n, 1n)],
    ["order 2 with a sign", encode(prime - 1n, 1n)],
    ["p for 0", encode(prime)],
    ["p for 0, with a sign", encode(prime, 1n)],
    ["p + 1 for 1", encode(prime + 1n)],
    ["p + 1 for 1, with a sign", encode(prime + 1n, 1n)],
    ["p + 3 for a point of large order", encode(prime + 3n)],
    ["the largest number", encode(2n ** 255n - 1n, 1n)],
  ] as const;

  test("is taken, whichever of a hundred it is", async () => {
    for (let round = 0; round < 100; round++) {
      const { x = "" } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
      expect(await register(ed25519(Buffer.from(x, "base64url")))).toBe("ok");
    }
  });

  test.each(lowOrder)("of low order is refused: %s", async (_name, x) => {
    const y = BigInt(`0x${Buffer.from(x.toReversed()).toString("hex")}`) % 2n ** 255n;
    expect(double(double(double(y)))).toBe(1n); // eight times the point is the neutral element
    expect(await register(ed25519(x))).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test.each(notCanonical)("in a form that is not canonical is refused: %s", async (_name, x) => {
    expect(await register(ed25519(x))).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test("that is no point of the curve is refused", async () => {
    expect(await register(ed25519(encode(2n)))).toBe("U2F_CREDENTIAL_MALFORMED");
  });
});

describe("a P-256 key", () => {
  const p256 = (x: Uint8Array, y: Uint8Array) => cose([1, 2], [3, -7], [-1, 1], [-2, x], [-3, y]);
  const bytes = (hex: string) => Buffer.from(hex, "hex");
  /** A root of b, so that (0, y) is on the curve; FIPS 186-4 §D.1.2.3 has p and b. */
  const yOfZero = bytes("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4");
  const prime = bytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");

  test("with x = 0 is taken, and refused with p for 0", async () => {
    expect(await register(p256(Buffer.alloc(32), yOfZero))).toBe("ok");
    expect(await register(p256(prime, yOfZero))).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test.each([
    ["off the curve", Buffer.alloc(32, 1), Buffer.alloc(32, 1)],
    ["at infinity, written as zeros", Buffer.alloc(32), Buffer.alloc(32)],
    ["with a byte too few", Buffer.alloc(31), yOfZero],
  ])("%s is refused", async (_name, x, y) => {
    expect(await register(p256(x, y))).toBe("U2F_CREDENTIAL_MALFORMED");
  });
});
