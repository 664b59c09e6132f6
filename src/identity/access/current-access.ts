import type { Database, TableWatch } from "../../kernel/base/database.ts";

/**
 * Does work that depends on tokens and roles, such as a read with its authorization, and returns its result. The work is done
 * with what this process knows. Meanwhile the process learns what others have committed; if they have changed tokens or roles,
 * the work is done again, and only that result counts, a refusal too. So the result is never older than the call: a token that
 * another process has removed is refused, and a role that it has given is in force. Fails if that cannot be learned. The work
 * must be harmless to repeat.
 */
export type CurrentAccess = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates it on a watch of the tables that decide about access. A process that is alone has nothing to learn. */
export function createCurrentAccess(
  database: Pick<Database, "refresh">,
  watch: Pick<TableWatch, "committed">,
): CurrentAccess {
  const workAndCompare = async <T>(
    work: () => Promise<T>,
    { seenAt, refreshed }: { readonly seenAt: number; readonly refreshed: Promise<void> },
  ) => {
    // Both begin in the same turn of the event loop, so that the first read of the work costs no further round trip.
    const [first] = await Promise.all([settle(work()), refreshed]);
    if (watch.committed() !== seenAt) return await work();
    if ("error" in first) throw first.error;
    return first.value;
  };
  return (work) => {
    const seenAt = watch.committed();
    const refreshed = database.refresh();
    return refreshed === undefined ? work() : workAndCompare(work, { seenAt, refreshed });
  };
}

/** Waits for the work without failing. */
async function settle<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
}
