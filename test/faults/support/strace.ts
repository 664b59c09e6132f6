import { execFileSync } from "node:child_process";
import type { Launch } from "../../support/process.ts";

/** Throws when there is no strace: what needs it must not pass without. */
export function requireStrace(): void {
  try {
    execFileSync("strace", ["-V"], { stdio: "ignore" });
  } catch (error) {
    throw new Error("strace is missing: install the package strace (.ci/install-strace)", { cause: error });
  }
}

/** The tracer is not the parent, so that signals and the exit code are those of the service. */
const beside = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-ttt"];

/** Notes in `output` all that the service writes, whole, with the time of each call. */
export function recordWrites(output: string): Launch {
  const calls = "pwrite64,write,fsync,fdatasync,ftruncate,openat,unlink,rename,link";
  return { through: [...beside, "-y", "-xx", "-s", "100000", "-o", output, "-e", `trace=${calls}`] };
}

/** Lets the `nth` fsync of that file fail with EIO, once, and notes all of its fsyncs in `output`. */
export function failFsync(file: string, nth: number, output: string): Launch {
  const calls = "fsync,fdatasync";
  const injection = ["-e", `inject=${calls}:error=EIO:when=${nth}`];
  return { through: [...beside, "-P", file, "-e", `trace=${calls}`, ...injection, "-o", output] };
}
