import { Problem } from "../../kernel/base/problem.ts";
import type { Fault } from "./account-page.ts";
import type { AccountTexts, FaultReason } from "./texts/texts.ts";

/**
 * Does what a form asks for. Returns the fault if the user can do something about it; raises any
 * other problem.
 */
export async function tryChange(
  { words }: { readonly words: AccountTexts },
  work: () => Promise<unknown>,
): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const reason = error instanceof Problem ? findReason(words, error.reason) : undefined;
    if (!(error instanceof Problem) || reason === undefined) throw error;
    return { problem: words.faults[reason], retryAfterMs: error.retryAfterMs };
  }
}

function findReason(words: AccountTexts, reason: string): FaultReason | undefined {
  return Object.hasOwn(words.faults, reason) ? (reason as FaultReason) : undefined; // a key of the record
}
