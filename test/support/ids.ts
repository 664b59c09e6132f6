import { createIdGenerator, type IdGenerator } from "../../src/kernel/base/ids.ts";
import type { FeatureContext } from "../../src/identity/context.ts";

/** What commands are given, and ids for what a test records past them. */
export type TestContext = FeatureContext & { readonly ids: IdGenerator };

/** The database draws from the ids of each millisecond, and the clock of a test stands: two who draw from the same ones meet. */
const aheadMs = 365 * 86_400_000;

/** Adds ids that the database does not give, however many a test asks for while its clock stands. */
export function withIds(context: FeatureContext): TestContext {
  const latestMs = Math.max(Math.ceil(context.database.lastSequence() / 1000), context.clock.nowMs());
  const floorMs = latestMs + aheadMs;
  return { ...context, ids: createIdGenerator({ ...context, floorMs }) };
}
