import { withoutNulls } from "../provider/json.ts";
import type { TokenClaims } from "../provider/signed-token.ts";
import { isSubject } from "../provider/subject.ts";

/** What an ID token must say. */
export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

/** By so much the clock of a provider may differ. */
const skewSeconds = 30;

/** A rule that an ID token has broken. */
export type IdTokenFault = "iss" | "aud" | "azp" | "exp" | "iat" | "nbf" | "nonce" | "sub";

/**
 * Says which rule an ID token breaks whose signature was verified (OpenID Connect Core §3.1.3.7); undefined: none. Our own clock
 * decides, and nothing depends on the defaults of a library. A claim that is null is absent.
 */
export function findIdTokenFault(claims: TokenClaims, expected: ExpectedIdToken): IdTokenFault | undefined {
  const { iss, aud, azp, exp, iat, nbf, nonce, sub } = withoutNulls(claims);
  const { issuer, clientId, nowMs } = expected;
  const now = nowMs / 1000;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (iss !== issuer) return "iss";
  if (!audiences.includes(clientId)) return "aud";
  if ((audiences.length > 1 || azp !== undefined) && azp !== clientId) return "azp";
  if (!isInstant(exp) || exp <= now - skewSeconds) return "exp";
  if (!isInstant(iat) || iat > now + skewSeconds) return "iat";
  if (nbf !== undefined && (!isInstant(nbf) || nbf > now + skewSeconds)) return "nbf";
  if (nonce !== expected.nonce) return "nonce";
  return isSubject(sub) ? undefined : "sub";
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
