import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Gift, GiftClaim } from "../logins/authorizations/gift.ts";
import { type ClaimMapping, scopeOfField } from "./claim-mapping.ts";
import { listKeysInReach } from "./sharing-repository.ts";

/** What mappings give of a user, as a page names it. */
export type MappedGift = Pick<Gift, "claims" | "metadata">;

/** Lists what mappings give of a user. What is of the organization of the application, or constant, is nothing of the user. */
export async function listMappedGift(
  tx: ReadTransaction,
  mappings: readonly ClaimMapping[],
  place: {
    /** The organization of the user. */
    readonly homeId: string;
    /** The organization that owns the project. */
    readonly ownerId: string;
  },
): Promise<MappedGift> {
  const keys = mappings.flatMap(({ source, key }) => (source === "USER_METADATA" ? [key] : []));
  const metadata = await listKeysInReach(tx, [...new Set(keys)].toSorted(), place);
  return { claims: [...new Set(mappings.flatMap((mapping) => toGiftClaim(mapping) ?? []))], metadata };
}

/** Says whether a gift holds what a mapping gives. `hasRoles`: it holds the roles in the project of the application. */
export function isMappingGiven(
  mapping: ClaimMapping,
  { claims, metadata }: MappedGift,
  hasRoles: boolean,
): boolean {
  if (mapping.source === "USER_METADATA") return metadata.includes(mapping.key);
  const claim = toGiftClaim(mapping);
  return claim === undefined || (claim === "roles" ? hasRoles : claims.includes(claim));
}

function toGiftClaim({ source, profileField }: ClaimMapping): GiftClaim | undefined {
  if (source === "ROLES" || source === "GROUPS") return "roles";
  return profileField && scopeOfField[profileField];
}
