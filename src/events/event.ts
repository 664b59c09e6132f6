import type { Editor } from "../base/call.ts";
import type { WriteTransaction } from "../base/database.ts";
import type { RecordedPayload } from "./catalogue.ts";
import type { AggregateType, EventPayloads, EventType } from "./payloads.ts";

/** A fact that a decision asks to record. */
export type NewEvent = {
  readonly [T in EventType]: {
    readonly type: T;
    readonly aggregateId: string;
    /** The organization that owns the aggregate; the instance id for memberships of the instance. */
    readonly resourceOwner: string;
    readonly payload: EventPayloads[T];
  };
}[EventType];

/** A recorded fact. */
export interface RecordedEvent<T extends EventType = EventType> {
  readonly type: T;
  readonly aggregateId: string;
  readonly resourceOwner: string;
  readonly sequence: number;
  /** Instant of the command: its last sequence, microseconds since 1970. All events of a command share it. */
  readonly date: number;
  readonly editor: Editor;
  readonly payload: RecordedPayload<T>;
}

/** A fact as it stands in the log, with everything that is known about it. */
export type LoggedEvent = Omit<RecordedEvent, "payload"> & {
  readonly aggregateType: AggregateType;
  readonly version: number;
  /** In the form of its version, which may be older than the one that is written today. */
  readonly payload: object;
  /** Undefined when it is unknown, or when the key of the editor has been destroyed. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
};

/** Applies an event to the tables of a repository. Must depend only on the event and the tables. */
export type Appliers = {
  readonly [T in EventType]?: (tx: WriteTransaction, event: RecordedEvent<T>) => Promise<void>;
};

/**
 * The tables of a repository and the appliers that fill them. `rebuild` empties the tables and applies the whole log.
 */
export interface Projection {
  /** In the order of their references: tables that others refer to come first. */
  readonly tables: readonly string[];
  readonly on: Appliers;
  /**
   * Objects that are removed after their organization was: in this order, and after the objects of later projections.
   */
  readonly owned?: readonly Owned[];
}

/** Objects that are in an organization or rest on something in it. They are removed one by one, as by the event. */
export interface Owned {
  /** Selects their ids. Its only parameter is the organization; a limit is appended. */
  readonly ids: string;
  readonly removal: Removal;
}

type Removal = {
  readonly [T in EventType]: T extends `${AggregateType}.removed` ? T : never;
}[EventType];
