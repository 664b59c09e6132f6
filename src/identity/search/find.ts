import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { WordRange } from "../../kernel/base/names/words.ts";
import {
  countEntries,
  type Hit,
  listEntries,
  listFirstEntries,
  listWhole,
  type Whole,
  type WordTable,
} from "./word-repository.ts";

/** What a search asks of a table of words. */
export interface Search {
  readonly table: WordTable;
  /** What the objects are of; undefined: whatever they are of. */
  readonly ownerId: string | undefined;
  /** What is enough. */
  readonly whole: Whole;
  /** Of which an object needs each. */
  readonly words: readonly WordRange[];
}

/** From so many entries of its rarest word on, a search is not put in the order of names. */
export const manyHits = 1000;
/** So many entries are looked at for one page, of which few may have the other words. */
const maxLooked = 4000;

/** So many entries of two words are counted to find out which one is rarer. */
const maxCounted = 8 * manyHits;

/** A search whose rarest word leads, and how many entries that word has, up to `manyHits`. */
export interface LedSearch extends Search {
  readonly lead: WordRange | undefined;
  readonly entries: number;
}

/** Finds out which word of a search leads to the fewest objects, as far as that can be seen without counting all of them. */
export async function leadSearch(tx: ReadTransaction, search: Search): Promise<LedSearch> {
  const { table, ownerId, whole, words } = search;
  const count = (range: WordRange, limit: number) => countEntries(tx, { table, ownerId, range }, limit);
  const [first, ...others] = words;
  let lead = first;
  let entries = first === undefined ? 0 : await count(first, manyHits);
  for (let limit = manyHits; others.length > 0 && limit <= maxCounted; limit *= 8) {
    for (const range of words) {
      const counted = await count(range, limit);
      if (range === first || counted < entries) [lead, entries] = [range, counted];
    }
    if (entries < limit) break;
  }
  entries += (await listWhole(tx, whole)).length;
  return { ...search, lead, entries: Math.min(entries, manyHits) };
}

/** A part of what a search finds, by word and id. */
export interface Found {
  readonly hits: readonly Hit[];
  /** Where the next part begins; undefined: nothing is left. */
  readonly next: Hit | undefined;
}

const start: Hit = { word: "", id: "" };
/** Where objects stand that are found in full: before every word, in none of which it is. */
const wholeMark = "!";

/** Where a search reads its entries from. */
interface Source {
  /** What stands behind its last entry. */
  readonly end: string;
  list(after: Hit, limit: number): Promise<readonly Hit[]>;
  /** Leaves out entries of objects that have come before, and of those that lack a word. */
  choose(entries: readonly Hit[]): Promise<readonly Hit[]>;
}

/**
 * Finds up to `limit` objects behind a hit that `keep` lets through, each at its first entry. Stops earlier when it has looked at many
 * entries: `next` says where it goes on.
 */
export async function find(
  tx: ReadTransaction,
  search: LedSearch,
  {
    after = start,
    limit,
    keep,
  }: {
    readonly after?: Hit | undefined;
    readonly limit: number;
    readonly keep: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  },
): Promise<Found> {
  const { lead } = search;
  const sources = [
    createWholeSource(tx, search),
    ...(lead === undefined ? [] : [createWordSource(tx, search, lead)]),
  ];
  const hits: Hit[] = [];
  let looked = 0;
  let position = after;
  for (const source of sources) {
    for (;;) {
      if (position.word >= source.end) break;
      const size = Math.min(Math.max(limit, 64) * (looked === 0 ? 1 : 4), maxLooked);
      const entries = await source.list(position, size);
      looked += entries.length;
      const fitting = await source.choose(entries);
      const kept = await keep(fitting.map(({ id }) => id));
      for (const hit of fitting.filter(({ id }) => kept.has(id))) {
        if (hits.length === limit) return { hits, next: hits.at(-1) };
        hits.push(hit);
      }
      const last = entries.at(-1);
      if (last === undefined || entries.length < size) break;
      position = last;
      if (looked >= maxLooked) return { hits, next: position };
    }
  }
  return { hits, next: undefined };
}

/** Returns those of a few objects that a search finds, in no order. */
export async function findAmong(
  tx: ReadTransaction,
  { table, whole, words }: Search,
  ids: readonly string[],
): Promise<readonly string[]> {
  const having = (range: WordRange) => listFirstEntries(tx, table, { ids, range });
  const found = new Set<string>();
  for (const id of await listWhole(tx, whole, ids)) found.add(id);
  let left = words.length === 0 ? [] : ids;
  for (const range of words) {
    const some = await having(range);
    left = left.filter((id) => some.has(id));
  }
  return [...found.union(new Set(left))];
}

function createWholeSource(tx: ReadTransaction, { whole }: LedSearch): Source {
  return {
    end: `${wholeMark}!`,
    async list({ word, id }, limit) {
      const ids = await listWhole(tx, whole);
      const behind = word === wholeMark ? ids.filter((each) => each > id) : ids;
      return behind.slice(0, limit).map((each) => ({ word: wholeMark, id: each }));
    },
    choose: (entries) => Promise.resolve(entries),
  };
}

function createWordSource(tx: ReadTransaction, search: LedSearch, lead: WordRange): Source {
  const { table, ownerId, whole, words } = search;
  return {
    end: lead.to,
    list: (after, limit) => listEntries(tx, { table, ownerId, range: lead }, { after, limit }),
    async choose(entries) {
      let left = entries;
      const idsLeft = () => left.map(({ id }) => id);
      const firsts = (range: WordRange) => listFirstEntries(tx, table, { ids: idsLeft(), range });
      const here = await firsts(lead);
      left = left.filter(({ id, word }, index) => here.get(id) === word && left[index - 1]?.id !== id);
      const seen = new Set(await listWhole(tx, whole, idsLeft()));
      left = left.filter(({ id }) => !seen.has(id));
      for (const other of words.filter((each) => each !== lead)) {
        const having = await firsts(other);
        left = left.filter(({ id }) => having.has(id));
      }
      return left;
    },
  };
}
