import { execFile } from "node:child_process";
import { accessSync, constants, copyFileSync, cpSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** What builds images without a daemon. */
export const builder = "/usr/bin/buildah";

/** Throws an error that says what to install if there is no such program. */
export function requireProgram(program: string, name: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    throw new Error(`${program} is missing: install the package ${name} (.ci/install-container does)`);
  }
}

/** What an image says of how it is run. */
export interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** An image that was built, and a root file system with its files. */
export interface Image {
  readonly settings: ImageSettings;
  readonly rootFolder: string;
  mebibytes(): Promise<number>;
}

/** Builds and keeps images in the folder. */
export function createImages(folder: string) {
  const places = [
    "--root",
    join(folder, "images"),
    "--runroot",
    join(folder, "run"),
    "--storage-driver",
    "vfs",
  ];
  const buildah = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execute(builder, [...places, ...args], { maxBuffer: 2 ** 26 });
    return stdout.trim();
  };
  return {
    /** Builds a Dockerfile, on a base that has Node of this machine, its libraries and certificates, and nothing else. */
    async build(dockerfile: string, context: string): Promise<Image> {
      await buildBase();
      const options = ["--isolation", "chroot", "--format", "docker", "--build-arg", "BASE=localhost/base"];
      await buildah("build", ...options, "--tag", "gatehouse", "--file", dockerfile, context);
      const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", "gatehouse")) as {
        Docker: { config: ImageSettings };
      };
      const rootFolder = await buildah("mount", await buildah("from", "localhost/gatehouse"));
      return {
        settings: Docker.config,
        rootFolder,
        async mebibytes() {
          const { stdout } = await execute("du", ["-sk", rootFolder]);
          return Number(/^\d+/.exec(stdout)?.[0]) / 1024;
        },
      };
    },
  };

  async function buildBase(): Promise<void> {
    const context = join(folder, "base");
    const node = realpathSync(process.execPath);
    const { stdout } = await execute("ldd", [node]);
    const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
    for (const library of libraries) {
      mkdirSync(join(context, dirname(library)), { recursive: true });
      copyFileSync(realpathSync(library), join(context, library));
    }
    mkdirSync(join(context, "usr/local/bin"), { recursive: true });
    copyFileSync(node, join(context, "usr/local/bin/node"));
    cpSync("/etc/ssl/certs", join(context, "etc/ssl/certs"), { recursive: true, dereference: true });
    const dockerfile = join(folder, "base.Dockerfile");
    writeFileSync(dockerfile, "FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin\n");
    await buildah("build", "--isolation", "chroot", "--tag", "base", "--file", dockerfile, context);
  }
}
