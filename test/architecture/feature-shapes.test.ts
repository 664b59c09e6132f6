import { posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type FeatureShape, roles } from "./feature-shape.ts";
import { featureShapes } from "./feature-shapes.ts";
import { placeOfRoom, roomOf } from "./import-table.ts";
import { readSourceFiles } from "./source-files.ts";

const root = placeOfRoom.features;
const folders = Map.groupBy(
  readSourceFiles().filter(({ path }) => roomOf(path) === "features" && posix.dirname(path) !== root),
  ({ path }) => posix.dirname(path),
);

describe("a folder of features", () => {
  test("is in the table, and the table names no other", () => {
    expect([...folders.keys()].toSorted()).toEqual(Object.keys(featureShapes).toSorted());
  });

  test.each(Object.entries(featureShapes))(
    "has the four files, and others with a reason: %s",
    (folder, shape) => {
      const held = (folders.get(folder) ?? []).map(({ path }) => posix.basename(path));
      expect(held.toSorted()).toEqual(filesOf(shape).toSorted());
    },
  );

  test("gives each exception a reason", () => {
    const reasons = Object.values(featureShapes).flatMap((shape) =>
      Object.values({ ...shape.without, ...shape.also }),
    );
    expect(reasons.length).toBeGreaterThan(20);
    expect(reasons.filter((reason) => reason.trim() === "")).toEqual([]);
  });
});

function filesOf({ noun, without = {}, also = {} }: FeatureShape): readonly string[] {
  const kept = roles.filter((role) => !Object.hasOwn(without, role));
  return [...kept.map((role) => role.replace("<noun>", noun)), ...Object.keys(also)];
}
