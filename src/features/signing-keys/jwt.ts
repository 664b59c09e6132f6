import { createPublicKey, type KeyObject } from "node:crypto";
import type { SigningKeyCommands } from "./commands.ts";
import type { SigningAlgorithm, SigningKey } from "./signing-key.ts";

/** The name of each algorithm in the header of a token (RFC 7518 §3.1, RFC 8037 §3.1). */
export const joseAlgorithms: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: "RS256",
  ES256: "ES256",
  EDDSA: "EdDSA",
};

/** The claims of a JSON Web Token (RFC 7519 §4). */
export type Claims = Readonly<Record<string, unknown>>;

/** Signs our own tokens, and recognises them. */
export interface OwnTokens {
  /** Signs the claims with the key that signs now. `typ` says what the token is (RFC 8725 §3.11). */
  sign(claims: Claims, how: { readonly typ: string; readonly algorithm: SigningAlgorithm }): Promise<string>;
  /**
   * Returns the claims of a token of that type that one of our published keys has signed; undefined for anything else. Says
   * nothing about time and audience.
   */
  verify(token: string, how: { readonly typ: string; readonly issuer: string }): Promise<Claims | undefined>;
}

/** Creates them. The library is loaded with the first token, because a start must not wait for it. */
export function createOwnTokens(keys: Pick<SigningKeyCommands, "getSigner" | "listPublished">): OwnTokens {
  const publicKeys = new WeakMap<SigningKey, KeyObject>();
  const toPublicKey = (key: SigningKey): KeyObject => {
    const made = publicKeys.get(key) ?? createPublicKey({ key: { ...key.publicKey }, format: "jwk" });
    publicKeys.set(key, made);
    return made;
  };
  return {
    async sign(claims, { typ, algorithm }) {
      const { SignJWT } = await import("jose");
      const { id, privateKey } = await keys.getSigner(algorithm);
      const header = { alg: joseAlgorithms[algorithm], typ, kid: id };
      return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
    },
    async verify(token, { typ, issuer }) {
      const { compactVerify, errors } = await import("jose");
      const header = readHeader(token);
      const key = (await keys.listPublished()).find(({ id }) => id === header?.["kid"]);
      if (key === undefined || header?.["typ"] !== typ) return undefined;
      // RFC 8725 §3.1: the key decides over the algorithm, never the token.
      const algorithms = [joseAlgorithms[key.algorithm]];
      try {
        const { payload } = await compactVerify(token, toPublicKey(key), { algorithms });
        const claims = JSON.parse(new TextDecoder().decode(payload)) as Claims; // we signed an object
        return claims["iss"] === issuer ? claims : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** Reads the header of a token, which nobody has verified; undefined for what is none. */
function readHeader(token: string): Claims | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8"));
    return typeof header === "object" && header !== null ? (header as Claims) : undefined;
  } catch {
    return undefined;
  }
}
