import { expect, test } from "@jest/globals";
import { systemRandom } from "../../../src/kernel/base/random.ts";

test.each([0, 1, 12, 4095, 4096, 4097, 20_000])("%d bytes are as many", (count) => {
  expect(systemRandom.bytes(count)).toHaveLength(count);
});

test.each([12, 4096, 20_000])("%d bytes are others each time", (count) => {
  expect(systemRandom.bytes(count)).not.toEqual(systemRandom.bytes(count));
});

test("what was drawn does not change with what is drawn later, nor the other way", () => {
  const drawn = Array.from({ length: 2000 }, () => systemRandom.bytes(16));
  const texts = drawn.map((bytes) => Buffer.from(bytes).toString("hex"));
  for (const bytes of drawn.slice(0, 1000)) bytes.fill(0);
  for (let count = 0; count < 1000; count++) systemRandom.bytes(16);
  expect(drawn.slice(1000).map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(texts.slice(1000));
  expect(new Set(texts).size).toBe(2000);
});

test("bytes hold no other memory than their own", () => {
  expect(systemRandom.bytes(16).buffer.byteLength).toBe(16);
});
