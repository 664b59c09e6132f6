import { describe, expect, test } from "@jest/globals";
import { Effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { answerIn, endingOf, inHttp, metadataOf, refusalIn } from "./support/condition-outcomes.ts";
import { having, listRpcsOf, prepare, type Ready, sequenceOf } from "./support/condition-rpcs.ts";
import { useConditionSetting } from "./support/condition-suite.ts";
import { type EveryLane, everyLane } from "./support/lanes.ts";

// What if-match is to every rpc, found by the descriptors, so that a new one is held to it by itself.

const changes = await listRpcsOf(Effect.CHANGE);
const setting = useConditionSetting();

const matching = (ready: Ready, tag: string) => having(ready, { "if-match": tag });

/** Makes a call that must be refused for the sequence of its object, and returns that sequence as the refusal says it. */
async function sequenceRefused(lane: EveryLane, ready: Ready, tag: string): Promise<bigint> {
  const { make, traces } = setting;
  const before = traces.count();
  const refused = await make(lane, matching(ready, tag));
  expect([lane, endingOf(refused)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
  expect([lane, traces.count()]).toEqual([lane, before]);
  const { sequence, ...more } = metadataOf(refused);
  expect(more).toEqual({});
  return BigInt(sequence ?? "");
}

describe("with if-match, on every content type,", () => {
  test.each(changes)(
    "%s is done for the sequence that the object has, and for no other",
    async (_name, rpc) => {
      const { world, make, traces } = setting;
      for (const [index, lane] of everyLane.entries()) {
        const ready = await prepare(world, rpc);
        const sequence = await sequenceRefused(lane, ready, '"1"');
        const near = sequence + (index % 2 === 0 ? 1n : -1n);
        expect(await sequenceRefused(lane, ready, `"${near}"`)).toBe(sequence);
        const before = traces.count()["events"] ?? 0;
        const changed = await make(lane, matching(ready, `"${sequence}"`));
        expect([lane, endingOf(changed)]).toEqual([lane, "answered"]);
        // What is as it should be already is left alone, and so is its sequence.
        const isNew = (traces.count()["events"] ?? 0) > before;
        const next = sequenceOf(answerIn(changed));
        expect([lane, next > sequence]).toEqual([lane, isNew]);
        const isOver = isNew && !rpc.method.name.startsWith("Remove");
        const known = isOver ? await sequenceRefused(lane, ready, `"${sequence}"`) : next;
        expect([lane, known]).toEqual([lane, next]);
      }
    },
  );

  test.each(changes)("%s is done for * when the object is there, and only then", async (_name, rpc) => {
    const { world, make, traces } = setting;
    const never = await prepare(world, rpc, "never");
    for (const lane of everyLane) {
      const before = traces.count();
      for (const tag of ["*", '"5"']) {
        const refused = await make(lane, matching(never, tag));
        expect([lane, tag, endingOf(refused)]).toEqual([lane, tag, inHttp(lane, "5 NOT_FOUND", 404)]);
      }
      expect(traces.count()).toEqual(before);
      const ready = await prepare(world, rpc);
      expect([lane, endingOf(await make(lane, matching(ready, "*")))]).toEqual([lane, "answered"]);
    }
  });

  test.each(changes)("%s is refused to a stranger as without it", async (_name, rpc) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    const stranger = world.users.get("user without a role");
    for (const lane of everyLane) {
      const plain = await make(lane, having(ready, {}, stranger?.token));
      const tagged = await make(lane, having(ready, { "if-match": '"1"' }, stranger?.token));
      expect([lane, refusalIn(tagged)]).toEqual([lane, refusalIn(plain)]);
    }
  });
});
