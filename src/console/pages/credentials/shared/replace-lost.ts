import { readProblem } from "../../../api/call-problem.ts";

/** How a credential whose secret was lost is replaced. */
export interface Replacement {
  /** Removes the one that was made. */
  remove(): Promise<unknown>;
  /** Adds another one; a repeat with the same key adds nothing. */
  add(key: string): Promise<unknown>;
}

/**
 * Puts another credential in the place of one whose secret was lost. `key` stays the same until an answer came, so that a repeat of what
 * was done already, whose answer was lost, neither fails at the removal nor leaves a credential that nobody knows of.
 */
export async function replaceLost({ remove, add }: Replacement, key: { current: string }): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (readProblem(error).reason !== "NOT_FOUND") throw error;
  }
  await add(key.current);
  key.current = crypto.randomUUID();
}
