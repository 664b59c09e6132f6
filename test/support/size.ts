/** As `.tools/jest.mjs` hands it over with `--full`; `least` in `npm test`. */
const { testSize } = globalThis as { readonly testSize?: "full" | "small" | "least" };

/** Whether this is `npm test`, which leaves to `.ci/run` what takes long. */
export const isLeast = testSize === "least";

/**
 * Chooses how much of a test runs: little in `.ci/run`, where each rule must still be held, and all of it in `npm run test:all`.
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
