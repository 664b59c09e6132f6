import type { ShownGiftPayload } from "../../../kernel/events/authorization-payloads.ts";
import { apiAudience } from "../access-tokens/access-token.ts";

/** What an application may learn about a user, in the order in which a page names it. */
export const giftClaims = [
  "identity",
  "profile",
  "email",
  "phone",
  "roles",
  "other-roles",
  "organization",
] as const;

/** One of them. `other-roles`: those in the projects that the tokens are for besides the application's own. */
export type GiftClaim = (typeof giftClaims)[number];

/** What an application is given when a user logs in to it, as far as a page asks for it. */
export interface Gift {
  /** Each once, in the order of `giftClaims`. */
  readonly claims: readonly GiftClaim[];
  /** Keys of the metadata of the user, each once. */
  readonly metadata: readonly string[];
  /** The audience of the tokens besides the application and its project: ids of projects and of APIs, and our own API. */
  readonly audiences: readonly string[];
  /** What it may do at APIs, as `toConfirmedScope` names it. */
  readonly apiScopes: readonly string[];
  /** Whether all of it is given later, too, while the user is away. */
  readonly offlineAccess: boolean;
}

/** Why an authorization was given without a page at that moment: the user has confirmed this gift, or a grant connects them. */
export type Consent =
  | { readonly kind: "confirmation"; readonly gift: Gift }
  | { readonly kind: "connection" };

/** Says whether all of the gift is part of another one. Nothing is part of none. */
export function isCovered(gift: Gift, by: Gift | undefined): boolean {
  if (by === undefined) return false;
  const { claims, metadata, audiences, apiScopes, offlineAccess } = findUncovered(gift, by);
  return [claims, metadata, audiences, apiScopes].every((part) => part.length === 0) && !offlineAccess;
}

/** Returns the part of the gift that the other one does not hold. */
export function findUncovered(gift: Gift, by: Gift): Gift {
  return {
    claims: gift.claims.filter((claim) => !by.claims.includes(claim)),
    metadata: gift.metadata.filter((key) => !by.metadata.includes(key)),
    audiences: gift.audiences.filter((id) => !by.audiences.includes(id)),
    apiScopes: gift.apiScopes.filter((scope) => !by.apiScopes.includes(scope)),
    offlineAccess: gift.offlineAccess && !by.offlineAccess,
  };
}

/** Returns both gifts as one. */
export function joinGifts(first: Gift, second: Gift): Gift {
  return {
    claims: giftClaims.filter((claim) => first.claims.includes(claim) || second.claims.includes(claim)),
    metadata: [...new Set([...first.metadata, ...second.metadata])],
    audiences: [...new Set([...first.audiences, ...second.audiences])],
    apiScopes: [...new Set([...first.apiScopes, ...second.apiScopes])],
    offlineAccess: first.offlineAccess || second.offlineAccess,
  };
}

/** Lists the projects, and the APIs of projects, besides that of the application that take the tokens. */
export function listProjectsOf({ audiences }: Pick<Gift, "audiences">): readonly string[] {
  return audiences.filter((id) => id !== apiAudience);
}

/** Names a scope of an API in a gift: two APIs may mean something else by the same word. */
export function toConfirmedScope(api: { readonly id: string }, name: string): string {
  return `${api.id} ${name}`;
}

/** A key of metadata stands among the claims of a record, behind this. */
const metadataPrefix = "metadata:";

/** Converts a gift to its record. */
export function toGiftRecord({
  claims,
  metadata,
  audiences,
  apiScopes,
  offlineAccess,
}: Gift): ShownGiftPayload {
  return {
    claims: [...claims, ...metadata.map((key) => `${metadataPrefix}${key}`)],
    audiences,
    api_scopes: apiScopes,
    offline_access: offlineAccess,
  };
}

/** Reads a record. Claims that there are not any more are left out. */
export function fromGiftRecord(record: ShownGiftPayload): Gift {
  return {
    claims: giftClaims.filter((claim) => record.claims.includes(claim)),
    metadata: record.claims.flatMap((claim) =>
      claim.startsWith(metadataPrefix) ? [claim.slice(metadataPrefix.length)] : [],
    ),
    audiences: record.audiences,
    apiScopes: record.api_scopes,
    offlineAccess: record.offline_access,
  };
}
