import { afterAll } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Launch } from "../../support/process.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const isRoot = process.getuid?.() === 0;
const root = join(import.meta.dirname, "../../..");

/** A user who owns nothing: `nobody` when the tests run as root, whom no mode keeps out; otherwise whoever runs them. */
export const ordinaryUser: number = isRoot ? 65_534 : (process.getuid?.() ?? 0);

/**
 * Runs a command as that user. Where they may not enter the folder of the project, such as one in root's home, it is the
 * command of a copy that is gone after the tests of the file.
 */
export const asOrdinaryUser: Launch = isRoot ? { user: ordinaryUser, ...reachable() } : {};

/** Gives a data folder, all in it, and the folder above it to the ordinary user. */
export function giveToOrdinaryUser(path: string): void {
  if (!isRoot) return;
  chmodSync(dirname(path), 0o755);
  for (const each of [path, ...readdirSync(path).map((name) => join(path, name))])
    chownSync(each, ordinaryUser, ordinaryUser);
}

/** Returns what the ordinary user can run instead of this project; nothing when that is the project itself. */
function reachable(): Pick<Launch, "executable" | "program"> {
  if (mayRun(process.execPath, join(root, "src/main.ts"))) return {};
  const { path, remove } = makeTemporaryFolder();
  afterAll(remove);
  for (const part of ["package.json", "src", "gen", "proto", ...installed()])
    cpSync(join(root, part), join(path, part), { recursive: true });
  const copy = { executable: join(path, "node"), program: join(path, "src/main.ts") };
  copyFileSync(process.execPath, copy.executable);
  spawnSync("chmod", ["-R", "a+rX", path]); // a strict umask is in the modes of the files, too
  if (!mayRun(copy.executable, copy.program))
    throw new Error(
      `user ${ordinaryUser} can run nothing below ${dirname(path)}; let TMPDIR name a folder that is open`,
    );
  return copy;
}

function mayRun(executable: string, program: string): boolean {
  const user = { uid: ordinaryUser, gid: ordinaryUser };
  return spawnSync(executable, [program, "version"], { ...user, env: {}, stdio: "ignore" }).status === 0;
}

/** Returns the folders of the packages that the service runs with. */
function installed(): readonly string[] {
  const lock: { packages: Record<string, { dev?: true; devOptional?: true; optional?: true }> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, optional }]) => path !== "" && !dev && !devOptional && !optional)
    .map(([path]) => path);
}
