import type { Editor } from "../base/call.ts";
import { type ReadTransaction, toInList } from "../base/database.ts";
import { definitionOf, type EventDefinitions, upgradePayload } from "./catalogue.ts";
import type { AggregateType, EventType } from "./payloads.ts";
import type { LoggedEvent, RecordedEvent } from "./event.ts";
import { type PersonalData, UnreadableError } from "./personal-data.ts";
import { openRemoteAddress } from "./remote-address.ts";

/** The columns of a log row that an applier needs. */
export interface EventRow {
  readonly sequence: number;
  readonly date: number;
  readonly aggregate_id: string;
  readonly type: string;
  readonly version: number;
  readonly resource_owner: string;
  readonly editor: string;
  readonly payload: string;
  readonly personal: Uint8Array | null;
}

type LoggedRow = EventRow & AddressRow & { readonly aggregate_type: string; readonly request_id: string };

/** The encrypted address and the event that holds it, this one or an earlier one; null when there is none. */
type AddressRow =
  | { readonly remote_address: null }
  | {
      readonly remote_address: Uint8Array;
      readonly holder_id: string;
      readonly holder_type: string;
      readonly holder_version: number;
    };

/** A column of an event that cannot be read, because it was changed. */
export interface Unreadable {
  readonly sequence: number;
  readonly column: "date" | "payload" | "personal" | "remote_address";
}

/** Receives what had to be left out, if anything. */
export type OnUnreadable = (found: readonly Unreadable[]) => void;

/** Returns the encryption context that the personal fields of an event are bound to. */
export function contextOf(aggregateId: string, type: string, version: number): string {
  return `${aggregateId}${type}${version}`;
}

/**
 * Reads the event of a row in order to apply it: a payload of an older version is upgraded to today's. Throws for a
 * type or a version that this version of the service does not know, and for changed bytes: without them the tables
 * would be incomplete.
 */
export async function decodeEvent(
  tx: ReadTransaction,
  {
    personalData,
    definitions,
  }: { readonly personalData: PersonalData; readonly definitions: EventDefinitions },
  row: EventRow,
): Promise<RecordedEvent> {
  const definition = definitionOf(row.type, definitions);
  const personal = await openPersonal(tx, personalData, row);
  return {
    type: row.type as EventType, // definitionOf has checked it
    aggregateId: row.aggregate_id,
    resourceOwner: row.resource_owner,
    sequence: row.sequence,
    date: row.date,
    editor: row.editor as Editor, // written by append
    payload: upgradePayload(definition, row.version, {
      ...parse(row.payload),
      ...(personal === undefined ? {} : parse(personal)),
    }),
  };
}

/**
 * Reads the events with these sequences, in their order; missing ones are left out. A payload keeps the form of the
 * version in which it was recorded, so the same event never reads differently later. Unreadable parts of an event are
 * left out: a reader is better served by the rest than by an error for the whole page.
 */
export async function readEventsOf(
  tx: ReadTransaction,
  {
    personalData,
    onUnreadable,
  }: { readonly personalData: PersonalData; readonly onUnreadable: OnUnreadable },
  sequences: readonly number[],
): Promise<readonly LoggedEvent[]> {
  if (sequences.length === 0) return [];
  const list = toInList(sequences);
  const rows = await tx.all<LoggedRow>(
    `SELECT e.sequence, e.date, e.aggregate_type, e.aggregate_id, e.type, e.version, e.resource_owner, e.editor, e.request_id,
       e.payload, e.personal, h.remote_address, h.aggregate_id AS holder_id, h.type AS holder_type,
       h.version AS holder_version
     FROM events e LEFT JOIN events h ON h.sequence = COALESCE(e.remote_address_of, e.sequence)
     WHERE e.sequence IN ${list.sql} ORDER BY e.sequence`,
    list.parameters,
  );
  const unreadable: Unreadable[] = [];
  const events: LoggedEvent[] = [];
  for (const row of rows) {
    const { sequence } = row;
    const leaveOut = (column: Unreadable["column"]) => void unreadable.push({ sequence, column });
    events.push(await readLoggedEvent(tx, personalData, row, leaveOut));
  }
  if (unreadable.length > 0) onUnreadable(unreadable);
  return events;
}

async function readLoggedEvent(
  tx: ReadTransaction,
  personalData: PersonalData,
  row: LoggedRow,
  leaveOut: (column: Unreadable["column"]) => void,
): Promise<LoggedEvent> {
  const isDated = row.date >= 0 && row.date <= lastDate;
  if (!isDated) leaveOut("date");
  const opened = async (column: "personal" | "remote_address", open: () => Promise<string | undefined>) => {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      leaveOut(column);
      return undefined;
    }
  };
  const personal = await opened("personal", () => openPersonal(tx, personalData, row));
  const payload = tryParse(row.payload);
  if (payload === undefined) leaveOut("payload");
  return {
    type: row.type as EventType, // written by append, unless it was changed: then it is shown as it is
    aggregateType: row.aggregate_type as AggregateType, // likewise
    aggregateId: row.aggregate_id,
    resourceOwner: row.resource_owner,
    sequence: row.sequence,
    date: isDated ? row.date : Math.min(row.sequence, lastDate), // which is the same, or a little before
    editor: row.editor as Editor,
    version: row.version,
    payload: { ...payload, ...(personal === undefined ? {} : parse(personal)) },
    remoteAddress: await opened("remote_address", () => openAddress(tx, personalData, row)),
    requestId: row.request_id,
  };
}

/** The end of the year 9999, the last instant that a protobuf timestamp can hold. */
const lastDate = 253_402_300_799 * 1_000_000;

async function openPersonal(tx: ReadTransaction, personalData: PersonalData, row: EventRow) {
  if (row.personal === null) return undefined;
  const context = contextOf(row.aggregate_id, row.type, row.version);
  return await personalData.open(tx, row.aggregate_id, row.personal, context);
}

async function openAddress(tx: ReadTransaction, personalData: PersonalData, row: LoggedRow) {
  if (row.remote_address === null) return undefined;
  const context = contextOf(row.holder_id, row.holder_type, row.holder_version);
  return await openRemoteAddress(tx, personalData, {
    editor: row.editor,
    sealed: row.remote_address,
    context,
  });
}

function tryParse(json: string): object | undefined {
  try {
    return parse(json);
  } catch {
    return undefined; // whatever is wrong with it, it is no JSON
  }
}

function parse(json: string): object {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}
