import { describe, expect, test } from "@jest/globals";
import { scanJson } from "../../../../src/sites/rpc/lanes/json/scan.ts";

const limits = { maxDepth: 5, maxValues: 10 };
const find = (text: string) => scanJson(text, limits)?.kind;

describe("a JSON text", () => {
  test("of as many values as are allowed has no more than these", () => {
    expect(find(`[${"0,".repeat(8)}0]`)).toBeUndefined();
    expect(find(`[${"0,".repeat(9)}0]`)).toBe("too-many");
    expect(find(`{${Array.from({ length: 10 }, (_, at) => `"${at}":0`).join()}}`)).toBe("too-many");
    expect(find(`[${"[],".repeat(9)}[]]`)).toBe("too-many");
    expect(find("[".repeat(4) + ",".repeat(9))).toBe("too-many");
  });

  test("of as many levels as are allowed has no more than these", () => {
    expect(find("[".repeat(5) + "]".repeat(5))).toBeUndefined();
    expect(find("[".repeat(6))).toBe("too-deep");
    expect(find('{"a":'.repeat(6))).toBe("too-deep");
  });
});
