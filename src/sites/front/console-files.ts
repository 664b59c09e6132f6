import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { AnswerHeaders } from "../../kernel/http/exchanges/exchange.ts";
import { type Coding, codings } from "./negotiation.ts";

/** A file of the console, as the build has made it. */
export interface ConsoleFile {
  readonly type: string;
  /** Begins the tag of each form of the file: a hash of its content. */
  readonly digest: string;
  readonly bytes: Uint8Array;
  /** The same bytes, compressed. Absent where that would not be smaller. */
  readonly compressed: Readonly<Partial<Record<Coding, Uint8Array>>>;
  /** Whether its name holds a hash of its content, so that a browser may keep it for ever. */
  readonly isImmutable: boolean;
}

/** The files of the console. */
export interface ConsoleFiles {
  /** The page of which every path is a part. */
  readonly index: ConsoleFile;
  /** Finds a file by its path below that of the console, such as `assets/index-1a2b3c4d.js`. */
  find(path: string): ConsoleFile | undefined;
  /** Returns the code of the page at a path below that of the console: files that its address will need. */
  codeOf(path: string): readonly string[];
}

/** The code of a page, by the pattern of its places, such as `/orgs/:organization/users`. */
interface PageCode {
  readonly pattern: string;
  readonly files: readonly string[];
}

/** Where the build says which files the pages need. It is not served. */
const pagesFile = "pages.json";

/** Where the build puts the files whose names hold a hash. */
export const hashedFolder = "assets/";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const endings: Readonly<Record<Coding, string>> = { br: ".br", gzip: ".gz" };

/** Headers of the page and of pictures: nothing but our own files may run, load or show, and no page may frame the console. */
export const consoleHeaders: Readonly<AnswerHeaders> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'", // the preview of a branding is a page of ours
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** Returns the headers of a file: scripts and styles are parts of a page, and show nothing by themselves. */
export function headersOfFile({ type }: ConsoleFile): Readonly<AnswerHeaders> {
  return /^text\/(?:css|javascript);/.test(type)
    ? { "cross-origin-resource-policy": "same-origin" }
    : consoleHeaders;
}

/**
 * Reads all files of a folder at once, so that what is served fits together even while they are built again. Undefined if there
 * is no page in it: nobody has built them. Nothing that a request says ever becomes a part of a path.
 */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  const contents = new Map<string, Uint8Array>();
  for (const path of await listFiles(folder)) contents.set(path, await readFile(join(folder, path)));
  const files = new Map<string, ConsoleFile>();
  for (const [path, bytes] of contents) {
    const type = types[extname(path)];
    if (type === undefined) continue; // another form of a file, or nothing that a browser reads
    const compressed = Object.fromEntries(
      codings.flatMap((coding) => {
        const other = contents.get(`${path}${endings[coding]}`);
        return other === undefined ? [] : [[coding, other]];
      }),
    );
    const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    files.set(path, { type, digest, bytes, compressed, isImmutable: path.startsWith(hashedFolder) });
  }
  const index = files.get("index.html");
  const pages = readPages(contents.get(pagesFile));
  return (
    index && {
      index,
      find: (path) => files.get(path),
      codeOf: (path) => pages.find(({ pattern }) => isPlaceOf(pattern, `/${path}`))?.files ?? [],
    }
  );
}

/** Reads what the build says of the pages: those with fewer variables first, because a literal part of a path wins. */
function readPages(bytes: Uint8Array | undefined): readonly PageCode[] {
  if (bytes === undefined) return [];
  return JSON.parse(Buffer.from(bytes).toString()) as readonly PageCode[]; // our own build has written it
}

function isPlaceOf(pattern: string, path: string): boolean {
  const [parts, values] = [pattern, path].map((text) => text.split("/").filter((part) => part !== ""));
  return (
    parts?.length === values?.length &&
    parts?.every((part, index) => part.startsWith(":") || part === values?.[index]) === true
  );
}

/** Lists the files in a folder and below, with a slash between the parts of each path; none if the folder is not there. */
async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
