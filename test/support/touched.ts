import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const git = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** How many commits are the change where there is no branch to compare with. */
const commitsOnMain = 10;

/**
 * Returns the files, such as `src/kernel/base/url.ts`, that the change touches: those that differ from where the branch left main, in
 * commits or in the work tree only. On main itself, the last commits are the change. GATEHOUSE_BASE names another commit to compare with.
 */
export function listTouched(): readonly string[] {
  const changed = git("diff", "--name-only", "--no-renames", baseOf(), "--");
  const added = git("ls-files", "--others", "--exclude-standard");
  return [...new Set(`${changed}${added}`.split("\n").filter((file) => file !== ""))];
}

function baseOf(): string {
  const { GATEHOUSE_BASE: named } = process.env;
  if (named !== undefined) return named;
  const head = git("rev-parse", "HEAD").trim();
  const left = ["main", "origin/main"].map(mergeBase).find((base) => base !== undefined && base !== head);
  if (left !== undefined) return left;
  if (git("status", "--porcelain") !== "") return head;
  const [last = head] = git("rev-list", `--max-count=${commitsOnMain + 1}`, "HEAD")
    .trim()
    .split("\n")
    .slice(-1);
  return last;
}

function mergeBase(branch: string): string | undefined {
  try {
    return git("merge-base", branch, "HEAD").trim();
  } catch {
    return undefined; // there is no such branch here
  }
}
