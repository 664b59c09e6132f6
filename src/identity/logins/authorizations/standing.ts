import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { findConfirmedGift } from "./confirmation-repository.ts";
import { type Consent, type Gift, isCovered, listProjectsOf } from "./gift.ts";
import { isConnected } from "../../user-grants/effective-role-repository.ts";

/** A user, and an application that they log in to. */
export interface ConsentParties {
  readonly userId: string;
  /** The organization of the user. */
  readonly homeId: string;
  readonly applicationId: string;
  readonly projectId: string;
  /** The organization that owns the project. */
  readonly ownerId: string;
  /** Whether nobody has created the application: its users are asked at each login. */
  readonly isExternal: boolean;
}

/** Why nothing has to be asked. `home`: the application is of the user's organization, and its tokens are for nobody else. */
export type ConsentStanding = Consent | { readonly kind: "home" };

/**
 * Finds out why the user does not have to be asked for the gift at this instant. Undefined: a page has to ask. A project besides that of
 * the application always takes a page, also in the user's own organization, and so does an external client.
 */
export async function findConsentStanding(
  tx: ReadTransaction,
  parties: ConsentParties,
  gift: Gift,
): Promise<ConsentStanding | undefined> {
  if (parties.isExternal) return undefined;
  if (listProjectsOf(gift).length === 0) {
    if (parties.homeId === parties.ownerId) return { kind: "home" };
    if (await isConnected(tx, parties)) return { kind: "connection" };
  }
  const confirmed = await findConfirmedGift(tx, parties.userId, parties.applicationId);
  return isCovered(gift, confirmed) ? { kind: "confirmation", gift } : undefined;
}
