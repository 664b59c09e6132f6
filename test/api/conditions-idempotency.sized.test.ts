import { describe, expect, test } from "@jest/globals";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { listServices } from "../support/methods.ts";
import { answerIn, endingOf, inHttp } from "./support/condition-outcomes.ts";
import {
  changing,
  having,
  listRpcsOf,
  prepare,
  prepareOther,
  secretsIn,
  withoutSecrets,
} from "./support/condition-rpcs.ts";
import { laneAt, newKey, useConditionSetting } from "./support/condition-suite.ts";
import { alike, everyLane, onEveryLane } from "./support/lanes.ts";

// What an idempotency key is to every rpc that changes something, found by the descriptors, so that a new one is held to
// it by itself. A request that `requestOf` does not know fails the tests.

const methods = (await listServices()).flatMap(({ methods: all }) =>
  all.map((method) => [method.name, method] as const),
);
const rpcs = await listRpcsOf(...changing);
const setting = useConditionSetting();

describe("every rpc says its effect:", () => {
  test.each(methods)("%s", (name, method) => {
    expect(effectsOf(name, method)).toContain(getOption(method, effect));
  });
});

describe("an idempotency key, on every content type, has", () => {
  test.each(rpcs)("%s done once and answered on every lane", async (_name, rpc) => {
    const { world, make, traces } = setting;
    const first = await prepare(world, rpc);
    const other = await prepareOther(world, rpc, first);
    for (const [index, lane] of everyLane.entries()) {
      const key = { "idempotency-key": newKey() };
      const ready = having(await prepare(world, rpc), key);
      const answered = await make(lane, ready);
      expect([lane, endingOf(answered)]).toEqual([lane, "answered"]);
      const after = traces.count();
      const repeating = [lane, laneAt(index + 1)];
      const seen = await onEveryLane(async (again) => {
        const repeated = await make(again, ready);
        const answer = answerIn(repeated);
        return [endingOf(repeated), withoutSecrets(ready, answer), secretsIn(ready, answer)];
      }, repeating);
      const expected = ["replayed true", withoutSecrets(ready, answerIn(answered)), []];
      expect(seen).toEqual(alike(expected, repeating));
      const reused = await make(lane, having(other, key));
      expect([lane, endingOf(reused)]).toEqual([lane, inHttp(lane, "9 IDEMPOTENCY_KEY_REUSED", 400)]);
      expect([lane, traces.count()]).toEqual([lane, after]);
    }
  });
});

/** Returns the effects that an rpc may have by its name and its verb. */
function effectsOf(name: string, method: DescMethod): readonly Effect[] {
  if (method.methodKind !== "unary" || getOption(method, http).pattern.case === "get") return [Effect.READ];
  if (/^(Add|Create|Register|BulkAdd)/.test(name)) return [Effect.ADD];
  if (name.startsWith("Bulk")) return [Effect.CHANGE_SEVERAL];
  if (/^(Update|Set|Resend|Verify|Remove|Deactivate|Reactivate|Lock|Unlock)/.test(name))
    return [Effect.CHANGE];
  return changing;
}
