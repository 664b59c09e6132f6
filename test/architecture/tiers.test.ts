import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tiers, tiersOf } from "../support/tiers.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);

const scriptOf = (tier: string) => (tier === "fast" ? "test" : `test:${tier}`);

test("every file of tests is in one tier, but for those that have a size or run on PostgreSQL too", () => {
  expect(files.length).toBeGreaterThan(200);
  const wrong = files.filter((file) => {
    const all = tiersOf(file);
    // What runs on any engine is in a tier of PostgreSQL as well.
    const others = all.filter((tier) => !["postgres", "postgres-pair"].includes(tier));
    const [first, second, ...more] = all.length === 1 ? all : others;
    const further = file.endsWith(".sized.test.ts") ? "long" : undefined;
    return first === undefined || first === "long" || second !== further || more.length > 0;
  });
  expect(wrong).toEqual([]);
});

test("only files of tests that have a size ask for it, and all of them do", () => {
  const wrong = files.filter(
    (file) => /\b(sized|someOf|lanesAt)[(<]/.test(read(file)) !== file.endsWith(".sized.test.ts"),
  );
  expect(wrong).toEqual([]);
});

describe.each(Object.keys(tiers))("the tier %s", (tier) => {
  test("has tests", () => {
    expect(files.filter((file) => tiersOf(file).includes(tier))).not.toEqual([]);
  });

  test("has a script, which .ci/run runs", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts[scriptOf(tier)]).toBe(`exec node .tools/jest.mjs ${tier}`);
    expect(read(".ci/run")).toMatch(new RegExp(`^ *(?:[A-Z_]+=\\d+ )*(suite|run) ${scriptOf(tier)} `, "m"));
  });
});
