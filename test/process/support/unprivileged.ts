import { chmodSync, chownSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const isRoot = process.getuid?.() === 0;

/** A user who owns nothing: `nobody` when the tests run as root, whom no mode keeps out; otherwise whoever runs them. */
export const ordinaryUser: number = isRoot ? 65_534 : (process.getuid?.() ?? 0);

/** Runs a command as that user. */
export const asOrdinaryUser: { readonly user?: number } = isRoot ? { user: ordinaryUser } : {};

/** Gives a data folder, all in it, and the folder above it to the ordinary user. */
export function giveToOrdinaryUser(path: string): void {
  if (!isRoot) return;
  chmodSync(dirname(path), 0o755);
  for (const each of [path, ...readdirSync(path).map((name) => join(path, name))])
    chownSync(each, ordinaryUser, ordinaryUser);
}
