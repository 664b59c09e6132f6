import type { Editor } from "../base/call.ts";
import type { WriteTransaction } from "../base/database.ts";
import type { AggregateType, EventPayloads, EventType, RecordedPayload } from "./catalogue.ts";

/** A fact that a decision wants recorded. */
export type NewEvent = {
  readonly [T in EventType]: {
    readonly type: T;
    readonly aggregateId: string;
    /** The organization that owns the aggregate; the instance id for memberships of the instance. */
    readonly resourceOwner: string;
    readonly payload: EventPayloads[T];
  };
}[EventType];

/** A fact that is recorded. */
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

/** A fact as it stands in the log, with everything that is known of it. */
export type LoggedEvent = Omit<RecordedEvent, "payload"> & {
  readonly aggregateType: AggregateType;
  readonly version: number;
  /** In the form of its version, which may be older than the one that is written today. */
  readonly payload: object;
  /** Undefined when it was not known, and once the key of the editor is destroyed. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
};

/** What a repository does with the events that it subscribes to. Must depend on nothing but event and tables. */
export type Appliers = {
  readonly [T in EventType]?: (tx: WriteTransaction, event: RecordedEvent<T>) => Promise<void>;
};

/** The tables of a repository and how events fill them. `rebuild` empties the tables and applies the whole log. */
export interface Projection {
  /** In the order in which rows refer to each other: referred ones first. */
  readonly tables: readonly string[];
  readonly on: Appliers;
  /** What goes after an organization that was removed; earlier ones first, and after what later projections own. */
  readonly owned?: readonly Owned[];
}

/** Objects that lie in an organization, or rest on something in it. They go one by one, as the event does it. */
export interface Owned {
  /** Selects their ids. The one parameter is the organization; a limit is put behind it. */
  readonly ids: string;
  readonly removal: Removal;
}

type Removal = {
  readonly [T in EventType]: T extends `${AggregateType}.removed` ? T : never;
}[EventType];
