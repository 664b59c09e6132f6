import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLogOutput } from "../../../../src/kernel/base/logging/log-output.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

let temporary: ReturnType<typeof makeTemporaryFolder>;
let file: string;

beforeEach(() => {
  temporary = makeTemporaryFolder();
  file = join(temporary.path, "log");
});

afterEach(() => temporary.remove());

describe("createLogOutput", () => {
  test("writes each line at once", () => {
    const descriptor = openSync(file, "w");
    const output = createLogOutput(descriptor);
    output.write("first ü\n");
    expect(readFileSync(file, "utf8")).toBe("first ü\n");
    output.write("second\n");
    expect(readFileSync(file, "utf8")).toBe("first ü\nsecond\n");
    closeSync(descriptor);
  });

  test("drops what cannot be written, and says afterwards how many lines that were", () => {
    const descriptor = openSync(file, "w");
    const output = createLogOutput(descriptor);
    closeSync(descriptor); // as if the disk were full
    for (const line of ["a\n", "b\n", "c\n"]) output.write(line);
    expect(openSync(file, "w")).toBe(descriptor); // the lowest number that is free
    output.write("d\n");
    output.write("e\n");
    expect(readFileSync(file, "utf8")).toBe('d\n{"level":40,"lines":3,"msg":"log.lines_lost"}\ne\n');
    closeSync(descriptor);
  });
});
