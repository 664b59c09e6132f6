import { createIdGenerator, type IdGenerator } from "../../src/base/ids.ts";
import type { FeatureContext } from "../../src/features/context.ts";

/** What commands are given, and ids for what a test records past them. */
export type TestContext = FeatureContext & { readonly ids: IdGenerator };

/** Adds ids after those that the database has given. */
export function withIds(context: FeatureContext): TestContext {
  const floorMs = Math.ceil(context.database.lastSequence() / 1000);
  return { ...context, ids: createIdGenerator({ ...context, floorMs }) };
}
