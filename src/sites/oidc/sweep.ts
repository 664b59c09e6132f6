import type { FeatureContext } from "../../features/context.ts";
import { deleteExpiredTokens } from "../../features/access-tokens/repository.ts";
import { deleteExpiredUses } from "../../features/assertion-uses/repository.ts";
import { deleteExpiredAuthorizations } from "../../features/authorizations/repository.ts";
import { deleteExpiredDevices } from "../../features/device-authorizations/repository.ts";
import { deleteAllExpired } from "../../features/delete-expired.ts";
import { deleteExpiredPushedRequests } from "../../features/pushed-requests/repository.ts";
import { deleteExpiredTries } from "../../features/tries/repository.ts";
import { deleteExpiredClientTries } from "./clients/repository.ts";
import { deleteExpiredCodes } from "./codes/repository.ts";

/**
 * Deletes what has expired: access tokens, notes of revoked ones, authorizations, codes and refresh tokens, devices that waited,
 * pushed requests, uses of assertions and proofs, counts of wrong tries.
 */
export async function sweepExpired(context: Pick<FeatureContext, "database" | "clock">): Promise<void> {
  await deleteAllExpired(context, [
    deleteExpiredTokens,
    deleteExpiredAuthorizations,
    deleteExpiredUses,
    deleteExpiredClientTries,
    deleteExpiredTries,
    deleteExpiredCodes,
    deleteExpiredDevices,
    deleteExpiredPushedRequests,
  ]);
}
