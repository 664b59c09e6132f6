/** As jest hands it over in the tier `long` (`.config/tiers.json`). */
const { testSize } = globalThis as { readonly testSize?: "full" };

/**
 * Chooses how much of a test runs. Files named `*.sized.test.ts` run small in `npm test`, so that each rule is held there
 * too, and in full in `npm run test:long`.
 */
export function sized<T>({ small, full }: { readonly small: T; readonly full: T }): T {
  return testSize === "full" ? full : small;
}
