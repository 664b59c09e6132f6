import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The files that pages use, each with its type. Scripts stand in the pages that need them. */
const types = {
  "login.css": "text/css; charset=utf-8",
  "account.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "webauthn.js": "text/javascript; charset=utf-8",
} as const;

/** The name of a file that pages use. */
export type AssetName = keyof typeof types;

/** A file as it is served. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The files that pages use, under paths that name their content, so that a browser may keep them for ever. */
export interface Assets {
  /** Returns the path, such as `/login/assets/login-1a2b3c4d5e6f.css`. */
  pathOf(name: AssetName): string;
  /** Finds the file of the last part of such a path. */
  find(file: string): Asset | undefined;
}

/** Where the files are: `assets` is never the id of an interaction, which is a number. */
export const assetsPath = "/login/assets/";

/** Reads the files. */
export function readAssets(): Assets {
  const read = Object.entries(types).map(([name, type]) => {
    const bytes = readFileSync(fileURLToPath(new URL(name, import.meta.url)));
    const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    return { name, file: name.replace(".", `-${digest}.`), asset: { type, bytes } };
  });
  const files = new Map(read.map(({ name, file }) => [name, file]));
  const assets = new Map<string, Asset>(read.map(({ file, asset }) => [file, asset]));
  return {
    pathOf: (name) => `${assetsPath}${files.get(name)}`,
    find: (file) => assets.get(file),
  };
}
