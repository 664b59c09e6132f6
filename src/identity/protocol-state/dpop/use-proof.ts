import type { Database, WriteOptions } from "../../../kernel/base/database.ts";
import type { AssertionUse } from "../assertion-uses/assertion-use.ts";
import { useAssertion } from "../assertion-uses/repository.ts";

/**
 * Uses up the proof of a request that writes nothing else, or writes later, in a write of its own. Returns the fault of a proof that
 * was used before, by whatever process; undefined for the first use. Do it only for a token that holds: nobody else makes us write.
 */
export async function useProof(
  database: Pick<Database, "write">,
  use: AssertionUse,
  options: WriteOptions,
): Promise<string | undefined> {
  const isFirst = await database.write((tx) => useAssertion(tx, use), options);
  return isFirst ? undefined : "the DPoP proof was used before";
}
