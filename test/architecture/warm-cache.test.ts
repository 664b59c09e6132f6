import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const callsIn = (file: string) =>
  readFileSync(join(root, file), "utf8").match(/^setFlagsFromString\(.*\);$/gm);

test("code is compiled ahead under the flags of the service: V8 takes no other", () => {
  expect(callsIn("src/main.ts")).toHaveLength(2);
  expect(callsIn(".tools/warm-cache.mjs")).toEqual(callsIn("src/main.ts"));
});
