import type { Editor } from "../base/call.ts";
import { type ReadTransaction, toInList } from "../base/database.ts";
import {
  definitionOf,
  type EventDefinition,
  type EventDefinitions,
  eventDefinitions,
  personOf,
  upgradePayload,
} from "./catalogue.ts";
import type { AggregateType, EventType } from "./payloads.ts";
import type { LoggedEvent, RecordedEvent } from "./event.ts";
import { type LoadedKeys, type PersonalData, UnreadableError } from "./personal-data.ts";
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
  const person = personOfRow(row, definition);
  const keys = await personalData.loadKeys(tx, row.personal === null ? [] : [person]);
  return toRecordedEvent(definition, row, openPersonal(keys, row, person));
}

/** Reads the same without its personal fields, as it reads once the key of the user is destroyed. */
export function decodeOpen(definitions: EventDefinitions, row: EventRow): RecordedEvent {
  return toRecordedEvent(definitionOf(row.type, definitions), row, undefined);
}

function toRecordedEvent(
  definition: EventDefinition,
  row: EventRow,
  personal: string | undefined,
): RecordedEvent {
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
  const keys = await personalData.loadKeys(tx, rows.flatMap(usersOf));
  const unreadable: Unreadable[] = [];
  const events = rows.map((row) =>
    toLoggedEvent(keys, row, (column) => unreadable.push({ sequence: row.sequence, column })),
  );
  if (unreadable.length > 0) onUnreadable(unreadable);
  return events;
}

/** Returns the users with whose keys something in the row is encrypted. */
function usersOf(row: LoggedRow): readonly string[] {
  return [
    ...(row.personal === null ? [] : [personOfLogged(row)]),
    ...(row.remote_address === null ? [] : [row.editor]),
  ];
}

function toLoggedEvent(
  keys: LoadedKeys,
  row: LoggedRow,
  leaveOut: (column: Unreadable["column"]) => void,
): LoggedEvent {
  const isDated = row.date >= 0 && row.date <= lastDate;
  if (!isDated) leaveOut("date");
  const opened = (column: "personal" | "remote_address", open: () => string | undefined) => {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      leaveOut(column);
      return undefined;
    }
  };
  const personal = opened("personal", () => openPersonal(keys, row, personOfLogged(row)));
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
    remoteAddress: opened("remote_address", () => openAddress(keys, row)),
    requestId: row.request_id,
  };
}

/** The end of the year 9999, the last instant that a protobuf timestamp can hold. */
const lastDate = 253_402_300_799 * 1_000_000;

/** Returns the user with whose key the personal fields of the row are encrypted. */
function personOfRow(row: EventRow, definition: Pick<EventDefinition, "personOf">): string {
  return personOf(definition, { aggregateId: row.aggregate_id, open: tryParse(row.payload) ?? {} });
}

/** Likewise of a row whose type this version of the service may not know. */
function personOfLogged(row: EventRow): string {
  return personOfRow(row, Object.hasOwn(eventDefinitions, row.type) ? definitionOf(row.type) : {});
}

function openPersonal(keys: LoadedKeys, row: EventRow, person: string): string | undefined {
  if (row.personal === null) return undefined;
  const context = contextOf(row.aggregate_id, row.type, row.version);
  return keys.open(person, row.personal, context);
}

function openAddress(keys: LoadedKeys, row: LoggedRow): string | undefined {
  if (row.remote_address === null) return undefined;
  const context = contextOf(row.holder_id, row.holder_type, row.holder_version);
  return openRemoteAddress(keys, { editor: row.editor, sealed: row.remote_address, context });
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
