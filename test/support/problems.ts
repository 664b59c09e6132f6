import { Problem } from "../../src/kernel/base/problem.ts";

/** Returns the Problem that the work ends with; throws when it ends with none. */
export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const outcome: unknown = await work.then(
    () => "no problem",
    (error: unknown) => error,
  );
  if (outcome instanceof Problem) return outcome;
  throw new Error("ended without a problem", { cause: outcome });
}

/** Returns the reason of the Problem that the function throws. */
export function reasonOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    if (error instanceof Problem) return error.reason;
    throw error;
  }
  return "no problem";
}

/** Returns the reason that the work ends with, `ok` when it succeeds. */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "ok",
    (error: unknown) => {
      if (error instanceof Problem) return error.reason;
      throw error;
    },
  );
}

/** Returns how long a limit makes the caller of the function wait, undefined when it lets them go on. */
export function retryAfterOf(fn: () => unknown): number | undefined {
  try {
    fn();
  } catch (error) {
    if (error instanceof Problem && error.reason === "RATE_LIMITED") return error.retryAfterMs;
    throw error;
  }
  return undefined;
}
