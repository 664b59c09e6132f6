import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { uniqueName } from "../support/world.ts";
import { usePlaces } from "./support/place.ts";

const createPlace = usePlaces();
const main = join(import.meta.dirname, "../../src/main.ts");

test("gatehouse events ends at a signal, and leaves no copy, when nobody takes what it prints", async () => {
  const place = createPlace();
  const serving = await place.serve();
  const service = place.connect(serving);
  // More than a pipe holds.
  const names = Array.from({ length: 600 }, () => uniqueName("x".repeat(100)));
  await Promise.all(names.map((name) => service.call(OrganizationService.method.addOrganization, { name })));
  expect(await serving.stop()).toBe(0);
  const scratch = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  const child = spawn(process.execPath, [main, "events", "--data", place.path], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: scratch },
  });
  try {
    while (child.stdout.readableLength === 0) await pause(20); // fills its buffer, and then takes no more
    expect(readdirSync(scratch)).toHaveLength(1);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(readdirSync(scratch)).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    rmSync(scratch, { recursive: true, force: true });
  }
}, 60_000);
