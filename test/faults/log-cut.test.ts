import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openReadonly } from "../process/support/tables.ts";
import type { Launch } from "../support/process.ts";
import { noTransactions } from "./support/crippled.ts";
import { endInOrder, kill, mustCall, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeDatabase, rebuildDifferences } from "./support/judge.ts";

const sites = useSites();
const headerBytes = 32;
const frameHeaderBytes = 24;
const pageBytes = 4096;
const frameBytes = frameHeaderBytes + pageBytes;
/** Of so many cuts the whole database is compared twice: at the first byte of each frame, at its end, and in between. */
const imageEvery = 206;

/** The files that a kill has left, with several commits in the log, one for each write. */
interface Left {
  readonly site: Site;
  /** How long the log is after each commit. */
  readonly ends: readonly number[];
  /** The whole database after each commit, the first one without the log. */
  readonly images: readonly Buffer[];
  /** A copy of them that stays as it is. */
  readonly files: string;
  /** A copy of them to be cut. */
  readonly bench: string;
}

async function leave(launch: Launch = {}): Promise<Left> {
  const site = await sites.create();
  const serving = await site.place.serve([], {}, launch);
  const caller = site.connect(serving);
  for (let count = 0; count < 4; count += 1)
    await mustCall(caller, "ProjectService/AddProject", { name: `project ${count}` });
  await kill(serving);
  const [files, bench] = [`${site.place.path}-files`, `${site.place.path}-bench`];
  for (const copy of [files, bench]) cpSync(site.place.path, copy, { recursive: true });
  const ends = [headerBytes, ...commitEndsOf(readFileSync(join(files, "gatehouse.db-wal")))];
  const images = ends.toReversed().map((end) => imageAt(bench, end));
  copyFileSync(join(files, "gatehouse.db-wal"), join(bench, "gatehouse.db-wal"));
  return { site, ends, images: images.toReversed(), files, bench };
}

/** A frame ends a commit when it says how many pages the database has then (https://www.sqlite.org/fileformat2.html, §4.1). */
function commitEndsOf(log: Buffer): readonly number[] {
  const salts = log.readBigUInt64BE(16);
  const ends: number[] = [];
  for (let start = headerBytes; start + frameBytes <= log.length; start += frameBytes) {
    if (log.readBigUInt64BE(start + 8) !== salts) break; // of the log before it began anew
    if (log.readUInt32BE(start + 4) !== 0) ends.push(start + frameBytes);
  }
  return ends;
}

/** Where the index of the log says how many frames count (https://www.sqlite.org/walformat.html, §2.1). */
const countOffset = 16;

/** Cuts the log there, and returns the database as SQLite reads it then, and how many frames of the log it takes. */
function readAt(bench: string, length: number): { readonly frames: number; image(): Buffer; close(): void } {
  truncateSync(join(bench, "gatehouse.db-wal"), length);
  const database = openReadonly(join(bench, "gatehouse.db"));
  database.pragma("user_version"); // the cheapest read
  const frames = readFileSync(join(bench, "gatehouse.db-shm")).readUInt32LE(countOffset);
  return { frames, image: () => database.serialize(), close: () => database.close() };
}

function imageAt(bench: string, length: number): Buffer {
  const read = readAt(bench, length);
  const image = read.image();
  read.close();
  return image;
}

/** Says where not exactly the whole commits are taken; when `isThorough`, where any byte of the database is another one. */
function judgeLength(left: Left, length: number, isThorough: boolean): Complaints {
  const commit = left.ends.findLastIndex((end) => end <= length);
  const read = readAt(left.bench, length);
  try {
    const frames = ((left.ends[commit] ?? 0) - headerBytes) / frameBytes;
    if (read.frames !== frames) return [`cut at ${length}: ${read.frames} frames instead of ${frames}`];
    if (!isThorough || left.images[commit]?.equals(read.image()) === true) return [];
    return [`cut at ${length}: not the state after commit ${commit}`];
  } finally {
    read.close();
  }
}

