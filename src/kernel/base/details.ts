/** Where an object stands in the event log. */
export interface Details {
  /**
   * Sequence of the last event of the object, which is at the same time its instant: microseconds since 1970.
   * Always below 2^53.
   */
  readonly sequence: number;
  /** Instant of the first event of the object, microseconds since 1970. */
  readonly creationDate: number;
  /** The organization that owns the object; the id of the instance for objects of the instance. */
  readonly resourceOwner: string;
}

/** Makes the details of an object that a command has just created. `date` is the instant of the command. */
export function createdDetails(date: number, resourceOwner: string): Details {
  return { sequence: date, creationDate: date, resourceOwner };
}

/** Makes the details of an object after a command has changed it. */
export function changedDetails(details: Details, date: number): Details {
  return { ...details, sequence: date };
}

/** The columns that every table of objects has. */
export const detailsColumns: readonly string[] = ["sequence", "creation_date", "resource_owner"];

/** A row with these columns. */
export interface DetailsRow {
  readonly sequence: number;
  readonly creation_date: number;
  readonly resource_owner: string;
}

/** Reads the details that a row holds. */
export function toDetails(row: DetailsRow): Details {
  return { sequence: row.sequence, creationDate: row.creation_date, resourceOwner: row.resource_owner };
}
