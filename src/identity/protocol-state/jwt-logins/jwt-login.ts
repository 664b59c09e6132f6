import type { IdentityProviderId, InteractionId, OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";

/** How long a browser may take from the answer to its gateway until it brings the handle: one redirect. */
export const handleMs = 60_000;

/**
 * A browser that was sent to the gateway of a JWT provider. There is one for an interaction: a browser that is sent there again may
 * not come back from before.
 */
export interface JwtLogin {
  readonly interactionId: InteractionId;
  readonly providerId: IdentityProviderId;
  /** That the provider belongs to. */
  readonly organizationId: OrganizationId;
  /** SHA-256 (base64url) of the `userAgentID` that the browser was sent with. */
  readonly userAgentHash: string;
  readonly expirationMs: number;
}

/** A person that a gateway has identified, until the browser of the interaction brings the handle. */
export interface BroughtIdentity {
  /** SHA-256 (base64url). */
  readonly handleHash: string;
  /** Encrypted: it is personal. */
  readonly identity: Sealed;
  /** The user that it is linked to, and is removed with; undefined: to nobody. */
  readonly userId: UserId | undefined;
  readonly expirationMs: number;
}
