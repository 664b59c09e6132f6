import type { ReadTransaction } from "./database.ts";
import type { Instant } from "./clock.ts";
import type { PageQuery } from "./paging.ts";
import { allOf, always, type Condition, countUpTo, equals, isAmong, unindexed } from "./sql.ts";

/** A list of the API, oldest first. `Asked` is what a call asks of it. */
export interface List<Asked, T> {
  /** The rpc that answers it. */
  readonly name: string;
  /** The indexes that it is read on. A test looks for them in the schema. */
  readonly indexes: readonly ListIndex[];
  /** The filters that have a column each, by their names. */
  readonly filters: Readonly<Record<string, FilterColumn>>;
  /** Returns the date of an object by which the list is ordered for a call; undefined: when it was made. */
  dateOf(asked: Asked, item: T): Instant | undefined;
  /** Returns the values that a page token is bound to, besides the rpc and the organization that the call acts on. */
  keyOf(asked: Asked, organizationId: string): readonly string[];
  read(tx: ReadTransaction, asked: Asked, page: PageQuery): Promise<readonly T[]>;
  /** Counts the objects, up to `limit`. */
  count(tx: ReadTransaction, asked: Asked, limit: number): Promise<number>;
}

/** An index that a list needs: one that begins with these columns or, if it is unique, a unique one on some of them. */
export interface ListIndex {
  readonly table: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
}

/** A part of a list that one statement reads. No object is in two parts. */
export interface ListPart {
  readonly where: readonly Condition[];
  /** Where its rows come from, and the columns of its order, if not those of the list. */
  readonly from?: string;
  readonly order?: ListOrder;
  /** What it selects instead of the columns of the list, under the same names. */
  readonly columns?: readonly string[];
  /** A few ids lead to its objects: all of them are read, and put in order afterwards. */
  readonly isUnordered?: true;
}

/** The columns of the order: an instant, and an id that tells objects of one instant apart. */
type ListOrder = readonly [date: string, id: string];

interface ListSource<Asked, Row, T> {
  readonly name: string;
  /** A table or a view. */
  readonly from: string;
  readonly columns: readonly string[];
  /** By default `creation_date` and `id`. */
  readonly order?: ListOrder;
  /**
   * Of rights: says whether a call asks for those that end. They come in the order of `end_date`, which stands beside the date of the
   * creation.
   */
  readonly isByEnd?: (asked: Asked) => boolean;
  readonly toItems: (rows: readonly Row[], tx: ReadTransaction) => readonly T[] | Promise<readonly T[]>;
}

/** A column that callers filter by. */
export interface FilterColumn {
  /** A column, or an expression that an index holds, such as `lower(email)`. */
  readonly column: string;
  /** Converts the value that a caller asks for to the stored one. */
  readonly toStored?: (value: string) => string;
  /**
   * Compares the column, or an expression of its values, with what a caller asks for; by default by equality. Of a filter that leaves
   * one: it may meet a few, which are put in order afterwards.
   */
  readonly toCondition?: (column: string, value: string, now: Instant) => Condition;
  /** Whether it is the end of a right: the list is in the order of ends then, and its index has nothing else behind. */
  readonly isEnd?: true;
  /** Where the rows that lead to its objects are in another table: the parts that are read then, and the indexes that they need. */
  readonly elsewhere?: {
    readonly indexes: readonly ListIndex[];
    /** Makes the parts for the values of all filters of a call; what stands behind this one is compared by them. */
    toParts(asked: { readonly of: string; readonly values: FilterValues }): readonly ListPart[];
  };
  /** Whether the index that leads to the column holds it alone, without what the list is of. */
  readonly isAlone?: true;
  /** Whether the index holds it before what the list is of, because something else asks for it alone. */
  readonly isFirst?: true;
  /**
   * How many objects of the list have one value, if that is never many: one, when a unique index leads to it, or few. On
   * those the other filters of a call are compared; a filter that may leave many, in a call with others, needs an index with them.
   */
  readonly leaves?: "one" | "few";
}

/** What a call gives for each filter of a list; empty or absent for those that let everything through. */
export type FilterValues = Readonly<Record<string, string>>;

/** What a call asks of a list that `defineList` defines. */
export interface AskedList<Filter> {
  /** The organization, project or user that the list is of. */
  readonly of: string;
  readonly filter: Filter;
  /** The ids of the objects that are open to the caller, which are few; by default "all". */
  readonly open?: "all" | ReadonlySet<string>;
}

/**
 * Defines a list of what one organization, project or user has. A filter lets everything through while it is undefined or
 * empty. Of those that a caller gives, the first one in this table leads to the objects, on an index that ends with the
 * order; the others are compared row by row. So the filter that leaves the fewest objects comes first.
 */
