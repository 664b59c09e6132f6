import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toRoomTable } from "./map.ts";

const root = join(import.meta.dirname, "../..");
const source = join(root, "src");
const pages = ["src/README.md", "src/CONVENTIONS.md"] as const;
const [map, conventions] = pages.map((page) => readFileSync(join(root, page), "utf8")) as [string, string]; // two pages

test("src/README.md shows the rooms and imports that the tests enforce; npm run gen writes them", () => {
  const shown = /<!-- rooms:[^>]*-->\n(?<table>[^]*?)<!-- \/rooms -->/.exec(map)?.groups?.["table"];
  expect(shown?.trim()).toBe(toRoomTable());
});

test.each([
  ["src/README.md", map],
  ["src/CONVENTIONS.md", conventions],
])("%s names files that exist", (_page, text) => {
  const names = [...text.matchAll(/`(?<name>[\w./-]+\.(?:ts|mjs|sql|md|proto))`/g)].map(
    ({ groups }) => groups?.["name"] ?? "",
  );
  const paths = names.filter((name) => name.includes("/"));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => ![source, root].some((folder) => existsSync(join(folder, path))))).toEqual(
    [],
  );
});
