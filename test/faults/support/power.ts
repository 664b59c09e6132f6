import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../../hostile/support/random.ts";

/** What the disk of a service was told to do, in order. */
export interface Recording {
  readonly calls: readonly DiskCall[];
  /** The files as they were before. */
  readonly before: ReadonlyMap<string, Buffer>;
}

/** One call of the service that came back well. Files are named as in the data folder. */
export type DiskCall = { readonly atMs: number } & (
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: string; readonly size: number }
  | { readonly kind: "sync"; readonly file: string }
  | { readonly kind: "sync-folder" }
  | { readonly kind: "create"; readonly file: string }
  | { readonly kind: "rename"; readonly file: string; readonly to: string }
  | { readonly kind: "remove"; readonly file: string }
);

/** How much of what was not synced a disk keeps: nothing, what came first, or any part. */
export type Keeping = "nothing" | "first" | "any";

/** What a power cut takes half of: a disk writes such a sector whole or not at all. */
const sectorBytes = 512;

/** Files that mean nothing after a cut: the index of the log, and the lock of a process that is gone. */
const volatile = /-shm$|^gatehouse\.lock/;

/** Returns the files of a folder. */
export function readFolder(path: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(path).filter((name) => !volatile.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(path, name))]));
}

/** Reads what strace has noted of a service on that folder (see `recordWrites`). */
export function readTrace(trace: string, folder: string): readonly DiskCall[] {
  const calls: DiskCall[] = [];
  const begun = new Map<string, string>();
  const known = new Set<string>();
  for (const line of trace.split("\n")) {
    const [, thread = "", time = "", text = ""] = /^(\d+)\s+(\d+\.\d+) (.*)$/.exec(line) ?? [];
    if (text.endsWith("<unfinished ...>")) {
      begun.set(thread, text.slice(0, text.lastIndexOf("<")));
      continue;
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const call = parseCall(rest === undefined ? text : (begun.get(thread) ?? "") + rest, folder, known);
    if (call !== undefined) calls.push({ ...call, atMs: Number(time) * 1000 });
  }
  return calls;
}

type WithoutTime<C> = C extends unknown ? Omit<C, "atMs"> : never;

function parseCall(text: string, folder: string, known: Set<string>): WithoutTime<DiskCall> | undefined {
  const [, name = "", args = "", result = ""] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(text) ?? [];
  if (name === "" || result.startsWith("-")) return undefined;
  const strings = [...args.matchAll(/[<"]((?:\\x[0-9a-f]{2})*)[>"]/g)].map(([, hex = ""]) => decode(hex));
  const path = (strings[name === "openat" ? 1 : 0] ?? Buffer.alloc(0)).toString();
  if (path === folder && (name === "fsync" || name === "fdatasync")) return { kind: "sync-folder" };
  const file = basename(path);
  if (dirname(path) !== folder || volatile.test(file)) return undefined;
  const numbers = args.slice(args.lastIndexOf('"') + 1).match(/\d+/g) ?? [];
  switch (name) {
    case "pwrite64":
      return { kind: "write", file, offset: Number(numbers[1]), bytes: strings[1] ?? Buffer.alloc(0) };
    case "ftruncate":
      return { kind: "truncate", file, size: Number(/, (\d+)$/.exec(args)?.[1]) };
    case "fsync":
    case "fdatasync":
      return { kind: "sync", file };
    case "openat":
      if (!args.includes("O_CREAT") || known.has(file)) return undefined;
      known.add(file);
      return { kind: "create", file };
    case "unlink":
      known.delete(file);
      return { kind: "remove", file };
    case "rename":
      return { kind: "rename", file, to: basename((strings[1] ?? Buffer.alloc(0)).toString()) };
    default:
      throw new Error(`${name} of ${file} is not understood`); // such as a write without an offset
  }
}

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

type Change = Extract<DiskCall, { kind: "write" | "truncate" }>;

interface DiskFile {
  /** Room for more than the file has: it grows by a page at a time. */
  room: Buffer;
  size: number;
  /** What was written since the last sync. */
  readonly pending: Change[];
}

/** Writes to a new folder what is left of the files when the power fails after so many calls. */
export function cutPower(
  { calls, before }: Recording,
  count: number,
  { keeping, random, to }: { readonly keeping: Keeping; readonly random: Random; readonly to: string },
): void {
  const names = new Map<string, DiskFile>(
    [...before].map(([name, content]) => [
      name,
      { room: Buffer.from(content), size: content.length, pending: [] },
    ]),
  );
  let synced = new Map(names);
  for (const call of calls.slice(0, count)) {
    if (call.kind === "sync-folder") synced = new Map(names);
    else applyToDisk(names, call);
  }
  mkdirSync(to, { mode: 0o700 });
  for (const [name, file] of keeping === "nothing" ? synced : random.pick([synced, names])) {
    for (const change of keep(file.pending, keeping, random)) applyToContent(file, change);
    writeFileSync(join(to, name), file.room.subarray(0, file.size), { mode: 0o600 });
  }
}

function applyToDisk(names: Map<string, DiskFile>, call: Exclude<DiskCall, { kind: "sync-folder" }>): void {
  const file = names.get(call.file);
  if (call.kind === "create") {
    if (file === undefined) names.set(call.file, { room: Buffer.alloc(0), size: 0, pending: [] });
    return;
  }
  if (file === undefined) throw new Error(`${call.file} was never made`);
  if (call.kind === "remove") names.delete(call.file);
  else if (call.kind === "rename") {
    names.delete(call.file);
    names.set(call.to, file);
  } else if (call.kind === "sync") {
    for (const change of file.pending.splice(0)) applyToContent(file, change);
  } else file.pending.push(call);
}

function applyToContent(file: DiskFile, change: Change): void {
  const end = change.kind === "write" ? change.offset + change.bytes.length : change.size;
  if (end > file.room.length) {
    const room = Buffer.alloc(2 * end);
    file.room.copy(room, 0, 0, file.size);
    file.room = room;
  }
  if (change.kind === "write") change.bytes.copy(file.room, change.offset);
  else file.room.fill(0, change.size);
  file.size = change.kind === "write" ? Math.max(end, file.size) : end;
}

/** Returns what a disk has kept of these changes. */
function keep(pending: readonly Change[], keeping: Keeping, random: Random): readonly Change[] {
  if (keeping === "nothing") return [];
  const parts = pending.flatMap(toSectors);
  if (keeping === "first") return parts.slice(0, random.below(parts.length + 1));
  const probability = random.next();
  return parts.filter(() => random.chance(probability));
}

function toSectors(change: Change): readonly Change[] {
  if (change.kind === "truncate") return [change];
  const parts: Change[] = [];
  const { offset, bytes } = change;
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + sectorBytes - ((offset + start) % sectorBytes));
    parts.push({ ...change, offset: offset + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return parts;
}
