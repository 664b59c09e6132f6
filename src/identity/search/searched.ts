import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { toRange, toWords } from "../../kernel/base/names/words.ts";
import type { Appliers, Projection, RecordedEvent } from "../../kernel/events/event.ts";
import type { EventType } from "../../kernel/events/payloads.ts";
import type { Search } from "./find.ts";
import {
  addWords,
  type IndexedObject,
  removeWords,
  replaceWords,
  toWholeRange,
  type WordTable,
} from "./word-repository.ts";

/** What a caller types to find objects; absent or empty: all objects. */
export interface SearchFilter {
  readonly search?: string;
}

/** Objects that are found by words. */
export interface Searched {
  /** Keeps the words. Its events are those of the table of the objects, whose projection comes first. */
  readonly projection: Projection;
  /** Notes the words of a few objects of an earlier version behind an id. Returns the last id; undefined: no object is left. */
  fill(tx: WriteTransaction, after: string): Promise<string | undefined>;
  /** Reads a text as a search in the objects of an owner; undefined: of every owner. */
  toSearch(text: string, ownerId: string | undefined): Search;
}

const filledAtOnce = 500;

/** Defines objects that are found by words. */
export function defineSearched<Row extends { readonly id: string }>(source: {
  readonly table: WordTable;
  /** The statement that selects the rows, up to its WHERE clause. */
  readonly select: string;
  readonly toIndexed: (row: Row) => IndexedObject;
  readonly added: readonly EventType[];
  readonly changed: readonly EventType[];
  readonly removed: readonly EventType[];
  /** What the events do of which the words follow in another way. */
  readonly others?: Appliers;
  /** How texts are stored that find only in full. Default: as they were typed, without blanks at the ends. */
  readonly toWhole?: (text: string) => readonly string[];
}): Searched {
  const { table, select, toIndexed, toWhole = (text) => [text.trim()] } = source;
  const list = (tx: ReadTransaction, where: string, parameters: readonly (string | number)[]) =>
    tx.all<Row>(`${select} WHERE ${where}`, parameters);
  const applying =
    (apply: typeof addWords) =>
    async (tx: WriteTransaction, { aggregateId }: Pick<RecordedEvent, "aggregateId">) => {
      for (const row of await list(tx, "id = ?", [aggregateId])) await apply(tx, table, toIndexed(row));
    };
  const on = (types: readonly EventType[], apply: Applier) => types.map((type) => [type, apply] as const);
  return {
    projection: {
      tables: [table],
      on: {
        ...Object.fromEntries([
          ...on(source.added, applying(addWords)),
          ...on(source.changed, applying(replaceWords)),
          ...on(source.removed, (tx, { aggregateId }) => removeWords(tx, table, aggregateId)),
        ]),
        ...source.others,
      },
    },
    async fill(tx, after) {
      const rows = await list(tx, "id > ? ORDER BY id LIMIT ?", [after, filledAtOnce]);
      for (const row of rows) await replaceWords(tx, table, toIndexed(row));
      return rows.length < filledAtOnce ? undefined : rows.at(-1)?.id;
    },
    toSearch: (text, ownerId) => ({
      table,
      ownerId,
      whole: [...new Set(toWhole(text))].map(toWholeRange),
      words: listNeeded(toWords(text)).map(toRange),
    }),
  };
}

type Applier = (tx: WriteTransaction, event: Pick<RecordedEvent, "aggregateId">) => Promise<unknown>;

/** Leaves out words with which another one begins: they ask for nothing more. */
function listNeeded(words: readonly string[]): readonly string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}
