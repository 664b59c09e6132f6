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
   * What follows from an event a single time, in tables beside the log: it is called when the event is recorded, or when an object
   * of a removed organization goes, and never by a rebuild. It sees the tables as they were before the event.
   *
   * So what would follow from objects of a removed organization that are still being swept is lost if a rebuild comes first, which
   * leaves none of them.
   */
  readonly once?: Appliers;
  /**
   * Objects that are removed after their organization was: in this order, and after the objects of later projections.
   */
  readonly owned?: readonly Owned[];
  /** The objects of the projection that a removal also removes, which the answer lists. Absent: nothing that callers could list. */
  readonly takenAlong?: TakenAlong;
}

/** The objects that are removed with an object, by the type of its removal. */
export type TakenAlong = { readonly [T in EventType]?: readonly Taken[] };

/** Objects of one type that may go with another object. Only objects count that callers could list before. */
export interface Taken {
  /** Each type is counted by one projection. */
  readonly type: ObjectType;
  /**
   * Statements that select a row for each object, no object twice. `:id` stands for the id of the removal, `:now` for the time in
   * milliseconds. They must find their rows on an index, because any number of objects may go.
   */
  readonly rows?: readonly string[];
  /** The same, for objects that hang on many others that go. */
  readonly ofEach?: readonly TakenOfEach[];
  /**
   * Not all of them need to go, and the removed object may be among them: so they are counted once more after the removal. For
   * objects of one user, of which there are few.
   */
  readonly isPart?: true;
}

/** Objects that hang on others, which go with the removed object. */
export interface TakenOfEach {
  readonly parents: Parents;
  /** As `Taken.rows`; `:ids` stands for a list of ids of parents, as in `user_id IN :ids`. */
  readonly rows: string;
}

/** Objects on which others hang. */
export interface Parents {
  /** The objects that these hang on themselves. Absent: the removed object. */
  readonly of?: Parents;
  /** Selects the ids, as `id`, by `:id`, or by `:ids` if there is an `of`. A limit is appended. */
  readonly ids: string;
}

/** What the types of events name as objects: the part before the last dot. */
export type ObjectType = {
  readonly [T in EventType]: T extends `${infer Name}.${"added" | "granted"}` ? Name : never;
}[EventType];

/** Objects that are in an organization or rest on something in it. They are removed one by one, as by the event. */
export interface Owned {
  /** Selects their ids. Its only parameter is the organization; a limit is appended. */
  readonly ids: string;
  readonly removal: Removal;
}

type Removal = {
  readonly [T in EventType]: T extends `${AggregateType}.removed` ? T : never;
}[EventType];
