import type { UserId } from "../../../kernel/base/ids.ts";

/** How long a browser is remembered after a login. */
export const knownBrowserMs = 90 * 24 * 3_600_000;

/** A browser in which a user has logged in. Wrong passwords that it sends are counted apart from those of others. */
export interface KnownBrowser {
  /** Of the cookie by which it is known. A login gives it another one. */
  readonly hash: string;
  readonly userId: UserId;
  readonly expirationMs: number;
}
