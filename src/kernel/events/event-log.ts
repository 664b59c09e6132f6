import type { Origin } from "../base/call.ts";
import type { Database, ReadTransaction, WriteTransaction } from "../base/database.ts";
import {
  aggregateTypeOf,
  type EventDefinitions,
  eventDefinitions,
  eventTypes,
  personOf,
} from "./catalogue.ts";
import type { EventType } from "./payloads.ts";
import type { Appliers, LoggedEvent, NewEvent, Projection, RecordedEvent } from "./event.ts";
import { checksumOfEvent, type EventColumns } from "./checksum.ts";
import {
  contextOf,
  decodeEvent,
  decodeOpen,
  type EventRow,
  type OnUnreadable,
  readEventsOf,
} from "./event-row.ts";
import type { PersonalData } from "./personal-data.ts";
import { createRemoteAddressSealer, type RemoteAddressSealer } from "./remote-address.ts";
import { createSweep } from "./sweep.ts";
import { createTakenCounter, type TakenCounter } from "./taken-along.ts";

/** The log that every change goes through. */
export interface EventLog {
  /**
   * Records the events of one command and applies them to every projection, in the transaction of the command.
   * Called at most once per write. Returns the instant of the command, which is its last sequence.
   */
  append(tx: WriteTransaction, origin: Origin, events: readonly NewEvent[]): Promise<number>;
  /**
   * Empties the tables of all projections and makes them again from the log. Returns the number of events. Throws ReplayError
   * for an event that cannot be read or applied.
   */
  rebuild(tx: WriteTransaction): Promise<number>;
  /**
   * Deletes rows of organizations that were removed, which no reader finds any more: those of so many objects. Returns whether
   * there may be more. A rebuild leaves none.
   */
  sweep(tx: WriteTransaction, limit: number): Promise<boolean>;
  /** Returns the events of these sequences, in their order; see `readEventsOf`. Those that are not there are left out. */
  read(tx: ReadTransaction, sequences: readonly number[]): Promise<readonly LoggedEvent[]>;
  /** Reads the event of a row in the form of today's version, without its personal fields. Throws as a rebuild does. */
  decode(row: EventRow): RecordedEvent;
  /** Applies an event again, to tables that another transaction fills. */
  replay(tx: WriteTransaction, event: RecordedEvent): Promise<void>;
  /** Deletes all rows of removed organizations, as a rebuild does. Call it after the last event was applied again. */
  endReplay(tx: WriteTransaction): Promise<void>;
  /** Deletes all rows of removed organizations, as a rebuild does. Call it after the last event was applied again. */
  endReplay(tx: WriteTransaction): Promise<void>;
  /** Counts the objects that a removal also removes, in the transaction of its command. */
  readonly taken: TakenCounter;
}

/** Says which event of the log is damaged, or does not fit to those before it. */
export class ReplayError extends Error {}

const replayBatch = 500;

/** What an event log is made of. */
export interface EventLogParts {
  /** Those of all features, in the order in which their tables refer to each other. */
  readonly projections: readonly Projection[];
  readonly personalData: PersonalData;
  /**
   * As in the database: what a rebuild must not blame on an event. A full disk is not the fault of the event, a constraint
   * that does not hold is. Default: no error.
   */
  readonly isFailure?: Database["isFailure"];
  /** Called with the parts that a read had to leave out. Default: nobody is. */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** Called with each event that is recorded, within its write. It must return at once. Default: nobody is. */
  readonly onRecorded?: ((tx: WriteTransaction, event: RecordedEvent) => void) | undefined;
  /** What is known of each type of event. Default: the catalogue. A test may declare other versions. */
  readonly definitions?: EventDefinitions | undefined;
}

/** Creates the log. */
export function createEventLog({
  projections,
  personalData,
  isFailure = () => false,
  onUnreadable = () => {},
  onRecorded = () => {},
  definitions = eventDefinitions,
}: EventLogParts): EventLog {
  const sealRemoteAddress = createRemoteAddressSealer(personalData);
  const { apply, replay } = createAppliers(projections);
  const sweep = createSweep(projections, apply);
  const sweepReplayed = createSweep(projections, replay);
  const sweepAllReplayed = async (tx: WriteTransaction): Promise<void> => {
    while (await sweepReplayed(tx, replayBatch));
  };
  return {
    async append(tx, origin, events) {
      const date = await tx.reserveSequences(events.length);
      let sequence = date - events.length;
      for (const event of events) {
        sequence += 1;
        const json = JSON.stringify(event.payload);
        const recorded = toRecorded(event, { sequence, date, editor: origin.editor, json });
        if (definitions[event.type].createsKey)
          await personalData.createKey(tx, event.aggregateId, event.resourceOwner);
        await insert({ tx, personalData, sealRemoteAddress, origin, definitions }, recorded, json);
        await apply(tx, recorded);
        onRecorded(tx, recorded);
      }
      return date;
    },
    async rebuild(tx) {
      const tables = projections.flatMap((projection) => projection.tables);
      for (const table of tables.toReversed()) await tx.run(`DELETE FROM ${table}`);
      let count = 0;
      let rows = await readAfter(tx, 0);
      while (rows.length > 0) {
        for (const row of rows) {
          try {
            const event = await decodeEvent(tx, { personalData, definitions }, row);
            if (definitions[event.type].mayReuseId) await sweepAllReplayed(tx);
            await replay(tx, event);
          } catch (error) {
            throw isFailure(error) ? error : toReplayError(row, error);
          }
        }
        count += rows.length;
        rows = await readAfter(tx, rows.at(-1)?.sequence ?? 0);
      }
      await sweepAllReplayed(tx);
      return count;
    },
    sweep,
    decode: (row) => decodeOpen(definitions, row),
    replay,
    endReplay: sweepAllReplayed,
    read: (tx, sequences) => readEventsOf(tx, { personalData, onUnreadable }, sequences),
    taken: createTakenCounter(projections),
  };
}

