import { expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { threats } from "./threats.ts";

const topics = [
  "Across tenants",
  "Every rpc has an access rule",
  "Guessing codes",
  "Grants",
  "URLs that callers give",
  "XML",
  "WebAuthn",
  "JSON and protobuf",
  "HTTP",
  "Secrets",
  "Page tokens and search text",
  "Storage",
];

test("every topic of the threats is in the table", () => {
  expect([...new Set(threats.map(({ topic }) => topic))]).toEqual(topics);
});

test.each(threats.flatMap(({ threat, files }) => files.map((file) => [threat, file] as const)))(
  "%s: %s is there",
  (_threat, file) => {
    expect(existsSync(join(import.meta.dirname, "..", file))).toBe(true);
  },
);

test("no more than these are without a test", () => {
  const missing = threats.filter(({ files }) => files.length === 0);
  expect(missing.map(({ topic }) => topic)).toEqual(["Grants"]);
});
