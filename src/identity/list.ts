import type { Call } from "../kernel/base/call.ts";
import type { ReadTransaction } from "../kernel/base/database.ts";
import type { Details } from "../kernel/base/details.ts";
import type { List } from "../kernel/base/list.ts";
import { type Page, type PageRequest, readPage } from "../kernel/base/paging.ts";
import { processedSequence } from "../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "./context.ts";

/** A page of a list, and the sequence up to which it is current. */
export interface ListedPage<T> {
  readonly page: Page<T>;
  readonly sequence: number;
}

/** Reads one page of a list for a call. Raises PAGE_TOKEN_INVALID. */
export async function readList<Asked, T extends { readonly id: string; readonly details: Details }>(
  context: Pick<FeatureContext, "keyring">,
  tx: ReadTransaction,
  input: {
    readonly list: List<Asked, T>;
    readonly call: Call;
    readonly asked: Asked;
    readonly page: PageRequest;
    /** Says how many of the objects fit on one page where they can be large: at least one. */
    readonly fit?: (items: readonly T[]) => Promise<number>;
    /** The moment of the past that the tables are of, and the last sequence until then. Absent: they are of the present. */
    readonly past?: { readonly micros: number; readonly sequence: number };
  },
): Promise<ListedPage<T>> {
  const { list, call, asked, fit, past } = input;
  const { organizationId } = call.access;
  return {
    sequence: past?.sequence ?? (await processedSequence(tx)),
    page: await readPage(context.keyring, input.page, {
      key: [
        list.name,
        organizationId,
        ...list.keyOf(asked, organizationId),
        ...(past === undefined ? [] : [`as of ${past.micros}`]),
      ],
      read: (query) => list.read(tx, asked, query),
      count: (limit) => list.count(tx, asked, limit),
      dateOf: (item) => list.dateOf(asked, item) ?? item.details.creationDate,
      ...(fit === undefined ? {} : { fit }),
    }),
  };
}
