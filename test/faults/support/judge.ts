import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type Sqlite from "better-sqlite3";
import { rebuildHere } from "../../process/support/rebuild-here.ts";
import { copyDataFolder, differencesOf, dump, openReadonly } from "../../process/support/tables.ts";
import type { Caller } from "./calls.ts";
import type { Step } from "./steps.ts";
import { findIds, read, type Shown, type Thing } from "./things.ts";
import type { Writers } from "./writers.ts";

/** What is wrong, a line each; none when all is well. */
export type Complaints = readonly string[];

const atOnce = 16;

/**
 * Reads things back through the service: what was acknowledged is there as the writers know it, each doubtful call had all of
 * its effect or none. What it was is known to the writers afterwards.
 */
export async function judgeThroughService(
  caller: Caller,
  writers: Writers,
  which: "all" | "touched" = "touched",
): Promise<Complaints> {
  const doubtful = new Set(writers.doubtful().flatMap(({ changes }) => changes.map(({ thing }) => thing)));
  const certain = writers.things(which).filter((thing) => !doubtful.has(thing));
  const complaints: string[] = [];
  for (let first = 0; first < certain.length; first += atOnce)
    await Promise.all(
      certain.slice(first, first + atOnce).map(async (thing) => {
        const shown = await read(caller, thing);
        if (!isAs(shown, thing)) complaints.push(`lost: ${describe(thing)} shows ${JSON.stringify(shown)}`);
      }),
    );
  for (const step of writers.doubtful()) complaints.push(...(await settle(caller, step)));
  writers.settled();
  return complaints;
}

function isAs(shown: Shown, { now, sequence }: Thing): boolean {
  return shown.now === now && (sequence === undefined || now === undefined || shown.sequence === sequence);
}

async function settle(caller: Caller, { method, changes }: Step): Promise<Complaints> {
  const shown: Shown[] = [];
  for (const { thing } of changes) shown.push(await read(caller, thing));
  const isBefore = changes.every(({ thing }, index) => isAs(shown[index] as Shown, thing));
  const isAfter = changes.every(({ after }, index) => shown[index]?.now === after);
  for (const [index, { thing }] of changes.entries()) Object.assign(thing, shown[index]);
  if (isBefore || isAfter) return [];
  return [
    `half: ${method} of ${changes.map(({ thing }) => describe(thing)).join()}: ${JSON.stringify(shown)}`,
  ];
}

function describe({ kind, label, now, sequence }: Thing): string {
  return `${kind} ${label} (${now} at ${sequence})`;
}

/** What a look into the files says. */
export interface FilesJudged {
  readonly complaints: Complaints;
  readonly lastSequence: number;
  readonly eventCount: number;
}

/**
 * Looks into a copy of the files as they lie on the disk: indexes, foreign keys and secrets agree with the tables, each
 * acknowledged write has its event, and, when `isRebuilt`, the log makes the same tables. Finds the ids of doubtful things.
 */
export async function judgeFiles(
  path: string,
  writers: Pick<Writers, "acknowledged" | "doubtful">,
  { isRebuilt, newestFirst = 0 }: { readonly isRebuilt: boolean; readonly newestFirst?: number },
): Promise<FilesJudged> {
  const copy = copyDataFolder(path, dirname(path));
  try {
    const file = join(copy, "gatehouse.db");
    const database = openReadonly(file);
    let judged: FilesJudged;
    try {
      findIds(
        database,
        writers.doubtful().flatMap(({ changes }) => changes.map(({ thing }) => thing)),
      );
      judged = judgeDatabase(database, writers.acknowledged.slice(newestFirst));
    } finally {
      database.close();
    }
    if (!isRebuilt) return judged;
    return {
      ...judged,
      complaints: [...judged.complaints, ...(await rebuildDifferences(copy, judged.eventCount))],
    };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Judges an open database by itself and by the events of what was acknowledged. */
export function judgeDatabase(database: Sqlite.Database, acknowledged: Writers["acknowledged"]): FilesJudged {
  const column = (sql: string) => database.prepare<[], string>(sql).pluck().all();
  const event = database.prepare<[number]>("SELECT 1 FROM events WHERE sequence = ?");
  const lost = acknowledged.filter(({ sequence }) => event.get(sequence) === undefined);
  return {
    complaints: [
      ...column("PRAGMA integrity_check").filter((line) => line !== "ok"),
      ...column("PRAGMA foreign_key_check").map((row) => `foreign key of ${row}`),
      ...lost.map(({ method, sequence }) => `lost: the event ${sequence} of ${method}`),
      ...findHalves(column).map((id) => `half: ${id}`),
    ],
    lastSequence: Number(column("SELECT COALESCE(MAX(sequence), 0) FROM events")[0]),
    eventCount: Number(column("SELECT COUNT(*) FROM events")[0]),
  };
}

/** Makes the tables of a copy again from its log, and says what is different. */
export async function rebuildDifferences(copy: string, eventCount: number): Promise<Complaints> {
  const file = join(copy, "gatehouse.db");
  const before = dump(file);
  const applied = await rebuildHere(copy);
  return [
    ...(applied === eventCount ? [] : [`${applied} of ${eventCount} events were applied`]),
    ...differencesOf(dump(file), before).map((row) => `log and tables: ${row}`),
  ];
}

/** Returns what is there only in part: some roles of one command, a user without their key, a key or a client secret alone. */
function findHalves(column: (sql: string) => readonly string[]): readonly string[] {
  return [
    ...column(
      `SELECT substr(role_key, 1, instr(role_key, '/')) AS stem FROM project_roles WHERE stem <> ''
       GROUP BY stem HAVING COUNT(*) <> 7`,
    ),
    ...column(
      `SELECT COALESCE(t.id, s.id) FROM (SELECT id FROM users) t
       FULL JOIN (SELECT id FROM secrets WHERE id LIKE 'user-key:%') s ON s.id = 'user-key:' || t.id
       WHERE t.id IS NULL OR s.id IS NULL`,
    ),
    ...column(
      `SELECT 'client secrets' FROM (SELECT COUNT(*) AS found FROM identity_providers)
       WHERE found <> (SELECT COUNT(*) FROM secrets WHERE id LIKE 'client-secret:%')`,
    ),
  ];
}
