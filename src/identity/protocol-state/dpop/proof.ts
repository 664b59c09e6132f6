import { createPublicKey, hash } from "node:crypto";
import { type ClientAlgorithm, clientAlgorithms, isKeyOf, readClientJwt } from "../../../kernel/base/jws.ts";
import { parseEmbeddedKey, toThumbprint } from "../../../kernel/base/public-key.ts";
import { isSignedBy } from "../../../kernel/base/signature.ts";
import type { AssertionUse } from "../assertion-uses/assertion-use.ts";
import { toTarget } from "./target.ts";

/** The request that a proof of possession (RFC 9449) comes with. */
export interface ProvedRequest {
  readonly verb: string;
  /** Made of the issuer and the path, whatever host the request names. */
  readonly url: string;
  /** The access token that is sent with the proof; undefined where tokens are asked for. */
  readonly accessToken: string | undefined;
  readonly nowMs: number;
}

/** A proof that is good for its request, as long as it was not used before. */
export interface GoodProof {
  /** The thumbprint of the key (RFC 9449 §6.1). */
  readonly jkt: string;
  /** What it is signed with. Applications may be allowed fewer than there are. */
  readonly algorithm: ClientAlgorithm;
  /** Its use, which is recorded by the write of the request, or before it by one of its own. */
  readonly use: AssertionUse;
}

/** The result of checking a proof. A fault is a sentence for developers that holds no value of the request. */
export type CheckedProof = { readonly proof: GoodProof } | { readonly fault: string };

/** Writes the header `www-authenticate` for callers who send proofs (RFC 9449 §7.1). `error` undefined: nothing was sent. */
export function toProofChallenge(error?: string, description?: string): string {
  const known = Object.entries({ error, error_description: description, algs: clientAlgorithms.join(" ") });
  const said = known.flatMap(([name, value]) => (value === undefined ? [] : `${name}="${value}"`));
  return `DPoP realm="gatehouse", ${said.join(", ")}`;
}

const windowSeconds = 60;
/** A use is remembered for longer than the proof is accepted: the clocks of processes differ. */
const keptSeconds = 2 * windowSeconds;

/** A proof with an RSA key of 8192 bits has half of it. */
const maxCharacters = 8192;
const maxIdCharacters = 256;
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Checks the value of the header `DPoP` (RFC 9449 §4.3). Several such headers are read as one with commas, which is no proof.
 * There is no nonce (§8): each proof is good once, among all processes, and for two minutes at most, so that a nonce would only
 * keep away proofs that somebody has made in advance, for the price of one more request of every client.
 */
export async function checkProof(text: string, request: ProvedRequest): Promise<CheckedProof> {
  const isReadable = text.length <= maxCharacters && compactForm.test(text);
  const jwt = isReadable ? readClientJwt(text) : undefined;
  if (jwt === undefined)
    return { fault: "the header DPoP is not one JWT with an algorithm that is accepted" };
  const { header, claims, algorithm } = jwt;
  if (header["typ"] !== "dpop+jwt") return { fault: "typ of the DPoP proof must be dpop+jwt" };
  const fault = findFaultInClaims(claims, request);
  if (fault !== undefined) return { fault };
  const key = parseEmbeddedKey(header["jwk"]);
  if (key === undefined || !isKeyOf(algorithm, key))
    return {
      fault: "jwk of the DPoP proof must be a public key for its algorithm, of a size that is accepted",
    };
  const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
  if (!(await isSignedBy(text, { algorithm, publicKey })))
    return { fault: "the DPoP proof is not signed with the key in jwk" };
  const jkt = toThumbprint(key);
  return { proof: { jkt, algorithm, use: toUse(jkt, claims) } };
}

function findFaultInClaims(
  { jti, htm, htu, iat, exp, nbf, ath }: Readonly<Record<string, unknown>>,
  { verb, url, accessToken, nowMs }: ProvedRequest,
): string | undefined {
  const nowSeconds = nowMs / 1000;
  const target = toTarget(url);
  if (typeof jti !== "string" || jti === "" || jti.length > maxIdCharacters)
    return `jti of the DPoP proof must have 1 to ${maxIdCharacters} characters`;
  if (htm !== verb) return "htm of the DPoP proof must be the method of the request";
  if (target === undefined || typeof htu !== "string" || toTarget(htu) !== target)
    return "htu of the DPoP proof must be the URL of the request, without query and fragment";
  if (typeof iat !== "number" || !(Math.abs(nowSeconds - iat) <= windowSeconds))
    return `iat of the DPoP proof must be within ${windowSeconds} seconds of now`;
  if (isAfter(nowSeconds - windowSeconds, exp) || isAfter(nbf, nowSeconds + windowSeconds))
    return "the DPoP proof has expired, or is not valid yet";
  if (accessToken !== undefined && ath !== hash("sha256", accessToken, "base64url"))
    return "ath of the DPoP proof must be the hash of the access token";
  return undefined;
}

/** Compares claims that may be absent (RFC 7519 §4.1.4, §4.1.5). */
function isAfter(later: unknown, earlier: unknown): boolean {
  return typeof later === "number" && typeof earlier === "number" && later >= earlier;
}

/** Names the use by key and id: without the key nobody can use up ids of others. No assertion has such a name. */
function toUse(jkt: string, { jti, iat }: Readonly<Record<string, unknown>>): AssertionUse {
  const name = JSON.stringify(["dpop", jkt, jti]);
  const expirationMs = (Number(iat) + keptSeconds) * 1000;
  return { kind: "proof", hash: hash("sha256", name, "base64url"), expirationMs };
}
