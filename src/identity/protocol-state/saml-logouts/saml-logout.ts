import type { ApplicationId, InteractionId, UserId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";

/** How long a browser may take to visit the applications of its session. */
export const samlLogoutMs = 900_000;

/** A logout that goes on in a browser: it visits the other applications of a session that has ended. It is stored until its answer. */
export interface StoredSamlLogout {
  readonly id: InteractionId;
  /** Of the cookie that the browser has for it. */
  readonly cookieHash: string;
  /** Whose session has ended. The logout is removed with the user. */
  readonly userId: UserId;
  /** The application that asked for it, with which it is removed; undefined: a page of ours did. */
  readonly applicationId: ApplicationId | undefined;
  /** SHA-256 (base64url) of the ID of the LogoutRequest that waits for its answer; undefined: none does. */
  readonly requestHash: string | undefined;
  /** Encrypted: it holds names of the user. */
  readonly content: Sealed;
  readonly expirationMs: number;
}
