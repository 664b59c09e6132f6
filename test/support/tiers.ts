import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";

/** What a tier adds to the configuration of jest, in jest's words. */
interface Tier {
  readonly testMatch?: readonly string[];
  readonly testPathIgnorePatterns?: readonly string[];
  /** What it adds to that where tests run in full. */
  readonly full?: Omit<Tier, "full">;
}

const definitions = join(import.meta.dirname, "../../.config/tiers.json");

/** Every tier of the tests by its name, as `.tools/jest.mjs` reads them. */
export const tiers = JSON.parse(readFileSync(definitions, "utf8")) as Readonly<Record<string, Tier>>; // as it is written

/** Returns the names of the tiers that run a file of tests, such as `test/kernel/base/url.test.ts`, at any size. */
export function tiersOf(file: string): readonly string[] {
  return Object.entries(tiers)
    .filter(
      ([, tier]) => runs(tier, file) || (tier.full !== undefined && runs({ ...tier, ...tier.full }, file)),
    )
    .map(([name]) => name);
}

/** Says whether a tier runs a file. */
function runs({ testMatch, testPathIgnorePatterns = [] }: Tier, file: string): boolean {
  const path = `<rootDir>/${file}`;
  return (
    (testMatch?.some((glob) => matchesGlob(path, glob)) ?? true) &&
    !testPathIgnorePatterns.some((pattern) => new RegExp(pattern).test(path))
  );
}
