import { expect, test } from "@jest/globals";
import { readOpenFilesLimit, capConnections } from "../../src/config/open-files.ts";
import { parseConfig } from "../../src/config/config.ts";

const { limits } = parseConfig({ "max-connections": "1000" }, {});

test("connections leave 128 files for everything else", () => {
  expect(capConnections(limits, 1127).maxConnections).toBe(999);
  expect(capConnections(limits, 1128)).toEqual(limits);
  expect(capConnections(limits, 50).maxConnections).toBe(1);
});

test("where the system does not say how many files may be open, nothing is changed", () => {
  expect(capConnections(limits, undefined)).toBe(limits);
});

test("the limit of this process is read", () => {
  const limit = readOpenFilesLimit();
  expect(limit === undefined || limit > 20).toBe(true);
});
