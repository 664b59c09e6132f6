import type { ApplicationId, InteractionId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring, Sealed } from "../../../kernel/base/keyring.ts";
import { networkOf } from "../../../kernel/base/network.ts";
import { limitReached } from "../../../kernel/base/problem.ts";

/** How long a login may take. */
export const interactionMs = 900_000;

/**
 * How many interactions in which nobody has proved anything may wait at one network. Everybody can begin them, also without a
 * browser, and each leaves a row. It is far more than stand before the login page at once in a company behind one address: the user
 * that logs in makes no difference any more.
 */
export const maxWaitingInteractions = 5000;

/**
 * How many interactions of one user are kept, ended ones too: several times as many as a browser keeps cookies of. The oldest ones
 * go then, and users who still have one begin again.
 */
export const maxInteractionsOfUser = 100;

/** A login that has begun in a browser and not ended, as it is stored. Only the pages know its content. */
export interface StoredInteraction {
  readonly id: InteractionId;
  /** Of the cookie that the browser has for it. */
  readonly cookieHash: string;
  /** The user whose first factor was proved; undefined: nobody's was. The interaction is removed with the user. */
  readonly userId: UserId | undefined;
  /** The application that asked for it, with which it is removed; undefined: a page of ours did. */
  readonly applicationId: ApplicationId | undefined;
  /** Encrypted: it holds values of the application that began the login. */
  readonly content: Sealed;
  readonly expirationMs: number;
}

/** Names the network of an address, as it is stored: a keyed hash. */
export function hashInteractionHolder(
  keyring: Pick<Keyring, "mac">,
  remoteAddress: string | undefined,
): string {
  return hashHolder(keyring, `login ${networkOf(remoteAddress) ?? ""}`);
}

/** Where a logout counts that waits: at the user of the session, or at a network for a browser that has brought none. */
export interface LogoutOrigin {
  readonly userId: UserId | undefined;
  readonly remoteAddress: string | undefined;
}

/** Names the origin of a logout in the same way. Logins do not count there. */
export function hashLogoutHolder(
  keyring: Pick<Keyring, "mac">,
  { userId, remoteAddress }: LogoutOrigin,
): string {
  const name = userId === undefined ? `network ${networkOf(remoteAddress) ?? ""}` : `user ${userId}`;
  return hashHolder(keyring, `logout of ${name}`);
}

/** Returns how many logouts of one origin may wait. */
export function maxWaitingLogouts({ userId }: LogoutOrigin): number {
  return userId === undefined ? maxWaitingInteractions : maxInteractionsOfUser;
}

function hashHolder(keyring: Pick<Keyring, "mac">, name: string): string {
  return Buffer.from(keyring.mac("holder", name).value).toString("base64url");
}

/** Raises LIMIT_REACHED where as many interactions wait as may. `roomMs`: when one more may wait; undefined: now. */
export function requireInteractionRoom(roomMs: number | undefined, nowMs: number): void {
  if (roomMs !== undefined) throw limitReached("waiting_login", maxWaitingInteractions, roomMs - nowMs);
}