function toRecorded(
  { type, aggregateId, resourceOwner }: NewEvent,
  { json, ...place }: Pick<RecordedEvent, "sequence" | "date" | "editor"> & { readonly json: string },
): RecordedEvent {
  // Through JSON, so that appliers see now exactly what a replay will show them.
  const payload = JSON.parse(json) as RecordedEvent["payload"];
  return { type, aggregateId, resourceOwner, ...place, payload };
}

type Applier = (tx: WriteTransaction, event: RecordedEvent) => Promise<void>;

/** Creates the two ways to apply an event: when it is recorded, and when it is applied again. */
function createAppliers(projections: readonly Projection[]): Readonly<Record<"apply" | "replay", Applier>> {
  const replay = createApply(projections.map(({ on }) => on));
  const follow = createApply(projections.map(({ once = {} }) => once));
  return {
    replay,
    async apply(tx, event) {
      await follow(tx, event);
      await replay(tx, event);
    },
  };
}

/** Creates a function that applies an event by each of these, which are in the order of their projections. */
function createApply(all: readonly Appliers[]): Applier {
  const appliers = new Map(eventTypes.map((type) => [type, listAppliers(all, type)]));
  return async (tx, event) => {
    for (const applier of appliers.get(event.type) ?? []) await applier(tx, event);
  };
}

/** Returns the appliers of events of the type, in order. */
function listAppliers(all: readonly Appliers[], type: EventType): readonly Applier[] {
  // A row cannot go while others refer to it.
  const ordered = type.endsWith(".removed") ? all.toReversed() : all;
  // The key is the type of the event, which TypeScript cannot follow through an index.
  return ordered.flatMap((appliers) => (appliers[type] as Applier | undefined) ?? []);
}

function toReplayError({ sequence, type, aggregate_id: id }: EventRow, cause: unknown): ReplayError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ReplayError(`the event ${sequence} (${type} of ${id}) cannot be applied: ${reason}`, { cause });
}

/** `json` is the whole payload. */
async function insert(
  setup: {
    readonly tx: WriteTransaction;
    readonly personalData: PersonalData;
    readonly sealRemoteAddress: RemoteAddressSealer;
    readonly origin: Origin;
    readonly definitions: EventDefinitions;
  },
  event: RecordedEvent,
  json: string,
): Promise<void> {
  const { tx, personalData, sealRemoteAddress, origin, definitions } = setup;
  const definition = definitions[event.type];
  const context = contextOf(event.aggregateId, event.type, definition.version);
  const { open, personal } =
    definition.personal === undefined
      ? { open: json, personal: undefined }
      : split(event.payload, definition.personal);
  const person = personOf(definition, { aggregateId: event.aggregateId, open: event.payload });
  const sealed = personal === undefined ? undefined : await personalData.seal(tx, person, personal, context);
  const address = await sealRemoteAddress(tx, origin, { sequence: event.sequence, context });
  const aggregateType = aggregateTypeOf(event.type);
  const row: EventColumns = {
    sequence: event.sequence,
    date: event.date,
    aggregate_type: aggregateType,
    aggregate_id: event.aggregateId,
    // Nothing had the id of the event that an aggregate begins with.
    revision:
      event.type === `${aggregateType}.added`
        ? 1
        : await findNextRevision(tx, aggregateType, event.aggregateId),
    type: event.type,
    version: definition.version,
    resource_owner: event.resourceOwner,
    editor: origin.editor,
    request_id: origin.requestId,
    remote_address: address.remote_address,
    remote_address_of: address.remote_address_of,
    payload: open,
    personal: sealed ?? null,
  };
  await tx.run(insertRow, [
    row.sequence,
    row.date,
    row.aggregate_type,
    row.aggregate_id,
    row.revision,
    row.type,
    row.version,
    row.resource_owner,
    row.editor,
    row.request_id,
    row.remote_address,
    row.remote_address_of,
    row.payload,
    row.personal,
    checksumOfEvent(row),
  ]);
}

const insertRow = `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner,
    editor, request_id, remote_address, remote_address_of, payload, personal, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The revision is unique per aggregate: of two writers that saw the same state, one fails. */
async function findNextRevision(tx: ReadTransaction, type: string, id: string): Promise<number> {
  const row = await tx.get<{ next: number }>(
    "SELECT COALESCE(MAX(revision), 0) + 1 AS next FROM events WHERE aggregate_type = ? AND aggregate_id = ?",
    [type, id],
  );
  return row?.next ?? 1;
}

/** Returns the JSON of the fields that everybody may read, and the JSON of the others if there are any. */
function split(
  payload: object,
  personalKeys: readonly string[],
): { readonly open: string; readonly personal: string | undefined } {
  const entries = Object.entries(payload);
  const personal = entries.filter(([key]) => personalKeys.includes(key));
  return {
    open: JSON.stringify(Object.fromEntries(entries.filter(([key]) => !personalKeys.includes(key)))),
    personal: personal.length === 0 ? undefined : JSON.stringify(Object.fromEntries(personal)),
  };
}

async function readAfter(tx: ReadTransaction, sequence: number): Promise<readonly EventRow[]> {
  return await tx.all<EventRow>(
    `SELECT sequence, date, aggregate_id, type, version, resource_owner, editor, payload, personal
     FROM events WHERE sequence > ? ORDER BY sequence LIMIT ${replayBatch}`,
    [sequence],
  );
}
