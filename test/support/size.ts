/** As jest hands it over in the tier `long` (`.config/tiers.json`). */
const { testSize } = globalThis as { readonly testSize?: "full" };

/**
 * Chooses how much of a test runs. Files named `*.sized.test.ts` run small in `npm test`, so that each rule is held there
 * too, and in full in `npm run test:long`.
 */
export function sized<T>({ small, full }: { readonly small: T; readonly full: T }): T {
  return testSize === "full" ? full : small;
}

/** Chooses the rows of a table of tests that run small: every fourth, and those that are named. All of them run in full. */
export function someOf<Row extends readonly [name: string, ...unknown[]]>(
  rows: readonly Row[],
  always: readonly string[] = [],
): readonly Row[] {
  return sized({
    small: rows.filter(([name], index) => index % 4 === 0 || always.includes(name)),
    full: rows,
  });
}
