import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { GroupId } from "../../../src/kernel/base/ids.ts";
import { outcomeOf } from "../../support/problems.ts";
import { type GroupStage, openGroupStage } from "./stage.ts";

let stage: GroupStage;

beforeEach(async () => {
  stage = await openGroupStage();
});

afterEach(() => stage.close());

async function addGroups(count: number): Promise<readonly GroupId[]> {
  const groups: GroupId[] = [];
  for (let number = 0; number < count; number += 1) groups.push(await stage.addGroup(`group ${number}`));
  return groups;
}

const unnest = (groupId: string, ...groupIds: readonly string[]) =>
  stage.groups.members.remove(stage.owner, groupId, { userIds: [], groupIds });

describe("a group in a group", () => {
  test("is refused where it would make a circle, of one or of several, also in a race of two", async () => {
    const [a, b, c] = (await addGroups(3)) as [GroupId, GroupId, GroupId];
    expect(await outcomeOf(stage.nest(a, a))).toBe("GROUP_CIRCLE");
    await stage.nest(a, b);
    await stage.nest(b, c);
    expect(await outcomeOf(stage.nest(c, a))).toBe("GROUP_CIRCLE");
    await unnest(b, c);
    const both = await Promise.all([outcomeOf(stage.nest(c, a)), outcomeOf(stage.nest(b, c))]);
    expect(both.toSorted()).toEqual(["GROUP_CIRCLE", "ok"]);
  });

  test("is refused beyond five groups in a chain, whichever end grows", async () => {
    const groups = await addGroups(6);
    for (let at = 1; at < 5; at += 1) await stage.nest(groups[at - 1]!, groups[at]!);
    expect(await outcomeOf(stage.nest(groups[4]!, groups[5]!))).toBe("GROUP_TOO_DEEP");
    expect(await outcomeOf(stage.nest(groups[5]!, groups[0]!))).toBe("GROUP_TOO_DEEP");
    expect(await outcomeOf(stage.nest(groups[3]!, groups[5]!))).toBe("ok");
  });

  test("is in at most 50 others", async () => {
    const [inner, middle, ...outer] = (await addGroups(53)) as [GroupId, GroupId, ...GroupId[]];
    for (const id of outer.slice(0, 25)) await stage.nest(id, inner);
    for (const id of outer.slice(25)) await stage.nest(id, middle);
    expect(await outcomeOf(stage.nest(middle, inner))).toBe("LIMIT_REACHED");
    await unnest(outer[50]!, middle);
    await unnest(outer[49]!, middle);
    expect(await outcomeOf(stage.nest(middle, inner))).toBe("ok");
  });

  test("is known at every depth, whatever came and went", async () => {
    const groups = await addGroups(5);
    const index = fc.integer({ min: 0, max: groups.length - 1 });
    const step = fc.record({ outer: index, inner: index, isAdded: fc.boolean() });
    const edges = new Set<string>();
    const reaches = (from: string): ReadonlySet<string> => {
      const found = new Set([from]);
      for (const id of found)
        for (const edge of edges) if (edge.startsWith(`${id} `)) found.add(edge.slice(id.length + 1));
      return found;
    };
    const check = async (steps: readonly { outer: number; inner: number; isAdded: boolean }[]) => {
      const [outcomes, expectedOutcomes]: [string[], string[]] = [[], []];
      for (const { outer, inner, isAdded } of steps) {
        const [group, member] = [groups[outer]!, groups[inner]!];
        const edge = `${member} ${group}`;
        if (isAdded) {
          const isCircle = !edges.has(edge) && reaches(group).has(member);
          outcomes.push(await outcomeOf(stage.nest(group, member)));
          expectedOutcomes.push(isCircle ? "GROUP_CIRCLE" : "ok");
          if (!isCircle) edges.add(edge);
        } else {
          await unnest(group, member);
          edges.delete(edge);
        }
      }
      expect(outcomes).toEqual(expectedOutcomes);
      const rows = await stage.log.database.read((tx) =>
        tx.all<{ edge: string }>("SELECT inner_id || ' ' || outer_id AS edge FROM nested_groups"),
      );
      const expected = groups.flatMap((id) => Array.from(reaches(id), (outer) => `${id} ${outer}`));
      expect(rows.map(({ edge }) => edge).toSorted()).toEqual(expected.toSorted());
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), check), { numRuns: 25 });
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });
});
