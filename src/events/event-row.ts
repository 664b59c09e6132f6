import type { Editor } from "../base/call.ts";
import { type ReadTransaction, toInList } from "../base/database.ts";
import { aggregateTypeOf, definitionOf, type EventType } from "./catalogue.ts";
import type { LoggedEvent, RecordedEvent } from "./event.ts";
import type { PersonalData } from "./personal-data.ts";
import { openRemoteAddress } from "./remote-address.ts";

/** A row of the log, as far as an applier needs it. */
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

type LoggedRow = EventRow & AddressRow & { readonly request_id: string };

/** The sealed address and the event that holds it, this one or an earlier one; null when there is none. */
type AddressRow =
  | { readonly remote_address: null }
  | {
      readonly remote_address: Uint8Array;
      readonly holder_id: string;
      readonly holder_type: string;
      readonly holder_version: number;
    };

/** Returns what the personal fields of an event are bound to. */
export function contextOf(aggregateId: string, type: string, version: number): string {
  return `${aggregateId}${type}${version}`;
}

/** Returns the event of a row. Throws for a type that this version does not know, and for bytes that were changed. */
export async function decodeEvent(
  tx: ReadTransaction,
  personalData: PersonalData,
  row: EventRow,
): Promise<RecordedEvent> {
  definitionOf(row.type);
  const context = contextOf(row.aggregate_id, row.type, row.version);
  const personal =
    row.personal === null ? undefined : await personalData.open(tx, row.aggregate_id, row.personal, context);
  return {
    type: row.type as EventType, // definitionOf has checked it
    aggregateId: row.aggregate_id,
    resourceOwner: row.resource_owner,
    sequence: row.sequence,
    date: row.date,
    editor: row.editor as Editor, // written by append
    payload: { ...parse(row.payload), ...(personal === undefined ? {} : parse(personal)) },
  };
}

/** Returns the events of these sequences, in their order; those that are not there are left out. */
export async function readEventsOf(
  tx: ReadTransaction,
  personalData: PersonalData,
  sequences: readonly number[],
): Promise<readonly LoggedEvent[]> {
  if (sequences.length === 0) return [];
  const list = toInList(sequences);
  const rows = await tx.all<LoggedRow>(
    `SELECT e.sequence, e.date, e.aggregate_id, e.type, e.version, e.resource_owner, e.editor, e.request_id, e.payload,
       e.personal, h.remote_address, h.aggregate_id AS holder_id, h.type AS holder_type, h.version AS holder_version
     FROM events e LEFT JOIN events h ON h.sequence = COALESCE(e.remote_address_of, e.sequence)
     WHERE e.sequence IN ${list.sql} ORDER BY e.sequence`,
    list.parameters,
  );
  const events: LoggedEvent[] = [];
  for (const row of rows) {
    const event = await decodeEvent(tx, personalData, row);
    const remoteAddress =
      row.remote_address === null
        ? undefined
        : await openRemoteAddress(tx, personalData, {
            editor: row.editor,
            sealed: row.remote_address,
            context: contextOf(row.holder_id, row.holder_type, row.holder_version),
          });
    events.push({
      ...event,
      aggregateType: aggregateTypeOf(event.type),
      version: row.version,
      remoteAddress,
      requestId: row.request_id,
    });
  }
  return events;
}

function parse(json: string): object {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}
