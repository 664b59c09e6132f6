import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";

/** A request for a login that an application has sent before the browser comes, as it is stored. */
export interface PushedRequest {
  /** Of the reference that the browser brings. */
  readonly hash: string;
  /** The only application that may use it. The request is removed with it. */
  readonly applicationId: ApplicationId;
  /** Keyed, of the client that has pushed it: only so many wait for one. */
  readonly holderHash: string;
  /** Encrypted: it may hold values that only the application may read. */
  readonly content: Sealed;
  readonly expirationMs: number;
}
