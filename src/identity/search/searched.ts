import type { WriteTransaction } from "../../kernel/base/database.ts";
import { type Condition, equals } from "../../kernel/base/sql.ts";
import { toRange, toWords } from "../../kernel/base/names/words.ts";
import type { Projection, RecordedEvent } from "../../kernel/events/event.ts";
import type { EventType } from "../../kernel/events/payloads.ts";
import type { Search } from "./find.ts";
import {
  addAllWords,
  addWords,
  type IndexedObject,
  listRows,
  listRowsBehind,
  type ObjectRows,
  removeAllWords,
  replaceAllWords,
  replaceWords,
  type WordTable,
} from "./word-repository.ts";

/** What a caller types to find objects; absent or empty: all objects. */
export interface SearchFilter {
  readonly search?: string;
}

/** Objects that are found by words. */
export interface Searched {
  /** Keeps the words, which go with the rows of the objects. The projection of these comes first. */
  readonly projection: Projection;
  /**
   * Notes the words of up to `limit` objects that have changed since a sequence, behind an id; `isNew`: none of them has words yet.
   * Returns the last id; undefined: none is left.
   */
  fill(
    tx: WriteTransaction,
    from: {
      readonly after: string;
      readonly since: number;
      readonly limit: number;
      readonly isNew: boolean;
    },
  ): Promise<string | undefined>;
  /** Forgets the words of all objects. */
  empty(tx: WriteTransaction): Promise<void>;
  /** Reads a text as a search in the objects of an owner; undefined: of every owner. */
  toSearch(text: string, ownerId: string | undefined): Search;
}

const readAtOnce = 500;

/** Defines objects that are found by words. */
export function defineSearched<Row extends { readonly id: string }>(
  source: ObjectRows & {
    readonly table: WordTable;
    readonly toIndexed: (row: Row) => IndexedObject;
    readonly added: readonly EventType[];
    readonly changed: readonly EventType[];
    /** What finds an object by a text in full, besides its id. Default: nothing. */
    readonly toWhole?: (text: string) => readonly Condition[];
  },
): Searched {
  const { table, from, toIndexed, toWhole = () => [] } = source;
  // A new object has what its event says, under the names of the columns: reading the row would be another round trip.
  const addWordsOf: Applier = (tx, { aggregateId: id, resourceOwner, payload }) =>
    addWords(tx, table, toIndexed({ ...payload, id, resource_owner: resourceOwner } as object as Row));
  const replaceWordsOf: Applier = async (tx, { aggregateId }) => {
    for (const row of await listRows<Row>(tx, source, equals("id", aggregateId)))
      await replaceWords(tx, table, toIndexed(row));
  };
  const on = (types: readonly EventType[], apply: Applier) => types.map((type) => [type, apply] as const);
  return {
    projection: {
      tables: [table],
      on: Object.fromEntries([...on(source.added, addWordsOf), ...on(source.changed, replaceWordsOf)]),
    },
    async fill(tx, { after, since, limit, isNew }) {
      const objects: IndexedObject[] = [];
      let last: string | undefined = after;
      while (last !== undefined && objects.length < limit) {
        const rows: readonly Row[] = await listRowsBehind<Row>(tx, source, {
          after: last,
          since,
          limit: readAtOnce,
        });
        objects.push(...rows.map(toIndexed));
        last = rows.length < readAtOnce ? undefined : rows.at(-1)?.id;
        await tx.pause();
      }
      await (isNew ? addAllWords : replaceAllWords)(tx, table, objects);
      return last;
    },
    empty: (tx) => removeAllWords(tx, table),
    toSearch: (text, ownerId) => ({
      table,
      ownerId,
      whole: { from, conditions: [...toOwnId(text.trim()), ...toWhole(text.trim())] },
      words: listNeeded(toWords(text)).map(toRange),
    }),
  };
}

/** Other texts are the id of nothing. */
function toOwnId(text: string): readonly Condition[] {
  return /^\d{1,20}$/.test(text) ? [equals("id", text)] : [];
}

type Applier = (tx: WriteTransaction, event: RecordedEvent) => Promise<void>;

/** Leaves out words with which another one begins: they ask for nothing more. */
function listNeeded(words: readonly string[]): readonly string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}
