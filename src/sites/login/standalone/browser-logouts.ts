import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserSession } from "../../../identity/logins/sessions/session.ts";

/** Logs users out of applications that can be reached only through their browsers. */
export interface BrowserLogouts {
  /**
   * Begins in the write that ends the session of a browser. Returns where the browser goes first; undefined: there is nobody to tell.
   */
  begin(tx: WriteTransaction, logout: EndedBrowserSession): Promise<BrowserDetour | undefined>;
}

/** A session that ends with a browser at hand. */
export interface EndedBrowserSession {
  readonly session: Pick<UserSession, "id" | "userId">;
  readonly issuer: string;
  /** Makes the path of ours where the browser comes to in the end, with the query if there is one. Called if there is anybody to tell. */
  readonly makePath: () => Promise<string>;
}

/** Where a browser goes before it comes to where it wanted to. */
export interface BrowserDetour {
  readonly location: string;
  /** The header `set-cookie` with which it goes. */
  readonly cookie: string;
}
