import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Details } from "../../kernel/base/details.ts";
import type { List } from "../../kernel/base/list.ts";
import { foldName } from "../../kernel/base/names/folding.ts";
import { type PageRequest, readSealedPage, type Slice } from "../../kernel/base/paging.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import { type ListedPage, readList } from "../list.ts";
import { find, findAmong, type Found, leadSearch, type LedSearch, manyHits } from "./find.ts";
import type { Searched } from "./searched.ts";

/** Where the next page of a search begins: behind a name, or behind a word, and the id of the object that has it. */
interface Position {
  readonly by: "name" | "word";
  readonly text: string;
  readonly id: string;
}

interface FoundList<Asked, T> {
  readonly list: List<Asked, T>;
  readonly call: Call;
  /** What is asked of the list besides the search. */
  readonly asked: Asked;
  /** Asks the same of these objects alone. */
  readonly among: (ids: readonly string[]) => Asked;
  /** The text that was typed; undefined or empty: the whole list is read. */
  readonly text: string | undefined;
  readonly searched: Searched;
  /** What the objects are of; undefined: whatever they are of. */
  readonly ownerId: string | undefined;
  /** The ids of the objects that are open to the caller, which are few; absent: all. */
  readonly open?: "all" | ReadonlySet<string> | readonly string[];
  readonly nameOf: (object: T) => string;
  readonly page: PageRequest;
}

/**
 * Reads one page of a list, or of what a search finds in it, with the other filters of the list. Few objects are in the order of their names, many
 * in that of the words that found them. A page may hold fewer than were asked for though more follow. Raises PAGE_TOKEN_INVALID.
 */
export async function readFound<Asked, T extends { readonly id: string; readonly details: Details }>(
  context: Pick<FeatureContext, "keyring">,
  tx: ReadTransaction,
  input: FoundList<Asked, T>,
): Promise<ListedPage<T>> {
  const { list, call, asked, text = "", page } = input;
  if (text === "") return await readList(context, tx, { list, call, asked, page });
  const { organizationId } = call.access;
  const search = input.searched.toSearch(text, input.ownerId);
  const { open = "all" } = input;
  const led = open === "all" ? await leadSearch(tx, search) : { ...search, lead: undefined, entries: 0 };
  const source = createSource(tx, input, led);
  return {
    sequence: await processedSequence(tx),
    page: await readSealedPage<Position, T>(context.keyring, page, {
      key: [list.name, organizationId, ...list.keyOf(asked, organizationId), text],
      read: (position, size) => {
        const by = position?.by ?? (led.entries < manyHits ? "name" : "word");
        return by === "name" ? source.readByName(position, size) : source.readByWord(position, size);
      },
      count: async () => {
        const { hits, next } = await source.findSome(undefined, manyHits);
        return { total: hits.length, isLowerBound: next !== undefined };
      },
    }),
  };
}

function createSource<Asked, T extends { readonly id: string }>(
  tx: ReadTransaction,
  { list, among, nameOf, open = "all" }: FoundList<Asked, T>,
  led: LedSearch,
) {
  const known = new Map<string, T>();
  const keep = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (ids.length === 0) return new Set();
    const objects = await list.read(tx, among(ids), { after: undefined, limit: ids.length });
    for (const object of objects) known.set(object.id, object);
    return new Set(objects.map(({ id }) => id));
  };
  const objectsOf = (hits: readonly { readonly id: string }[]) =>
    hits.flatMap(({ id }) => known.get(id) ?? []);
  const findSome = async (after: Position | undefined, limit: number): Promise<Found> => {
    if (open === "all")
      return await find(tx, led, { after: after && { word: after.text, id: after.id }, limit, keep });
    const kept = await keep(await findAmong(tx, led, [...open]));
    return { hits: Array.from(kept, (id) => ({ word: "", id })), next: undefined };
  };
  return {
    findSome,
    async readByWord(position: Position | undefined, size: number): Promise<Slice<Position, T>> {
      const { hits, next } = await findSome(position, size);
      return { items: objectsOf(hits), next: next && { by: "word", text: next.word, id: next.id } };
    },
    async readByName(position: Position | undefined, size: number): Promise<Slice<Position, T>> {
      const { hits } = await findSome(undefined, manyHits);
      const named = objectsOf(hits).map(
        (object) => ({ object, by: "name", text: foldName(nameOf(object)), id: object.id }) as const,
      );
      const sorted = named
        .toSorted(inOrder)
        .filter((each) => position === undefined || inOrder(each, position) > 0);
      const last = sorted.length > size ? sorted[size - 1] : undefined;
      return {
        items: sorted.slice(0, size).map(({ object }) => object),
        next: last && { by: last.by, text: last.text, id: last.id },
      };
    },
  };
}

/** Compares by the names as they are folded, and by the ids where these are the same. */
function inOrder(one: Pick<Position, "text" | "id">, other: Pick<Position, "text" | "id">): number {
  const [left, right] = one.text === other.text ? [one.id, other.id] : [one.text, other.text];
  return Number(left > right) - Number(left < right);
}
