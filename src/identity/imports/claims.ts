import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import {
  type ClaimMapping,
  isOfMetadata,
  replaceMappings,
  toMappingPayload,
} from "../claim-mappings/claim-mapping.ts";
import type { FeatureContext } from "../context.ts";
import { listInstanceOwners } from "../held-roles/repository.ts";

/** What an application of another system told beside the standard claims. */
export interface KeptClaims {
  /** Of the application here. */
  readonly id: string;
  /** Each fits, and their names differ. */
  readonly claims: readonly ClaimMapping[];
}

/**
 * Gives a new application its claims. Somebody who may read metadata has to answer for claims of them: the oldest administrator of the
 * instance. Returns the id of that user; undefined if no claim needs one, or there is none, so that these claims are not told.
 */
export async function keepClaims(
  { log }: Pick<FeatureContext, "log">,
  tx: WriteTransaction,
  { id, claims, organizationId }: KeptClaims & { readonly organizationId: OrganizationId },
): Promise<string | undefined> {
  const author = claims.some(isOfMetadata) ? (await listInstanceOwners(tx))[0]?.userId : undefined;
  const { next } = replaceMappings([], claims, author ?? "");
  await log.append(tx, { editor: "system", remoteAddress: undefined, requestId: "import" }, [
    {
      type: "application.claims.set",
      aggregateId: id,
      resourceOwner: organizationId,
      payload: { mappings: next.map(toMappingPayload) },
    },
  ]);
  return author;
}
