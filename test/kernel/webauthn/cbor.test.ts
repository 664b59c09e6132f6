import { describe, expect, test } from "@jest/globals";
import { readCbor } from "../../../src/kernel/webauthn/cbor.ts";

const endOf = (hex: string, start = 0) => readCbor(Buffer.from(hex, "hex"), start)?.end;

// Most are from RFC 8949 appendix A.
describe("a CBOR item ends", () => {
  test.each([
    ["00", 1],
    ["17", 1],
    ["1818", 2],
    ["1903e8", 3],
    ["1a000f4240", 5],
    ["1b000000e8d4a51000", 9],
    ["3903e7", 3],
    ["f4", 1],
    ["f6", 1],
    ["fb3ff199999999999a", 9],
    ["f90000", 3],
    ["40", 1],
    ["4401020304", 5],
    ["6449455446", 5],
    ["80", 1],
    ["8301820203820405", 8],
    ["a201020304", 5],
    ["a26161016162820203", 9],
    ["0000", 1],
  ])("%s after %s bytes", (hex, end) => {
    expect(endOf(hex)).toBe(end);
  });

  test("where it ends when it starts later", () => {
    expect(endOf("ffff4401020304ff", 2)).toBe(7);
  });
});

test.each<[string, unknown]>([
  ["1903e8", 1000],
  ["3903e7", -1000],
  ["4401020304", Buffer.of(1, 2, 3, 4)],
  ["6449455446", "IETF"],
  ["8301820203820405", [1, [2, 3], [4, 5]]],
  [
    "a26161012002",
    new Map<unknown, unknown>([
      ["a", 1],
      [-1, 2],
    ]),
  ],
  ["83f4f5f6", [false, true, null]],
  ["f7", undefined],
])("%s means %p", (hex, value) => {
  expect(readCbor(Buffer.from(hex, "hex"), 0)?.value).toEqual(value);
});

describe("is not well-formed or not canonical", () => {
  test.each([
    ["nothing", ""],
    ["a head that is cut", "19 03"],
    ["bytes that are cut", "44 010203"],
    ["an array that is cut", "83 0102"],
    ["a map without its last value", "a2 010203"],
    ["a number in more bytes than needed, 1", "1817"],
    ["a number in more bytes than needed, 2", "1900ff"],
    ["a number in more bytes than needed, 4", "1a0000ffff"],
    ["a number in more bytes than needed, 8", "1b00000000ffffffff"],
    ["a length in more bytes than needed", "590003010203"],
    ["a length beyond all bytes", "5bffffffffffffffff"],
    ["indefinite bytes", "5f42010243030405ff"],
    ["an indefinite array", "9f01ff"],
    ["an indefinite map", "bf0101ff"],
    ["a break", "ff"],
    ["a reserved length", "1c"],
    ["a tag", "c074323031332d30332d32315432303a30343a30305a"],
    ["a simple value", "f0"],
    ["a simple value in two bytes", "f8ff"],
    ["a map with a key twice", "a2 0101 0102"],
    ["a map with bytes as a key", "a1 4101 02"],
    ["a map with an array as a key", "a1 80 02"],
    ["a text that is not UTF-8", "61 ff"],
    ["nine arrays in each other", "81".repeat(9) + "00"],
    ["more than 10,000 items", `992710${"00".repeat(10_000)}`],
  ])("%s", (_name, hex) => {
    expect(endOf(hex.replaceAll(" ", ""))).toBeUndefined();
  });

  test("but eight arrays in each other and 10,000 items in all are", () => {
    expect(endOf(`${"81".repeat(8)}00`)).toBe(9);
    expect(endOf(`99270f${"00".repeat(9999)}`)).toBe(10_002);
  });
});
