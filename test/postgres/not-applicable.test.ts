import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const cases = JSON.parse(readFileSync(join(import.meta.dirname, "not-applicable.json"), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>; // reasons by the names of cases by files

test("the cases that are left out on PostgreSQL only become fewer, and each has a reason", () => {
  const reasons = Object.values(cases).flatMap((each) => Object.values(each));
  expect(reasons).toHaveLength(1);
  expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  expect(Object.keys(cases).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
