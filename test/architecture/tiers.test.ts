import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tiers, tiersOf } from "../support/tiers.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);

const isSized = (file: string) => file.endsWith(".sized.test.ts");
/** What `npm test` leaves to `npm run test:rules`, besides files that have a size, and large cases. */
const isLeft = (file: string) =>
  isSized(file) ||
  /^test\/(kernel\/events\/frozen|sites\/(oidc\/openid-client|saml\/node-saml)|sequences)\//.test(file);
const scriptOf = (tier: string) => (tier === "fast" ? "test" : `test:${tier}`);

test("every file of tests is in one tier, but for those that run on PostgreSQL or as two processes, too", () => {
  expect(files.length).toBeGreaterThan(200);
  const wrong = files.filter((file) => {
    const all = tiersOf(file).filter((tier) => tier !== "workers-pair");
    // What runs on any engine is in a tier of PostgreSQL as well, and the tier `rules` has what `npm test` has.
    const others = all.filter((tier) => !["postgres", "postgres-pair"].includes(tier));
    const [first, ...more] = all.length === 1 ? all : others;
    const expected = first === "fast" ? ["rules"] : [];
    return (
      first === undefined || more.join(" ") !== expected.join(" ") || (first === "rules" && !isLeft(file))
    );
  });
  expect(wrong).toEqual([]);
});

test("of the files of `npm run test:rules`, those named so ask for a size, and no other does", () => {
  const wrong = files
    .filter((file) => tiersOf(file).includes("rules"))
    .filter((file) => /\b(sized|someOf|lanesAt)[(<]/.test(read(file)) !== isSized(file));
  expect(wrong).toEqual([]);
});

describe.each(Object.keys(tiers))("the tier %s", (tier) => {
  test("has tests", () => {
    expect(files.filter((file) => tiersOf(file).includes(tier))).not.toEqual([]);
  });

  test("has a script, which .ci/run or .ci/all runs", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts[scriptOf(tier)]).toBe(`exec node .tools/jest.mjs ${tier}`);
    // `npm test` is in the tier `rules`, and `npm run check` runs its own.
    if (tier === "fast" || tier === "check") return;
    expect(`${read(".ci/run")}${read(".ci/all")}`).toMatch(
      new RegExp(`^ *(suite|run) ${scriptOf(tier)} `, "m"),
    );
  });
});
