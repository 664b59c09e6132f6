import { createPublicKey, type KeyObject } from "node:crypto";
import type { ClientAlgorithm } from "../../kernel/base/jws.ts";
import { isSignedBy, signCompact } from "../../kernel/base/signature.ts";
import type { SigningKeyCommands } from "./commands.ts";
import type { FormerSigningKey } from "./repository.ts";
import type { SigningAlgorithm } from "./signing-key.ts";

/** The name of each algorithm in the header of a token (RFC 7518 §3.1, RFC 8037 §3.1). */
export const jwsAlgorithms: Readonly<Record<SigningAlgorithm, ClientAlgorithm>> = {
  RS256: "RS256",
  ES256: "ES256",
  EDDSA: "EdDSA",
};

/** The claims of a JSON Web Token (RFC 7519 §4). */
export type Claims = Readonly<Record<string, unknown>>;

/** What a token must be. */
export interface VerifyOptions {
  readonly typ: string;
  readonly issuer: string;
  readonly mayBeOfFormerKey?: boolean;
}

/** Signs our own tokens, and recognises them. */
export interface OwnTokens {
  /** Signs the claims with the key that signs now. `typ` says what the token is (RFC 8725 §3.11). */
  sign(claims: Claims, how: { readonly typ: string; readonly algorithm: SigningAlgorithm }): Promise<string>;
  /**
   * Returns the claims of a token of that type that one of our published keys has signed; undefined for anything else. Says nothing
   * about time and audience. `mayBeOfFormerKey`: also of a key that is not trusted any more, for claims that only identify the
   * caller.
   */
  verify(token: string, how: VerifyOptions): Promise<Claims | undefined>;
}

/** Creates them. */
export function createOwnTokens(
  keys: Pick<SigningKeyCommands, "findEver" | "getSigner" | "listPublished">,
): OwnTokens {
  const publicKeys = new WeakMap<FormerSigningKey, KeyObject>();
  const toPublicKey = (key: FormerSigningKey): KeyObject => {
    const made = publicKeys.get(key) ?? createPublicKey({ key: { ...key.publicKey }, format: "jwk" });
    publicKeys.set(key, made);
    return made;
  };
  return {
    async sign(claims, { typ, algorithm }) {
      const { id, privateKey } = await keys.getSigner(algorithm);
      const header = { typ, kid: id };
      return await signCompact(claims, { algorithm: jwsAlgorithms[algorithm], header, privateKey });
    },
    async verify(token, { typ, issuer, mayBeOfFormerKey = false }) {
      const header = readPart(token, 0);
      const keyId = String(header?.["kid"]);
      const key = mayBeOfFormerKey
        ? await keys.findEver(keyId)
        : (await keys.listPublished()).find(({ id }) => id === keyId);
      if (key === undefined || header?.["typ"] !== typ) return undefined;
      // RFC 8725 §3.1: the key decides over the algorithm, never the token.
      const algorithm = jwsAlgorithms[key.algorithm];
      if (header["alg"] !== algorithm) return undefined;
      if (!(await isSignedBy(token, { algorithm, publicKey: toPublicKey(key) }))) return undefined;
      const claims = readPart(token, 1);
      return claims?.["iss"] === issuer ? claims : undefined;
    },
  };
}

/** Reads the header of a token, or its claims, which nobody has verified; undefined for what is none. */
function readPart(token: string, index: 0 | 1): Claims | undefined {
  try {
    const part: unknown = JSON.parse(
      Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8"),
    );
    return typeof part === "object" && part !== null ? (part as Claims) : undefined;
  } catch {
    return undefined;
  }
}
