import type { SqlValue } from "./database.ts";

/** How one field of an object stands in a column. */
export interface Column<Name extends string, V> {
  readonly name: Name;
  readonly toStored: (value: V) => SqlValue;
  readonly fromStored: (stored: SqlValue | undefined) => V;
}

/** The fields of an object in the columns of a table and in the payload of events, which name each of them alike. */
export interface Columns<T, Payload> {
  readonly names: readonly string[];
  /** Returns the values to bind, in the order of `names`. */
  toValues(payload: Payload): readonly SqlValue[];
  fromRow(row: object): T;
}

/** A field that is stored as it is. */
export function text<Name extends string>(name: Name): Column<Name, string> {
  return { name, toStored: (value) => value, fromStored: String };
}

/** A text that may be absent. It is read back empty then. */
export function optionalText<Name extends string>(name: Name): Column<Name, string> {
  const toStored = (value: string | undefined) => value ?? null;
  return { name, toStored, fromStored: (stored) => String(stored ?? "") };
}

/** One of some names. It is read back as the first one where it is absent. */
export function choice<Name extends string, V extends string>(
  name: Name,
  values: readonly [V, ...V[]],
): Column<Name, V> {
  const toStored = (value: string | undefined) => value ?? null;
  const fromStored = (stored: SqlValue | undefined) => values.find((value) => value === stored) ?? values[0];
  return { name, toStored, fromStored };
}

/** A yes or no, stored as 1 or 0. An absent one is a no. */
export function flag<Name extends string>(name: Name): Column<Name, boolean> {
  return {
    name,
    toStored: (value: boolean | undefined) => Number(value ?? false),
    fromStored: (stored) => stored === 1,
  };
}

type AnyColumn<Payload> = Column<keyof Payload & string, unknown>;

/** Says once for each field of an object what column and payload call it, and how it is stored. */
export function defineColumns<T extends object, Payload>(
  columns: {
    readonly [K in keyof T]-?: Column<keyof Payload & string, T[K]>;
  },
): Columns<T, Payload> {
  const entries = Object.entries(columns) as unknown as readonly [string, AnyColumn<Payload>][]; // one for each key of T
  return {
    names: entries.map(([, { name }]) => name),
    toValues: (payload) => entries.map(([, { name, toStored }]) => toStored(payload[name])),
    fromRow(row) {
      const stored = row as Readonly<Record<string, SqlValue>>; // as a statement returned it
      const object: Record<string, unknown> = {};
      for (const [field, { name, fromStored }] of entries) object[field] = fromStored(stored[name]);
      return object as T; // the table has an entry for each of its keys
    },
  };
}
