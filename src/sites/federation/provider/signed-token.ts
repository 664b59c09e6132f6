import { createPublicKey } from "node:crypto";
import { clientAlgorithms, readClientJwt } from "../../../kernel/base/jws.ts";
import type { PublicJwk } from "../../../kernel/base/public-key.ts";
import { isSignedBy } from "../../../kernel/base/signature.ts";
import { withoutNulls } from "./json.ts";
import type { KeySource, ProviderKeys } from "./provider-keys.ts";

/** By what a JWT may be signed. */
export interface ExpectedSignature {
  /** Default: all of ours. */
  readonly algorithms?: readonly string[];
  /** As `isOfIssuer` of the header; the claims are not verified. */
  readonly isKeyOfIssuer?: ((issuer: string, claims: TokenClaims) => boolean) | undefined;
}

/** The claims of a JWT. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/**
 * Returns the claims of a JWT that a provider has signed (RFC 7515 §5.2), not checked yet. Undefined for anything else: no JWT, an
 * algorithm that is none of `algorithms`, a signature by nobody. Raises a ProviderFailure if the keys cannot be read.
 */
export async function readSignedClaims(
  keys: ProviderKeys,
  source: KeySource,
  text: string,
  { algorithms = clientAlgorithms, isKeyOfIssuer }: ExpectedSignature = {},
): Promise<TokenClaims | undefined> {
  const jwt = readClientJwt(text);
  const { kid } = withoutNulls(jwt?.header ?? {});
  if (jwt === undefined || (kid !== undefined && typeof kid !== "string")) return undefined;
  const { algorithm, claims } = jwt;
  if (!algorithms.includes(algorithm)) return undefined;
  const isOfIssuer = isKeyOfIssuer && ((issuer: string) => isKeyOfIssuer(issuer, claims));
  for (const find of [keys.find, keys.findAgain])
    for (const jwk of await find(source, { kid, algorithm, isOfIssuer }))
      if (await isSignedBy(text, { algorithm, publicKey: toKey(jwk) })) return claims;
  return undefined;
}

function toKey(jwk: PublicJwk) {
  return createPublicKey({ key: { ...jwk }, format: "jwk" });
}
