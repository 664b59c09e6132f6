import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { itemIfUnchanged } from "../api/item-condition.ts";
import { useBatch } from "../api/use-batch.ts";
import type { WriteItemSchema, WriteResponse } from "../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import type { ObjectDetails, Removed } from "../../../gen/console/gatehouse/v1/object_pb.ts";

type BatchItem = MessageInitShape<typeof WriteItemSchema>;

/** Makes the request in a batch that removes an item, such as `{ case: "removeUser", value: { userId } }`. */
export type ToRemoval<Item> = (item: Item) => NonNullable<BatchItem["request"]>;

interface Removal {
  readonly details?: ObjectDetails | undefined;
}

/** Returns a function that removes several items in one transaction, all or none: the `removeAll` of a `RemovalDialog`. */
export function useBatchRemoval<Item extends Removal>(
  toRemoval: ToRemoval<Item>,
): (items: readonly Item[], options: CallOptions) => Promise<{ readonly removed: readonly Removed[] }> {
  const batch = useBatch();
  return async (items, options) => {
    const client = await batch();
    return { removed: readRemoved(await client.write({ items: toRemovalItems(items, toRemoval) }, options)) };
  };
}

/** Makes the items of a batch that removes something, each only if nobody else has changed it since. */
export function toRemovalItems<Item extends Removal>(
  items: readonly Item[],
  toRemoval: ToRemoval<Item>,
): BatchItem[] {
  return items.map((item) => ({ ...itemIfUnchanged(item.details), request: toRemoval(item) }));
}

/** Returns all that goes with the removals of a batch. */
export function readRemoved({ results }: Pick<WriteResponse, "results">): readonly Removed[] {
  return results.flatMap(({ result: { value } }) =>
    value !== undefined && "removed" in value ? value.removed : [],
  );
}