export function defineList<Filter extends object, Row extends object, T>(
  source: Omit<ListSource<AskedList<Filter>, Row, T>, "isByEnd"> & {
    /** The column of what the list is of. */
    readonly of: string;
    readonly filters: { readonly [K in keyof Filter]-?: FilterColumn };
  },
): List<AskedList<Filter>, T> {
  const { from, of: owner, order = byCreation } = source;
  const names = Object.keys(source.filters) as readonly unknown[] as readonly (keyof Filter)[]; // it has no other keys
  const valueIn = (filter: Filter, name: keyof Filter) => String(filter[name] ?? "");
  const conditionOn = (filter: Filter, name: keyof Filter, isLeading: boolean, now: Instant): Condition => {
    const { column, toStored = String, toCondition = equals } = source.filters[name];
    return toCondition(isLeading ? column : unindexed(column), toStored(valueIn(filter, name)), now);
  };
  const end = names.find((name) => source.filters[name].isEnd === true);
  return defineListOfParts<AskedList<Filter>, Row, T>({
    ...source,
    indexes: [
      { table: from, columns: [owner, ...order], isUnique: false },
      ...names.flatMap((name): readonly ListIndex[] => {
        const { column, leaves, isEnd, isFirst, elsewhere } = source.filters[name];
        if (elsewhere !== undefined) return elsewhere.indexes;
        const isUnique = leaves === "one";
        const behind = isEnd === true ? [order[1]] : order;
        const lead = isFirst === true ? [column, owner] : [owner, column];
        return [{ table: from, columns: [...lead, ...(isUnique ? [] : behind)], isUnique }];
      }),
    ],
    keyOf: ({ of, filter }, organizationId) => [
      ...(of === organizationId ? [] : [of]),
      ...names.map((name) => valueIn(filter, name)),
    ],
    ...(end === undefined ? {} : { isByEnd: ({ filter }) => valueIn(filter, end) !== "" }),
    partsOf({ of, filter, open = "all" }, tx) {
      const now = tx.now();
      const given = names.filter((name) => valueIn(filter, name) !== "");
      if (open === "all") {
        const leading = given[0] && source.filters[given[0]];
        if (leading?.elsewhere !== undefined) {
          const values = Object.fromEntries(given.map((name) => [name, valueIn(filter, name)]));
          return leading.elsewhere.toParts({ of, values });
        }
        const where = [
          equals(leading?.isAlone === true ? unindexed(owner) : owner, of),
          ...given.map((name, at) => conditionOn(filter, name, at === 0, now)),
        ];
        const isOrdered = leading?.toCondition === undefined || leading.isEnd === true;
        return [isOrdered ? { where } : { where, isUnordered: true }];
      }
      const others = [
        equals(unindexed(owner), of),
        ...given.map((name) => conditionOn(filter, name, false, now)),
      ];
      return [{ where: [isAmong(order[1], [...open]), ...others], isUnordered: true }];
    },
  });
}

/** Defines a list whose parts depend on what a call asks: each is read by itself, and what they hold is merged. */
export function defineListOfParts<Asked, Row extends object, T>(
  source: ListSource<Asked, Row, T> &
    Pick<List<Asked, T>, "keyOf" | "indexes"> & {
      readonly filters?: List<Asked, T>["filters"];
      readonly partsOf: (
        asked: Asked,
        tx: ReadTransaction,
      ) => readonly ListPart[] | Promise<readonly ListPart[]>;
    },
): List<Asked, T> {
  const { name, indexes, filters = {}, keyOf, partsOf, toItems, order = byCreation } = source;
  const orderOf = (asked: Asked): ListOrder => {
    const [date, id] = order;
    return source.isByEnd?.(asked) === true ? [date.replace("creation_date", "end_date"), id] : order;
  };
  const read = async (
    tx: ReadTransaction,
    { part, page, order: [date, id] }: { part: ListPart; page: PageQuery; order: ListOrder },
  ): Promise<readonly Row[]> => {
    const where = allOf([...part.where, isBehind(page, `${date}, ${id}`)]);
    const { columns = source.columns } = part;
    const sql = `SELECT ${columns.join(", ")} FROM ${part.from ?? source.from} WHERE ${where.sql}`;
    if (part.isUnordered) return await tx.all<Row>(sql, where.parameters);
    return await tx.all<Row>(`${sql} ORDER BY ${date}, ${id} LIMIT ?`, [...where.parameters, page.limit]);
  };
  return {
    name,
    indexes,
    filters,
    keyOf,
    dateOf: (asked, item) =>
      source.isByEnd?.(asked) === true ? (item as { readonly endDate?: Instant }).endDate : undefined, // of a right
    async read(tx, asked, page) {
      const parts = await partsOf(asked, tx);
      const listOrder = orderOf(asked);
      const rows: Row[] = [];
      for (const part of parts)
        rows.push(...(await read(tx, { part, page, order: part.order ?? listOrder })));
      const isInOrder = parts.length === 1 && !parts[0]?.isUnordered;
      return await toItems(isInOrder ? rows : rows.toSorted(comparing(listOrder)).slice(0, page.limit), tx);
    },
    async count(tx, asked, limit) {
      let total = 0;
      for (const { from = source.from, where, order: [, column] = order } of await partsOf(asked, tx)) {
        if (total >= limit) break;
        total += await countUpTo(tx, limit - total, { column, from, where: allOf(where) });
      }
      return total;
    },
  };
}

const byCreation: ListOrder = ["creation_date", "id"];

/** Compares two columns at once, so that an index that ends with them leads straight to the page. */
function isBehind({ after }: PageQuery, order: string): Condition {
  if (after === undefined) return always;
  return { sql: `(${order}) > (?, ?)`, parameters: [after.date, after.id] };
}

/** Compares rows by the columns of the order. */
function comparing(order: ListOrder): (left: object, right: object) => number {
  const [date, id] = order.map((column) => column.slice(column.indexOf(".") + 1));
  const valueOf = (row: object, column = "") =>
    (row as Readonly<Record<string, string | number>>)[column] ?? "";
  const by = (left: object, right: object, column = "") =>
    Number(valueOf(left, column) > valueOf(right, column)) -
    Number(valueOf(left, column) < valueOf(right, column));
  return (left, right) => by(left, right, date) || by(left, right, id);
}
