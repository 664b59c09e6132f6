import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

test.each(["not-applicable", "not-with-two"])(
  "the cases of %s only become fewer, and each has a reason",
  (list) => {
    const cases = JSON.parse(readFileSync(join(import.meta.dirname, `${list}.json`), "utf8")) as Readonly<
      Record<string, Readonly<Record<string, string>>>
    >; // reasons by the names of cases by files
    const reasons = Object.values(cases).flatMap((each) => Object.values(each));
    expect(reasons).toHaveLength(1);
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
    expect(Object.keys(cases).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  },
);
