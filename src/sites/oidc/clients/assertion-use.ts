import type { Database, WriteTransaction } from "../../../kernel/base/database.ts";
import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import { useAssertion } from "../../../identity/protocol-state/assertion-uses/repository.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";

type WrittenRequest = Pick<OAuthRequest, "makeSignal" | "assertion">;

/** Lists the uses of a request: of its assertion and of its proof, as far as it has them. */
export function toUses(...uses: readonly (AssertionUse | undefined)[]): readonly AssertionUse[] {
  return uses.filter((use) => use !== undefined);
}

/**
 * Runs the write of a request, in which its assertion and its proof are used. The use of an assertion stays even if the rest is
 * refused: an attacker that has seen a failed request cannot send it again. A proof is used only together with what the request
 * changes: anybody can make proofs, and must not make us write with requests that change nothing. Raises invalid_client if the
 * assertion was used before, and invalid_dpop_proof if the proof was.
 */
export async function writeWithUse<T extends object>(
  database: Pick<Database, "write">,
  { uses, request }: { readonly uses: readonly AssertionUse[]; readonly request: WrittenRequest },
  work: (tx: WriteTransaction) => Promise<T>,
): Promise<T> {
  const signal = request.makeSignal();
  const assertion = uses.find(({ kind }) => kind === "assertion");
  const proof = uses.find(({ kind }) => kind === "proof");
  const change = async (tx: WriteTransaction) => {
    if (proof !== undefined && !(await useAssertion(tx, proof))) throw usedBefore(proof);
    return await work(tx);
  };
  if (assertion === undefined) return await database.write(change, { signal });
  const outcome = await database.write<{ readonly result: T } | { readonly refusal: OAuthError }>(
    async (tx) => {
      if (!(await useAssertion(tx, assertion))) return { refusal: usedBefore(assertion) };
      try {
        return { result: await tx.nested(change) };
      } catch (error) {
        if (error instanceof OAuthError) return { refusal: error };
        throw error;
      }
    },
    { signal },
  );
  request.assertion.settle();
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

/** Returns the refusal of something that is good once. */
export function usedBefore({ kind }: AssertionUse): OAuthError {
  return kind === "assertion"
    ? new OAuthError("invalid_client", "the assertion was used before")
    : new OAuthError("invalid_dpop_proof", "the DPoP proof was used before");
}
