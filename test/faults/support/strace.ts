import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
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

/** Lets every read of these files by a process that runs fail with EIO. Returns what ends that. */
export async function failReads(pid: number, files: readonly string[]): Promise<() => Promise<void>> {
  const calls = "read,pread64,readv,preadv";
  const paths = files.flatMap((file) => ["-P", file]);
  const options = ["-f", "-qq", "-o", "/dev/null", ...paths, "-e", `trace=${calls}`];
  const tracer = spawn("strace", [...options, "-e", `inject=${calls}:error=EIO`, "-p", String(pid)]);
  const exited = once(tracer, "exit");
  while (!isTraced(pid)) {
    if (tracer.exitCode !== null) throw new Error(`strace cannot attach: it ended with ${tracer.exitCode}`);
    await new Promise(setImmediate);
  }
  return async () => {
    tracer.kill("SIGINT"); // it lets the process go
    await exited;
  };
}

/** The main thread and all others: the reads of files are made in several. */
function isTraced(pid: number): boolean {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.every((thread) =>
    /^TracerPid:\t[1-9]/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8")),
  );
}
