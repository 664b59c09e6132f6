import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { decodeBase64 } from "../../../src/kernel/xml/base64.ts";

test("bytes come back, with white space between", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(decodeBase64(text)).toEqual(Buffer.from(bytes));
      expect(decodeBase64(` ${text.replaceAll(/(.{3})/g, "$1\r\n\t")} `)).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  "YQ",
  "YQ=",
  "YQ===",
  "YR==",
  "YWJ=",
  "YQ==YQ==",
  "Y===",
  "=",
  "====",
  "_-8=",
  "Y.Q=",
  "YQ=\u00a0=",
  "YQ&=",
])("%j is refused", (text) => {
  expect(decodeBase64(text)).toBeUndefined();
});
