import { generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "@jest/globals";
import { isDerSignature } from "../../../src/kernel/webauthn/der-signature.ts";

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));

test("takes what a signer writes, whatever the lengths of its numbers", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signatures = Array.from({ length: 200 }, (_, index) => sign("sha256", Buffer.of(index), privateKey));
  expect(signatures.filter((signature) => !isDerSignature(signature))).toEqual([]);
  expect(isDerSignature(hex("30 06 02 01 01 02 01 7f"))).toBe(true);
  expect(isDerSignature(hex("30 07 02 02 00 80 02 01 7f"))).toBe(true);
});

test.each([
  ["nothing", ""],
  ["another tag", "31 06 02 01 01 02 01 7f"],
  ["a tag that is not universal", "b0 06 02 01 01 02 01 7f"],
  ["a length that is too short", "30 05 02 01 01 02 01 7f"],
  ["a length that is too long", "30 07 02 01 01 02 01 7f"],
  ["a length in two bytes", "30 81 06 02 01 01 02 01 7f"],
  ["a byte behind", "30 06 02 01 01 02 01 7f 00"],
  ["a byte behind, inside", "30 07 02 01 01 02 01 7f 00"],
  ["one number", "30 03 02 01 01"],
  ["three numbers", "30 09 02 01 01 02 01 01 02 01 01"],
  ["a number of no bytes", "30 05 02 00 02 01 7f"],
  ["a number that ends outside", "30 06 02 01 01 02 02 7f"],
  ["a number of another type", "30 06 02 01 01 04 01 7f"],
  ["a negative number", "30 06 02 01 01 02 01 80"],
  ["a number with a zero too many", "30 07 02 02 00 7f 02 01 7f"],
  ["zero", "30 06 02 01 00 02 01 7f"],
])("refuses %s", (_name, bytes) => {
  expect(isDerSignature(hex(bytes))).toBe(false);
});
