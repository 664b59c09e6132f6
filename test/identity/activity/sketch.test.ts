import { expect, test } from "@jest/globals";
import {
  addToSketch,
  countSketch,
  decodeSketch,
  encodeSketch,
  mergeSketch,
  type Sketch,
} from "../../../src/identity/activity/sketch.ts";

function sketchOf(first: number, count: number): Sketch {
  const sketch: Sketch = new Map();
  for (let id = first; id < first + count; id += 1) addToSketch(sketch, `119924698${696_331_000 + id}`);
  return sketch;
}

test.each([
  [0, 0],
  [1, 0],
  [12, 0],
  [300, 2],
  [20_000, 400],
  [60_000, 1200],
])("counts %i users, wrong by %i at most, and reads what it has stored", (count, error) => {
  const sketch = sketchOf(0, count);
  expect(Math.abs(countSketch(sketch) - count)).toBeLessThanOrEqual(error);
  const stored = encodeSketch(sketch);
  expect(stored.length).toBeLessThanOrEqual(16_384);
  expect(new Map([...decodeSketch(stored)].toSorted(([a], [b]) => a - b))).toEqual(
    new Map([...sketch].toSorted(([a], [b]) => a - b)),
  );
});

test("counts a user once, however often and in how many sketches they are", () => {
  const all = sketchOf(0, 100);
  mergeSketch(all, sketchOf(50, 100));
  mergeSketch(all, sketchOf(0, 150));
  expect(Math.abs(countSketch(all) - 150)).toBeLessThanOrEqual(2);
});
