import { beforeAll, afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { requireProgram } from "./support/images.ts";

// The unit of docs/operate/systemd, as systemd judges it.

const analyzer = "/usr/bin/systemd-analyze";
const unit = readFileSync(join(import.meta.dirname, "../../docs/operate/systemd/gatehouse.service"), "utf8");

let temporary: ReturnType<typeof makeTemporaryFolder>;
beforeAll(() => {
  requireProgram(analyzer, "systemd");
  temporary = makeTemporaryFolder();
});
afterAll(() => temporary.remove());

/** Asks about the unit, or another one, with a program that is there. */
function analyze(args: readonly string[], text = unit) {
  const file = join(temporary.path, "gatehouse.service");
  writeFileSync(file, text.replace("/usr/local/bin/gatehouse ", "/bin/true "));
  return spawnSync(analyzer, [...args, file], { encoding: "utf8" });
}

test("systemd finds no fault in the unit", () => {
  const { status, stderr } = analyze(["verify"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(analyze(["verify"], unit.replace("ProtectHome=", "ProtectHomes=")).stderr).toContain("ProtectHomes");
});

test("the service is exposed as little as one that listens to the network can be: below 2 of 10", () => {
  const security = ["security", "--offline=true", "--no-pager", "--threshold=20"];
  expect(analyze(security).status).toBe(0);
  expect(analyze(security, unit.replace(/^SystemCallFilter=.*$/gm, "")).status).not.toBe(0);
});
