// Adds to frozen.json the payloads that are not in it: those of new types and of new versions. It changes none that is there.
//
// node test/kernel/events/payloads/write.ts
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { compileProject } from "../../../support/compiled-project.ts";
import { type PayloadShapes, readPayloads } from "./describe.ts";
import { frozenFile, readFrozen } from "./frozen.ts";

const project = compileProject();
const described = readPayloads(project).describeAll();
project.close();

const changed = changesOf(readFrozen(), described);
if (changed.length > 0) {
  process.stderr.write(
    `These payloads are frozen, and differ now: ${changed.join(", ")}.\n` +
      "Give the type a new version with an upgrade (see README.md). If the version was never released, delete it from frozen.json first.\n",
  );
  process.exitCode = 1;
} else {
  writeFileSync(frozenFile, JSON.stringify(described));
  execFileSync("npx", ["biome", "format", "--write", frozenFile], { stdio: "inherit" });
}

/** Lists the versions that are frozen and are not described, or not like that. */
function changesOf(frozen: PayloadShapes, now: PayloadShapes): readonly string[] {
  return Object.entries(frozen).flatMap(([type, versions]) =>
    Object.entries(versions).flatMap(([version, shape]) =>
      isDeepStrictEqual(now[type]?.[version], shape) ? [] : [`${type} version ${version}`],
    ),
  );
}
