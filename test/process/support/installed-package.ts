import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** What a test asks of the package.json that is packed. */
export interface PackedManifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The package as npm installs it. */
export interface InstalledPackage {
  readonly path: string;
  readonly manifest: PackedManifest;
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * Packs the package and lays it into `<folder>/package`, with the packages that it depends on and no others, as npm does, which would
 * need the network. Those are copies, or links to what is installed here.
 */
export function installPackage(folder: string, beside: "copies" | "links"): InstalledPackage {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, stdio: "pipe" });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", archive, "--no-same-owner"], { cwd: folder });
  const path = join(folder, "package");
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as PackedManifest;
  for (const name of listInstalledBeside(manifest)) {
    if (!existsSync(join(root, name))) continue; // for another platform
    mkdirSync(dirname(join(path, name)), { recursive: true });
    if (beside === "links") symlinkSync(join(root, name), join(path, name));
    else cpSync(join(root, name), join(path, name), { recursive: true });
  }
  return { path, manifest };
}

/** Lists what npm installs with the package, by its dependencies and the lock file: paths such as `node_modules/jose`. */
function listInstalledBeside({ dependencies }: PackedManifest): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = new Set(Object.keys(dependencies));
  for (const name of found) {
    const { dependencies: needed, optionalDependencies } = packages[`node_modules/${name}`] ?? {};
    for (const other of Object.keys({ ...needed, ...optionalDependencies })) found.add(other);
  }
  return [...found].map((name) => `node_modules/${name}`);
}
