import { readClientJwt } from "../../../kernel/base/jws.ts";
import type { JwtConfig } from "../../../identity/providers/jwt.ts";
import { withoutNulls } from "../provider/json.ts";
import { isSubject } from "../provider/subject.ts";

/** A JWT whose claims are good. Its signature is not checked yet. */
export interface UnverifiedToken {
  readonly text: string;
  /** `sub`. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What is wrong with a JWT. For the log: it holds no value of the JWT. */
export type TokenFault =
  | "unreadable"
  | "issuer"
  | "audience"
  | "subject"
  | "no times"
  | "expired"
  | "not yet valid"
  | "too old";

const skewSeconds = 30;
/** A JWT older than a day is refused: the gateway has not checked the user since. */
const maxAgeSeconds = 86_400;

/**
 * Checks the JWT of a gateway, except its signature. It must be of the configured issuer, byte for byte, and for one of the
 * audiences if any are configured; `exp`, `iat` and `sub` are required, because without `exp` it would be good for ever
 * (CVE-2026-56665).
 */
export function checkToken(
  text: string,
  { issuer, audiences }: Pick<JwtConfig, "issuer" | "audiences">,
  nowMs: number,
): UnverifiedToken | { readonly fault: TokenFault } {
  const jwt = readClientJwt(text);
  if (jwt === undefined) return { fault: "unreadable" };
  const claims = withoutNulls(jwt.claims);
  const { iss, aud, sub } = claims;
  if (iss !== issuer) return { fault: "issuer" };
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audiences.length > 0 && !audiences.some((audience) => named.includes(audience)))
    return { fault: "audience" };
  if (!isSubject(sub)) return { fault: "subject" };
  const fault = findFaultInTimes(claims, nowMs / 1000);
  return fault === undefined ? { text, subject: sub, claims } : { fault };
}

/** RFC 7519 §4.1.4 to §4.1.6. `nbf` alone may be absent. */
function findFaultInTimes(
  { exp, iat, nbf }: Readonly<Record<string, unknown>>,
  nowSeconds: number,
): TokenFault | undefined {
  if (!isNumber(exp) || !isNumber(iat) || (nbf !== undefined && !isNumber(nbf))) return "no times";
  if (exp + skewSeconds <= nowSeconds) return "expired";
  if (iat - skewSeconds > nowSeconds || (nbf ?? iat) - skewSeconds > nowSeconds) return "not yet valid";
  return iat + maxAgeSeconds + skewSeconds <= nowSeconds ? "too old" : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