/** Judges each state between two commits by itself: log, tables and indexes agree. */
async function judgeStates(left: Left, first: number): Promise<Complaints> {
  const complaints: string[] = [];
  for (const image of left.images.slice(first)) {
    const folder = mkdtempSync(join(dirname(left.bench), "state-"));
    copyFileSync(join(left.bench, "master.key"), join(folder, "master.key"));
    writeFileSync(join(folder, "gatehouse.db"), image);
    const database = openReadonly(join(folder, "gatehouse.db"));
    const { complaints: found, eventCount } = judgeDatabase(database, []);
    database.close();
    complaints.push(...found, ...(await rebuildDifferences(folder, eventCount)));
    rmSync(folder, { recursive: true });
  }
  return complaints;
}

describe("a write-ahead log that is cut at any byte of its last frames", () => {
  let left: Left;

  beforeAll(async () => {
    left = await leave();
  });

  test("leaves what a whole number of commits has made", () => {
    const [from = 0, to = 0] = left.ends.slice(-2);
    const complaints: string[] = [];
    for (let length = to; length >= from - frameBytes && complaints.length < 5; length -= 1) {
      const inFrame = (length - headerBytes) % frameBytes;
      complaints.push(...judgeLength(left, length, inFrame % imageEvery <= 1));
    }
    expect(complaints).toEqual([]);
  });

  test("leaves log, tables and indexes that agree, after each commit", async () => {
    expect(await judgeStates(left, 1)).toEqual([]);
  });

  test.each([1, 2000, frameBytes, 10 * frameBytes + 512])(
    "the service starts on a log that lacks its last %d bytes, and has the projects of whole commits",
    async (missing) => {
      const { site, ends, files } = left;
      const end = ends.at(-1) ?? 0;
      rmSync(site.place.path, { recursive: true });
      cpSync(files, site.place.path, { recursive: true });
      truncateSync(site.place.file("gatehouse.db-wal"), end - missing);
      const serving = await site.place.serve();
      const list = await mustCall(site.connect(serving), "ProjectService/ListProjects", { pageSize: 100 });
      const names = (list.projects as readonly { name: string }[]).map(({ name }) => name);
      const whole = ends.filter((each) => each <= end - missing).length - 1;
      expect(names.filter((name) => name.startsWith("project "))).toEqual(
        Array.from({ length: whole }, (_, index) => `project ${index}`),
      );
      expect(await endInOrder(serving)).toBe(0);
    },
  );
});

describe("control: the same judgement catches", () => {
  test("a page in the database that is another one", async () => {
    const left = await leave();
    const file = join(left.bench, "gatehouse.db");
    const bytes = readFileSync(file);
    // The last byte of a page that the log has not.
    const log = readFileSync(join(left.bench, "gatehouse.db-wal"));
    const inLog = new Set<number>();
    for (let start = headerBytes; start < (left.ends.at(-1) ?? 0); start += frameBytes)
      inLog.add(log.readUInt32BE(start));
    const pages = Array.from({ length: bytes.length / pageBytes }, (_, index) => index + 1);
    const last = (pages.find((page) => !inLog.has(page)) ?? 0) * pageBytes - 1;
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
    writeFileSync(file, bytes);
    expect(judgeLength(left, left.ends.at(-1) ?? 0, true)).toHaveLength(1);
  });

  test("a commit that is not read, because a byte of it is another one", async () => {
    const left = await leave();
    const file = join(left.bench, "gatehouse.db-wal");
    const bytes = readFileSync(file);
    const end = left.ends.at(-1) ?? 0;
    bytes.writeUInt8(bytes.readUInt8(end - 100) ^ 1, end - 100);
    writeFileSync(file, bytes);
    expect(judgeLength(left, end, false)).toHaveLength(1);
  });

  test("a build that has no transactions", async () => {
    const left = await leave(sites.cripple(noTransactions));
    expect(await judgeStates(left, 1)).toContainEqual(expect.stringMatching(/^log and tables: /));
  });
});
