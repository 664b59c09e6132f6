import { judgeThroughService } from "../../../faults/support/judge.ts";
import type { Thing } from "../../../faults/support/things.ts";
import type { Writers } from "../../../faults/support/writers.ts";
import { query } from "../../support/sql.ts";
import type { RoamingCaller } from "./roaming-caller.ts";

/** What is wrong, a line each; none when all is well. */
export type Complaints = readonly string[];

/** Refusals that say the service could not do it just then: the call had no effect. */
const passing = new Set(["4", "8", "14"]);

/** Where the id of a thing is found by its label when nobody has acknowledged its creation. Roles have that of their project. */
const idByLabel: Readonly<Record<Exclude<Thing["kind"], "roles">, string>> = {
  project: "SELECT id FROM projects WHERE name = ",
  user: "SELECT id FROM users WHERE username = ",
  grant: "SELECT id FROM user_grants WHERE user_id || ' ' || project_id = ",
  provider: "SELECT id FROM identity_providers WHERE name = ",
};

/**
 * Judges what writers were told, when nobody writes any more: what was acknowledged is there, in the tables and in the log; what
 * was refused is not; a call whose outcome is unknown had all of its effect or none.
 */
export async function judgeWrites(url: string, caller: RoamingCaller, writers: Writers): Promise<Complaints> {
  const doubtful = new Set(writers.doubtful().flatMap(({ changes }) => changes.map(({ thing }) => thing)));
  const isRefused = (thing: Thing) => thing.id === undefined && !doubtful.has(thing);
  const complaints: string[] = [];
  const all = writers.things("all");
  // A grant that was refused is asked for again: the second one has the same label.
  const known = new Set(all.flatMap((thing) => (isRefused(thing) ? [] : [thing.label])));
  for (const thing of all.filter(({ id }) => id === undefined)) {
    const id = await findId(url, thing);
    if (doubtful.has(thing)) thing.id = id;
    else if (id !== undefined && !known.has(thing.label))
      complaints.push(`refused, but there: ${thing.kind} ${thing.label}`);
  }
  complaints.push(...(await judgeThroughService(caller, writers, "all")));
  complaints.push(...findLost(await readSequences(url, 0), writers.acknowledged));
  for (const { method, ending } of writers.others)
    if (ending.kind === "refused" && !passing.has(String(ending.code)))
      complaints.push(`${method}: ${JSON.stringify(ending)}`);
  return complaints;
}

async function findId(url: string, { kind, label }: Thing): Promise<string | undefined> {
  if (kind === "roles") return undefined;
  const [row] = await query<{ id: string }>(url, `${idByLabel[kind]}'${label}'`); // labels are the tests' own words
  return row?.id;
}

/** Returns the sequences of the log after one, in order. */
export async function readSequences(url: string, after: number): Promise<readonly number[]> {
  const rows = await query<{ sequence: string }>(
    url,
    `SELECT sequence FROM events WHERE sequence > ${after} ORDER BY sequence`,
  );
  return rows.map(({ sequence }) => Number(sequence));
}

/** Names the acknowledged writes of which the log has no event, and those that share a sequence. */
export function findLost(logged: readonly number[], acknowledged: Writers["acknowledged"]): Complaints {
  const inLog = new Set(logged);
  const bySequence = Map.groupBy(acknowledged, ({ sequence }) => sequence);
  return [
    ...acknowledged
      .filter(({ sequence }) => !inLog.has(sequence))
      .map(({ method, sequence }) => `lost: the event ${sequence} of ${method}`),
    ...[...bySequence]
      .filter(([, writes]) => writes.length > 1)
      .map(([sequence]) => `the sequence ${sequence} was given twice`),
  ];
}

/** Judges the database by itself. The server must have track_commit_timestamp on. */
export async function judgeDatabase(url: string): Promise<Complaints> {
  const column = async (sql: string) => (await query<{ text: string }>(url, sql)).map(({ text }) => text);
  return [
    ...(await column(
      `SELECT 'out of order: the event ' || sequence || ' was committed before one with a smaller sequence' AS text FROM (
         SELECT sequence, pg_xact_commit_timestamp(xmin) AS at,
                LAG(pg_xact_commit_timestamp(xmin)) OVER (ORDER BY sequence) AS earlier FROM events
       ) AS commits WHERE at < earlier`,
    )),
    ...(await column(
      `SELECT 'half: roles of ' || MIN(role_key) AS text FROM project_roles WHERE role_key LIKE '%/%'
       GROUP BY project_id, split_part(role_key, '/', 1) HAVING COUNT(*) <> 7`,
    )),
    ...(await column(
      `SELECT 'half: user or key ' || COALESCE(users.id, keys.id) AS text FROM stored_users AS users
       FULL JOIN (SELECT id FROM secrets WHERE id LIKE 'user-key:%') AS keys ON keys.id = 'user-key:' || users.id
       WHERE users.id IS NULL OR keys.id IS NULL`,
    )),
    ...(await column(
      `SELECT 'last_sequence is behind the log' AS text FROM log_position
       WHERE last_sequence < (SELECT MAX(sequence) FROM events)`,
    )),
  ];
}
