import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { isPinned } from "./processes.ts";
import { median } from "./table.ts";

/** Returns what the figures depend on. `folder` is where the databases will be. */
export function machineFacts(folder: string): readonly (readonly [name: string, value: string])[] {
  return [
    ["processor", `${cpus()[0]?.model.trim()} (${arch()}), ${cpus().length} of them`],
    ["memory", `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ["kernel", `Linux ${release()}`],
    ["Node", process.version],
    ["file system", fileSystemOf(folder)],
    ["a write of 4 KiB with fdatasync", `${(1000 * fsyncMs(folder)).toFixed(0)} µs (median of 200)`],
    ["one processor each", isPinned ? "yes: servers on 0, load on 1" : "no: taskset is missing"],
    ["load average before", loadavg()[0]?.toFixed(2) ?? ""],
  ];
}

function fsyncMs(folder: string): number {
  const file = join(folder, "fsync");
  const descriptor = openSync(file, "w");
  const block = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    const startedMs = performance.now();
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    return performance.now() - startedMs;
  });
  closeSync(descriptor);
  rmSync(file);
  return median(times);
}

/** Returns the kind of the file system that holds the folder: the longest mount point that its path begins with. */
function fileSystemOf(folder: string): string {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, point = ""]) => `${folder}/`.startsWith(point === "/" ? "/" : `${point}/`))
    .toSorted(([, left = ""], [, right = ""]) => right.length - left.length);
  return mounts[0]?.[2] ?? "unknown";
}
