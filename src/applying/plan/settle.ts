import type { WriteResult } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import type { Gatehouse } from "../../client/client.ts";
import type { PlannedChange, PlannedItem } from "./planned-change.ts";
import { answerIn, placeItems, sendItems } from "./send.ts";

/**
 * Has the service try the changes without making them, and leaves out the calls that would change nothing: it alone knows whether secrets
 * differ, and which other values mean the same. Throws ConfigurationError for what it would refuse.
 */
export async function settleChanges(
  gatehouse: Gatehouse,
  changes: readonly PlannedChange[],
  file: string,
): Promise<readonly PlannedChange[]> {
  if (changes.length === 0) return changes;
  const placed = placeItems(changes);
  const results = await sendItems(gatehouse, placed, { file, isDry: true });
  const kept = new Set<PlannedItem>();
  const sequences = new Map(changes.map(({ subject, sequence }) => [subject, sequence]));
  for (const [index, { change, item }] of placed.entries())
    if (isEffective(results[index], item, { change, sequences })) kept.add(item);
  return changes.flatMap((change) => settle(change, kept));
}

function isEffective(
  result: WriteResult | undefined,
  item: PlannedItem,
  {
    change,
    sequences,
  }: { readonly change: PlannedChange; readonly sequences: Map<string, string | undefined> },
): boolean {
  if (result === undefined) throw new Error("the service answered fewer calls than were made");
  const { details } = answerIn(result, item).message;
  const before = sequences.get(change.subject);
  const after = details?.sequence.toString();
  if (before === undefined || after === undefined || item.of === undefined) return true;
  sequences.set(change.subject, after);
  return before !== after;
}

function settle(change: PlannedChange, kept: ReadonlySet<PlannedItem>): readonly PlannedChange[] {
  const items = change.items.filter((item) => kept.has(item));
  if (items.length === change.items.length) return [change];
  if (items.length === 0) return [];
  const of = new Set(items.flatMap((item) => item.of ?? []));
  const fields = change.fields.filter(({ root }) => root === "state" || of.has(root));
  return [{ ...change, items, fields }];
}
