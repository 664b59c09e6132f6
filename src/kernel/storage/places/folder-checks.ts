import { statfsSync, statSync } from "node:fs";
import { type DataFolder, DataFolderError, listLooseModes, requireUsableFolder } from "../data-folder.ts";
import type { Finding } from "../finding.ts";
import { checkAdminToken, checkModes } from "./file-checks.ts";

const mebibyte = 1024 * 1024;

/** Below this a start or a burst of writes can fail. */
const leastBytes = 16 * mebibyte;

/** Below this somebody should free space soon. */
const fewBytes = 256 * mebibyte;

/** Checks the folder and its files from outside: owner, access, modes, the token of the first start, free space. */
export function checkFolder(folder: DataFolder): readonly Finding[] {
  return [
    checkUse(folder),
    ...checkModes(listLooseModes(folder), folder.path),
    checkAdminToken(folder),
    checkSpace(folder),
  ];
}

function checkUse(folder: DataFolder): Finding {
  const { uid } = statSync(folder.path);
  const detail = `${folder.path}, of user ${uid}`;
  try {
    requireUsableFolder(folder);
    return { state: "ok", check: "folder", detail };
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error;
    // Checking needs fewer rights than serving: a file that this user may not read fails in its own check.
    return { state: "warning", check: "folder", detail: `this user cannot serve from it: ${error.message}` };
  }
}

function checkSpace(folder: DataFolder): Finding {
  const { bavail, bsize } = statfsSync(folder.path);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / mebibyte)} MiB free where the folder is`;
  if (free >= fewBytes) return { state: "ok", check: "disk", detail };
  return { state: free < leastBytes ? "FAILED" : "warning", check: "disk", detail: `${detail}; make room` };
}
