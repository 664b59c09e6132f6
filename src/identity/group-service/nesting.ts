import type { ReadTransaction } from "../../kernel/base/database.ts";
import { limitReached } from "../../kernel/base/problem.ts";
import {
  type Group,
  groupCircle,
  groupTooDeep,
  maxDepth,
  maxInnerGroups,
  maxOuterGroups,
} from "../groups/group.ts";
import {
  listNestingsOfInner,
  listNestingsOfOuter,
  listOuterGroups,
  measureDepth,
  type Nesting,
} from "../groups/member-repository.ts";

/** Checks groups that are to become members of a group. Raises GROUP_CIRCLE, GROUP_TOO_DEEP, LIMIT_REACHED. */
export async function requireNestable(
  tx: ReadTransaction,
  group: Pick<Group, "id">,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return;
  const outer = new Set(await listOuterGroups(tx, group.id));
  const circle = groupIds.find((id) => outer.has(id));
  if (circle !== undefined) throw groupCircle(circle);
  const { up } = await measureDepth(tx, group.id);
  for (const id of groupIds) if (up + (await measureDepth(tx, id)).down > maxDepth) throw groupTooDeep(id);
  const added = await listNestingsOfInner(tx, groupIds);
  const inner = new Set(added.map(({ innerId }) => innerId));
  // The groups count themselves, too.
  if (isBeyond(added, "innerId", "outerId", { gained: outer, max: maxOuterGroups + 1 }))
    throw limitReached("group", maxOuterGroups);
  const around = await listNestingsOfOuter(tx, group.id);
  if (isBeyond(around, "outerId", "innerId", { gained: inner, max: maxInnerGroups + 1 }))
    throw limitReached("group", maxInnerGroups);
}

/** Says whether one of the groups on a side of the nestings would have more than so many on the other side. */
function isBeyond(
  nestings: readonly Nesting[],
  side: keyof Nesting,
  other: keyof Nesting,
  { gained, max }: { readonly gained: ReadonlySet<string>; readonly max: number },
): boolean {
  const groups = Map.groupBy(nestings, (nesting) => nesting[side]);
  return [...groups.values()].some(
    (each) => gained.union(new Set(each.map((nesting) => nesting[other]))).size > max,
  );
}
