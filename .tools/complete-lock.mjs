// Makes package-lock.json complete for every platform, or with --check only says whether it is.
//
// npm leaves an optional platform package out of the lock when the registry at hand cannot give it, and `npm ci`
// then fails with EUSAGE ("Missing ... from lock file"), also on platforms that never need the package. This script
// adds such entries from what the lock itself knows: the parent names the exact version, the package name names the
// platform. They carry no `integrity`: a registry that has the package fills it in at the next `npm install`.
// Run it after every change of dependencies; `npm run check` runs it with --check.
import { readFileSync, writeFileSync } from "node:fs";

const SYSTEMS = new Set([
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
]);
const PROCESSORS = {
  aarch64: "arm64",
  arm: "arm",
  arm64: "arm64",
  armv7: "arm",
  ia32: "ia32",
  loong64: "loong64",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  x64: "x64",
};
const LIBRARIES = {
  gnu: "glibc",
  gnueabihf: "glibc",
  musl: "musl",
  musleabihf: "musl",
};

const path = new URL("../package-lock.json", import.meta.url);
const checkOnly = process.argv.includes("--check");
const text = readFileSync(path, "utf8");
const lock = JSON.parse(text);
const packages = lock.packages;
const problems = [];
const added = [];

for (const [location, entry] of Object.entries(packages)) {
  if (entry.resolved !== undefined) problems.push(`${location} has a download address`);
}

for (const [parentLocation, parent] of Object.entries(packages)) {
  if (parentLocation === "") continue;
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (isLocked(parentLocation, name)) continue;
    added.push(`${name}@${version}`);
    if (!checkOnly) packages[`node_modules/${name}`] = platformEntry(parent, name, version);
  }
}

if (checkOnly) {
  for (const name of added) problems.push(`${name} is missing`);
} else if (added.length > 0) {
  const { "": root, ...rest } = packages;
  const sorted = Object.entries(rest).toSorted(([a], [b]) => a.localeCompare(b, "en"));
  lock.packages = { "": root, ...Object.fromEntries(sorted) };
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
  console.log(`complete-lock: added ${added.length} platform packages`);
}

if (problems.length > 0) {
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  console.error("Run: node .tools/complete-lock.mjs");
  process.exitCode = 1;
}

/** Says whether the lock has an entry that a package at this location finds, looking upwards as Node does. */
function isLocked(location, name) {
  for (let folder = location; ; folder = folder.slice(0, folder.lastIndexOf("/node_modules/"))) {
    if (packages[`${folder}/node_modules/${name}`] !== undefined) return true;
    if (!folder.includes("/node_modules/")) return packages[`node_modules/${name}`] !== undefined;
  }
}

function platformEntry(parent, name, version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`${name}: ${version} is not an exact version`);
  const words = name.split(/[/-]/);
  const os = words.find((word) => SYSTEMS.has(word));
  const processor = words.find((word) => Object.hasOwn(PROCESSORS, word));
  const library = words.find((word) => Object.hasOwn(LIBRARIES, word));
  if (os === undefined || processor === undefined) throw new Error(`${name}: platform not recognised`);
  return {
    version,
    cpu: [PROCESSORS[processor]],
    ...(parent.dev === true ? { dev: true } : {}),
    ...(library !== undefined && os === "linux" ? { libc: [LIBRARIES[library]] } : {}),
    ...(parent.license !== undefined ? { license: parent.license } : {}),
    optional: true,
    os: [os],
    ...(parent.engines !== undefined ? { engines: parent.engines } : {}),
  };
}
