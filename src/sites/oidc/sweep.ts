import type { FeatureContext } from "../../identity/context.ts";
import { deleteExpiredTokens } from "../../identity/logins/access-tokens/repository.ts";
import { deleteExpiredUses } from "../../identity/protocol-state/assertion-uses/repository.ts";
import { deleteExpiredAuthorizations } from "../../identity/logins/authorizations/repository.ts";
import { deleteExpiredDevices } from "../../identity/protocol-state/device-authorizations/repository.ts";
import { deleteAllExpired } from "../../identity/delete-expired.ts";
import { deleteExpiredPushedRequests } from "../../identity/protocol-state/pushed-requests/repository.ts";
import { deleteExpiredTries } from "../../identity/logins/tries/repository.ts";
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
