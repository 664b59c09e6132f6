import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Image } from "./images.ts";

const execute = promisify(execFile);

/** What a container gets beyond its image. */
export interface ContainerOptions {
  /** Instead of the command of the image. */
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of this machine, by where they are in the container. */
  readonly volumes: Readonly<Record<string, string>>;
}

/** A container that was started. */
export interface Container {
  /** What it has written to stdout and stderr. */
  output(): string;
  /** Runs a command in it as its user, and returns what it printed. Rejects if it fails. */
  execute(command: readonly string[]): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** The code that it ended with. */
  readonly ended: Promise<number | null>;
}

/** Becomes process 1 of namespaces of its own, on a root that nobody can write to. */
const enter = `
set -e
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$2"
  shift 2
done
shift
mount -o remount,bind,ro "$root"
exec "$@"`;

/**
 * Runs the image as compose.yaml does: as its user, without any capability, on a root file system that is read-only, as process 1; but
 * on the network of this machine. By util-linux, because Debian's runtimes refuse some machines: crun those with cgroups in hybrid mode.
 */
export function startContainer(image: Image, options: ContainerOptions): Container {
  const { settings, rootFolder } = image;
  for (const name of ["proc", "dev", ...Object.keys(options.volumes)])
    mkdirSync(join(rootFolder, name), { recursive: true });
  const environment = Object.fromEntries(
    settings.Env.map((pair) => /^([^=]+)=(.*)$/.exec(pair)?.slice(1) ?? []),
  );
  const env = { ...environment, ...options.environment };
  const asUser = ["--no-new-privs", "chroot", `--userspec=${settings.User}`, "--groups="];
  const inside = [
    "setpriv",
    ...asUser,
    rootFolder,
    ...settings.Entrypoint,
    ...(options.command ?? settings.Cmd),
  ];
  const volumes = Object.entries(options.volumes).flatMap(([inner, outer]) => [outer, inner]);
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
  const child = spawn(
    "unshare",
    [...namespaces, "sh", "-c", enter, "sh", rootFolder, ...volumes, "--", ...inside],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...env, PATH: pathTo(env) } },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const processOne = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8"));
  return {
    output: () => output,
    ended: once(child, "close").then(([code]) => code as number | null),
    async execute(command) {
      const into = ["--target", String(processOne()), "--mount", "--pid", "--ipc", "--uts", "setpriv"];
      const { stdout } = await execute("nsenter", [...into, ...asUser, rootFolder, ...command], {
        env: { ...env, PATH: pathTo(env) },
      });
      return stdout;
    },
    signal: (name) => void process.kill(processOne(), name),
  };
}

/** Finds the programs that enter the container too. */
function pathTo({ PATH }: Readonly<Record<string, string>>): string {
  return `${PATH}:/usr/sbin:/usr/bin:/sbin:/bin`;
}
