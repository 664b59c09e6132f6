import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { definitionOf, type EventDefinition, eventDefinitions, personOf } from "../catalogue.ts";
import { checksumOfEvent, type EventColumns } from "../checksum.ts";
import { contextOf, decodeEvent } from "../event-row.ts";
import type { EventLog } from "../event-log.ts";
import type { LoadedKeys, PersonalData } from "../personal-data.ts";
import { openRemoteAddress, sealRemoteAddressOf } from "../remote-address.ts";

/** An event with all its columns, of which none is encrypted. Payloads are in the form of their version. */
export interface OpenEvent
  extends Omit<EventColumns, "payload" | "personal" | "remote_address" | "remote_address_of"> {
  readonly payload: object;
  /** Absent: the event has none, or the key of the user is destroyed. */
  readonly personal?: object;
  /** Absent: it is not known, stands in another event, or cannot be read any more. */
  readonly remote_address?: string;
  /** The sequence of the event that holds the address. */
  readonly remote_address_of?: number;
}

/** An event may hold a document of 500 kB. */
const eventsAtOnce = 100;

/** Reads the events after this sequence, in order: some of them, none at the end. Throws UnreadableError for changed bytes. */
export async function readOpenEvents(
  tx: ReadTransaction,
  personalData: PersonalData,
  after: number,
): Promise<readonly OpenEvent[]> {
  const rows = await tx.all<EventColumns>(
    `SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ${eventsAtOnce}`,
    [after],
  );
  return await openRows(tx, personalData, rows);
}

/**
 * Reads the events of one owner after this sequence, as `readOpenEvents`. Each has its address by itself, also where the log has it in
 * another event.
 */
export async function readOpenEventsOf(
  tx: ReadTransaction,
  personalData: PersonalData,
  { resourceOwner, after }: { readonly resourceOwner: string; readonly after: number },
): Promise<readonly OpenEvent[]> {
  const rows = await tx.all<EventColumns>(
    `SELECT * FROM events WHERE resource_owner = ? AND sequence > ? ORDER BY sequence LIMIT ${eventsAtOnce}`,
    [resourceOwner, after],
  );
  const named = [...new Set(rows.flatMap((row) => row.remote_address_of ?? []))];
  const holders =
    named.length === 0
      ? []
      : await tx.all<EventColumns>(
          `SELECT * FROM events WHERE sequence IN (${named.map(() => "?").join(", ")})`,
          named,
        );
  const opened = await openRows(tx, personalData, holders);
  const addresses = new Map(opened.map((holder) => [holder.sequence, holder.remote_address]));
  const events = await openRows(tx, personalData, rows);
  return events.map(({ remote_address_of: holder, ...event }) => {
    const address = holder === undefined ? undefined : addresses.get(holder);
    return address === undefined ? event : Object.assign(event, { remote_address: address });
  });
}

async function openRows(
  tx: ReadTransaction,
  personalData: PersonalData,
  rows: readonly EventColumns[],
): Promise<readonly OpenEvent[]> {
  const people = rows.flatMap((row) => [
    ...(row.personal === null ? [] : [personOfRow(row)]),
    ...(row.remote_address === null ? [] : [row.editor]),
  ]);
  const keys = await personalData.loadKeys(tx, people);
  return rows.map((row) => toOpenEvent(row, keys));
}

function toOpenEvent(row: EventColumns, keys: LoadedKeys): OpenEvent {
  const { payload, personal, remote_address: sealed, remote_address_of: holder, ...columns } = row;
  const context = contextOf(row.aggregate_id, row.type, row.version);
  const text = personal === null ? undefined : keys.open(personOfRow(row), personal, context);
  const address =
    sealed === null ? undefined : openRemoteAddress(keys, { editor: row.editor, sealed, context });
  return {
    sequence: columns.sequence,
    date: columns.date,
    aggregate_type: columns.aggregate_type,
    aggregate_id: columns.aggregate_id,
    revision: columns.revision,
    type: columns.type,
    version: columns.version,
    resource_owner: columns.resource_owner,
    editor: columns.editor,
    request_id: columns.request_id,
    payload: JSON.parse(payload) as object, // written by append
    ...(text === undefined ? {} : { personal: JSON.parse(text) as object }),
    ...(address === undefined ? {} : { remote_address: address }),
    ...(holder === null ? {} : { remote_address_of: holder }),
  };
}

function personOfRow(row: Pick<EventColumns, "type" | "aggregate_id" | "payload">): string {
  return personOf(definitionOf(row.type), {
    aggregateId: row.aggregate_id,
    open: JSON.parse(row.payload) as object,
  });
}

/**
 * Puts an event into a log as it was in another one, with its sequence, and applies it to the tables. Encrypts it with the key that its
 * user has by then; without one, its personal fields are left out. Throws for a type or version that is not known, and for an event that
 * cannot be applied.
 */
export async function restoreEvent(
  tx: WriteTransaction,
  { log, personalData }: { readonly log: Pick<EventLog, "replay">; readonly personalData: PersonalData },
  event: OpenEvent,
): Promise<void> {
  const row = await insertOpenEvent(tx, personalData, event);
  await log.replay(tx, await decodeEvent(tx, { personalData, definitions: eventDefinitions }, row));
}

/** Puts an event into a log as `restoreEvent` does, and applies it to no table: a rebuild has to follow in the same transaction. */
export async function insertOpenEvent(
  tx: WriteTransaction,
  personalData: PersonalData,
  event: OpenEvent,
): Promise<EventColumns> {
  const definition: EventDefinition = definitionOf(event.type);
  const context = contextOf(event.aggregate_id, event.type, event.version);
  const person = personOf(definition, { aggregateId: event.aggregate_id, open: event.payload });
  const { personal, remote_address: address, remote_address_of: holder } = event;
  const sealed = personal && (await personalData.seal(tx, person, JSON.stringify(personal), context));
  const sealedAddress =
    address === undefined
      ? undefined
      : await sealRemoteAddressOf(tx, personalData, {
          editor: event.editor,
          remoteAddress: address,
          context,
        });
  const row: EventColumns = {
    sequence: event.sequence,
    date: event.date,
    aggregate_type: event.aggregate_type,
    aggregate_id: event.aggregate_id,
    revision: event.revision,
    type: event.type,
    version: event.version,
    resource_owner: event.resource_owner,
    editor: event.editor,
    request_id: event.request_id,
    remote_address: sealedAddress ?? null,
    remote_address_of: holder ?? null,
    payload: JSON.stringify(event.payload),
    personal: sealed ?? null,
  };
  await tx.run(insertRow, [...columns.map((name) => row[name]), checksumOfEvent(row)]);
  return row;
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
  "request_id",
  "remote_address",
  "remote_address_of",
  "payload",
  "personal",
] as const satisfies readonly (keyof EventColumns)[];

const insertRow = `INSERT INTO events (${columns.join(", ")}, checksum) VALUES (${columns.map(() => "?").join(", ")}, ?)`;
