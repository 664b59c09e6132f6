import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { scanJson } from "../../../../src/sites/rpc/lanes/json/scan.ts";
import { anyCharacter } from "../../../support/any-character.ts";

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

const key = fc.oneof(fc.constantFrom("text", "__proto__"), fc.string({ unit: anyCharacter, maxLength: 4 }));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1.5, 2 ** 53, 1e308),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.double({ noNaN: true }),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(key, tie("any"), { maxKeys: 4 }),
  ),
})).any;
const object = fc.dictionary(key, value, { maxKeys: 5 });
const large = { maxDepth: 100, maxValues: 10_000 };

test("the scan finds nothing in what JSON.stringify wrote, and a key twice wherever it is", () => {
  fc.assert(
    fc.property(object, (json) => {
      const text = JSON.stringify(json);
      expect(scanJson(text, large)?.kind ?? "none").toMatch(/^(none|inexact-integer)$/);
      for (const name of Object.keys(json).slice(0, 1)) {
        const twice = `${text.slice(0, -1)},${JSON.stringify(name)}:0}`;
        expect(scanJson(twice, large)?.kind).toMatch(/^(duplicate-key|inexact-integer)$/);
      }
    }),
  );
});

test("the scan is linear in what looks like numbers and in escapes, and sees quotes behind them", () => {
  const linear = { ...large, maxValues: 1e9 };
  const started = process.cpuUsage(); // whatever else the machine does meanwhile
  for (const unit of ["\\\\", '\\"']) expect(scanJson(`{"a":"${unit.repeat(1e6)}"}`, linear)).toBeUndefined();
  expect(scanJson(`{"a":0${"-0".repeat(4e6)}}`, linear)).toBeUndefined();
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(500);
  for (const spelled of ["a\\\\", '\\"', '\\\\\\"', ""])
    expect(scanJson(`{"${spelled}":0,"${spelled}":0}`, large)?.kind).toBe("duplicate-key");
});

test("the scan refuses more values than the limit, and integers beyond 2^53 however they are written", () => {
  const kindOf = (text: string) => scanJson(text, large)?.kind;
  expect(kindOf(JSON.stringify(Array.from({ length: 9998 }, () => 0)))).toBeUndefined();
  expect(kindOf(JSON.stringify(Array.from({ length: 10_001 }, () => 0)))).toBe("too-many");
  for (const text of [
    "9007199254740993",
    "9007199254740993.0",
    "-9007199254740993e0",
    "9007199254740993.00E+0",
  ]) {
    expect(kindOf(`{"a":${text}}`)).toBe("inexact-integer");
  }
  for (const text of ["9007199254740992", "1.5", "1e300", "-0.0"])
    expect(kindOf(`{"a":${text}}`)).toBeUndefined();
});
