import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { always, isAmong, unindexed } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import type { EventRow } from "../../kernel/events/event-row.ts";

/** Notes which events a user, a group or a grant of a project begins to have something by. */
export const rightEventProjection: Projection = {
  tables: ["right_events"],
  on: {
    "user_grant.added": (tx, { sequence, payload }) => note(tx, sequence, [payload.user_id]),
    "group_grant.added": (tx, { sequence, payload }) => note(tx, sequence, [payload.group_id]),
    "membership.added": (tx, { sequence, payload }) =>
      note(tx, sequence, [payload.user_id ?? payload.group_id ?? ""]),
    "group.member.added": (tx, { sequence, payload }) =>
      note(tx, sequence, [...payload.user_ids, ...payload.group_ids]),
    "group.member.removed": (tx, { sequence, payload }) =>
      note(tx, sequence, [...payload.user_ids, ...payload.group_ids]),
    "project_grant.added": (tx, { sequence, payload }) =>
      note(tx, sequence, [subjectOfProjectGrant(payload.project_id, payload.granted_organization_id)]),
    "user.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM right_events WHERE subject_id = ?", [aggregateId]);
    },
  },
};

/** Names the grants of a project to an organization. */
export function subjectOfProjectGrant(projectId: string, organizationId: string): string {
  return `${projectId}/${organizationId}`;
}

async function note(tx: WriteTransaction, sequence: number, subjectIds: readonly string[]): Promise<void> {
  for (const id of new Set(subjectIds))
    await tx.run("INSERT INTO right_events (subject_id, sequence) VALUES (?, ?)", [id, sequence]);
}

/** A row of the log, with its place among the events of its object. */
export interface PastRow extends EventRow {
  readonly aggregate_type: string;
  readonly revision: number;
}

/** Finds the last event of the last command that was complete at that moment; undefined: there was none yet. */
export async function findLastSequence(tx: ReadTransaction, micros: number): Promise<number | undefined> {
  // The date of a command is its last sequence, so only events of one command are passed over.
  const row = await tx.get<{ sequence: number }>(
    "SELECT sequence FROM events WHERE sequence <= ? AND date <= ? ORDER BY sequence DESC LIMIT 1",
    [micros, micros],
  );
  return row?.sequence;
}

/** A part of the events of objects or subjects: up to a sequence, of a number of rows. */
export interface PastRange {
  readonly upTo: number;
  readonly limit: number;
}

const columns = [
  "sequence",
  "date",
  "aggregate_type",
  "aggregate_id",
  "revision",
  "type",
  "version",
  "resource_owner",
  "editor",
  "payload",
].map((column) => `e.${column}`);
const select = `SELECT ${columns.join(", ")}, NULL AS personal`;

/** Lists the events of a subject behind a sequence, in order. */
export async function listEventsOfSubject(
  tx: ReadTransaction,
  subject: { readonly id: string; readonly after: number },
  { upTo, limit }: PastRange,
): Promise<readonly PastRow[]> {
  return await tx.all<PastRow>(
    `${select} FROM (SELECT sequence AS found FROM right_events WHERE subject_id = ? AND sequence > ? AND sequence <= ?
       ORDER BY sequence LIMIT ?) r CROSS JOIN events e WHERE e.sequence = r.found ORDER BY e.sequence`,
    [subject.id, subject.after, upTo, limit],
  );
}

/** Lists the first events of these objects of one type, whenever they were, in no order. As many as `limit`: there may be more. */
export async function listEventsOfObjects(
  tx: ReadTransaction,
  objects: { readonly type: string; readonly ids: readonly string[] },
  limit: number,
): Promise<readonly PastRow[]> {
  const named = isAmong("e.aggregate_id", objects.ids);
  return await tx.all<PastRow>(
    `${select} FROM events e WHERE e.aggregate_type = ? AND ${named.sql} LIMIT ?`,
    [objects.type, ...named.parameters, limit],
  );
}

/** Lists the events of one object behind a revision, whenever they were, in order; only those of these types, if there are any. */
export async function listEventsOfObject(
  tx: ReadTransaction,
  object: {
    readonly type: string;
    readonly id: string;
    readonly after: number;
    readonly types: readonly string[];
  },
  limit: number,
): Promise<readonly PastRow[]> {
  const ofTypes = object.types.length === 0 ? always : isAmong(unindexed("e.type"), object.types);
  return await tx.all<PastRow>(
    `${select} FROM events e WHERE e.aggregate_type = ? AND e.aggregate_id = ? AND e.revision > ? AND ${ofTypes.sql}
     ORDER BY e.revision LIMIT ?`,
    [object.type, object.id, object.after, ...ofTypes.parameters, limit],
  );
}

/** Lists the first and the last event of an object; those between them may be any number. */
export async function listEndsOfObject(
  tx: ReadTransaction,
  object: { readonly type: string; readonly id: string },
): Promise<readonly PastRow[]> {
  const read = (order: "ASC" | "DESC") =>
    tx.get<PastRow>(
      `${select} FROM events e WHERE e.aggregate_type = ? AND e.aggregate_id = ? ORDER BY e.revision ${order} LIMIT 1`,
      [object.type, object.id],
    );
  return (await Promise.all([read("ASC"), read("DESC")])).filter((row) => row !== undefined);
}

/** Lists the events of that type that belong to an organization, or to the instance, in order. */
export async function listEventsOfOwner(
  tx: ReadTransaction,
  owner: { readonly id: string; readonly type: string },
  { upTo, limit }: PastRange,
): Promise<readonly PastRow[]> {
  return await tx.all<PastRow>(
    `${select} FROM events e WHERE e.resource_owner = ? AND e.type = ? AND e.sequence <= ? ORDER BY e.sequence LIMIT ?`,
    [owner.id, owner.type, upTo, limit],
  );
}
