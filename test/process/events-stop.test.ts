import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { idOf } from "../support/world.ts";
import { usePlaces } from "./support/place.ts";

const createPlace = usePlaces();
const { addProject, bulkAddProjectRoles } = ProjectService.method;
const main = join(import.meta.dirname, "../../src/main.ts");

test("gatehouse events ends at a signal, and leaves no copy, when nobody takes what it prints", async () => {
  const place = createPlace();
  const serving = await place.serve();
  const service = place.connect(serving);
  // More than a pipe holds and the reader below takes, in events of half a kilobyte.
  const projectId = idOf(await service.call(addProject, { name: "P" }), "id");
  for (let call = 0; call < 6; call += 1) {
    const displayName = "x".repeat(200);
    const roles = Array.from({ length: 100 }, (_, index) => ({ roleKey: `${call}/${index}`, displayName }));
    await service.call(bulkAddProjectRoles, { projectId, roles });
  }
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
