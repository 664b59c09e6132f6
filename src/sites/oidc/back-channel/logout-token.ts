import type {
  BackChannel,
  LogoutNotice,
} from "../../../identity/protocol-state/logout-notices/logout-notice.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import { toSeconds } from "../tokens/claims.ts";

/** The type of a logout token (Back-Channel Logout 1.0 §2.4). None of our own endpoints takes a token of this type. */
export const logoutTokenType = "logout+jwt";

/** The event that the token tells of (Back-Channel Logout 1.0 §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

const lifetimeSeconds = 120;

/**
 * Makes the claims of a logout token (Back-Channel Logout 1.0 §2.4), which never has a nonce. A session ends once, so session and
 * application name it: whatever is sent for them has the same `jti`, and a receiver knows a second try.
 */
export function toLogoutTokenClaims(
  notice: Pick<LogoutNotice, "sessionId" | "applicationId" | "userId" | "importedId">,
  {
    issuer,
    nowMs,
    subject,
  }: { readonly issuer: string; readonly nowMs: number } & Pick<BackChannel, "subject">,
): Claims {
  const { sessionId, applicationId, userId, importedId } = notice;
  const issued = toSeconds(nowMs);
  return {
    iss: issuer,
    sub: subject === "IMPORTED_ID" ? (importedId ?? userId) : userId,
    aud: applicationId,
    iat: issued,
    exp: issued + lifetimeSeconds,
    jti: `${sessionId}-${applicationId}`,
    sid: sessionId,
    events: { [logoutEvent]: {} },
  };
}
