import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The first is Chromium without what draws its own windows, which costs half of the time of these tests. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of tests are this machine; every other name does not exist, so that nothing leaves it.
  "--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
];

/** Starts Chromium without a window. It ends with this process, whatever happens. Throws when there is none. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium(process.env);
  return await chromium.launch({ executablePath, args: flags, timeout: 30_000 });
}

/** Returns the file named by CHROMIUM, else the first Chromium on the PATH. Throws an error that says what to install. */
export function findChromium(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment["CHROMIUM"];
  const folders = (environment["PATH"] ?? "").split(delimiter);
  const candidates =
    named === undefined || named === ""
      ? names.flatMap((name) => folders.map((folder) => join(folder, name)))
      : [named];
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    named === undefined || named === ""
      ? "Chromium is missing: install the package chromium-headless-shell (.ci/install-chromium does), or name its file in CHROMIUM"
      : `Chromium is missing: CHROMIUM names ${named}, which cannot be run`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
