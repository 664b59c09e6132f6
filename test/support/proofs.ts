import { generateKeyPairSync, hash, type KeyObject, randomUUID } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import { type PublicJwk, toThumbprint } from "../../src/kernel/base/public-key.ts";
import { canaries } from "./canaries.ts";

/** A key with which a program proves that a token is its own (RFC 9449). */
export interface ProofKey {
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: PublicJwk;
  readonly jkt: string;
}

/** What a proof is made for. */
export interface ProofFor {
  readonly verb?: string;
  readonly url: string;
  readonly accessToken?: string;
  readonly nowMs: number;
}

/** What a test has otherwise in a proof. A claim that is undefined is left out. */
export interface WrongProof {
  readonly claims?: object;
  readonly header?: object;
  readonly privateKey?: KeyObject | Uint8Array;
}

/** Makes a key. */
export function makeProofKey(algorithm: "ES256" | "ES384" | "EdDSA" | "RS256" = "ES256"): ProofKey {
  const { publicKey, privateKey } = {
    ES256: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    ES384: () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
    EdDSA: () => generateKeyPairSync("ed25519"),
    RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  }[algorithm]();
  const jwk = publicKey.export({ format: "jwk" }) as PublicJwk;
  return { algorithm, privateKey, publicKey: jwk, jkt: toThumbprint(jwk) };
}

/** Signs a proof, good but for what the test says. It lets in once whoever has it and the token, so it counts as a secret. */
export async function signProof(
  key: ProofKey,
  { verb = "POST", url, accessToken, nowMs }: ProofFor,
  wrong: WrongProof = {},
): Promise<string> {
  const claims = {
    jti: randomUUID(),
    htm: verb,
    htu: url,
    iat: Math.floor(nowMs / 1000),
    ...(accessToken === undefined ? {} : { ath: hash("sha256", accessToken, "base64url") }),
    ...wrong.claims,
  } as JWTPayload; // a test may send anything
  const header = { typ: "dpop+jwt", alg: key.algorithm, jwk: key.publicKey, ...wrong.header };
  const text = await new SignJWT(claims).setProtectedHeader(header).sign(wrong.privateKey ?? key.privateKey);
  canaries.add("proof", text);
  return text;
}
