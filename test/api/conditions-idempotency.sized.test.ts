import { describe, expect, test } from "@jest/globals";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { listServices } from "../support/methods.ts";
import { sized, someOf } from "../support/size.ts";
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
import { newKey, useConditionSetting } from "./support/condition-suite.ts";
import { alike, everyLane, type EveryLane, laneAt, lanesAt, onEveryLane } from "./support/lanes.ts";

// What an idempotency key is to every rpc that changes something, found by the descriptors, so that a new one is held to
// it by itself. A request that `requestOf` does not know fails the tests.

const methods = (await listServices()).flatMap(({ methods: all }) =>
  all.map((method) => [method.name, method] as const),
);
const rpcs = someOf(await listRpcsOf(...changing), ["AddPersonalAccessToken", "AddProject"]);
const setting = useConditionSetting();

describe("every rpc says its effect:", () => {
  test.each(methods)("%s", (name, method) => {
    expect(effectsOf(name, method)).toContain(getOption(method, effect));
  });
});

describe("an idempotency key, on every content type, has", () => {
  test.each(rpcs)("%s done once and answered on every lane", async (name, rpc) => {
    const { world, make, traces } = setting;
    const first = await prepare(world, rpc);
    const other = await prepareOther(world, rpc, first);
    for (const [index, lane] of lanesAt(name.length).entries()) {
      const key = { "idempotency-key": newKey() };
      const ready = having(await prepare(world, rpc), key);
      const answered = await make(lane, ready);
      expect([lane, endingOf(answered)]).toEqual([lane, "answered"]);
      const after = await traces.count();
      const repeating = [lane, laneAt(name.length + index + 1)];
      const seen = await onEveryLane(async (again) => {
        const repeated = await make(again, ready);
        const answer = answerIn(repeated);
        return [endingOf(repeated), withoutSecrets(ready, answer), secretsIn(ready, answer)];
      }, repeating);
      const expected = ["replayed true", withoutSecrets(ready, answerIn(answered)), []];
      expect(seen).toEqual(alike(expected, repeating));
      const reused = await make(lane, having(other, key));
      expect([lane, endingOf(reused)]).toEqual([lane, inHttp(lane, "9 IDEMPOTENCY_KEY_REUSED", 400)]);
      expect([lane, await traces.count()]).toEqual([lane, after]);
    }
  });
});

// One rpc of each effect, and one that answers a secret.
const chosen: readonly (readonly [string, Effect])[] = [
  ["AddPersonalAccessToken", Effect.ADD],
  ["RemoveUser", Effect.CHANGE],
  ["UpdateProject", Effect.CHANGE],
  // What is stored refuses it before its write, once another call was done.
  ["VerifyU2f", Effect.CHANGE],
  ["BulkRemoveUserGrants", Effect.CHANGE_SEVERAL],
];

describe("64 calls at a time with one key have one effect and one answer:", () => {
  test.each(chosen)("%s", async (name, wanted) => {
    const { world, make, traces } = setting;
    const found = (await listRpcsOf(wanted)).find(([known]) => known === name);
    if (found === undefined) throw new Error(`there is no ${name} with this effect`);
    // On one connection of HTTP/2 all calls are there before the first is answered.
    for (const lane of sized<readonly EveryLane[]>({ small: ["grpc"], full: everyLane })) {
      const ready = having(await prepare(world, found[1]), { "idempotency-key": newKey() });
      const before = await traces.count();
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => make(lane, ready)));
      const answers = outcomes.map((outcome) => JSON.stringify(withoutSecrets(ready, answerIn(outcome))));
      expect([lane, new Set(answers).size]).toEqual([lane, 1]);
      const endings = outcomes.map(endingOf).toSorted();
      expect([lane, endings]).toEqual([lane, ["answered", ...Array<string>(63).fill("replayed true")]]);
      const after = await traces.count();
      expect([lane, (after["events"] ?? 0) - (before["events"] ?? 0)]).toEqual([lane, 1]);
      expect([lane, (after["answers"] ?? 0) - (before["answers"] ?? 0)]).toEqual([lane, 1]);
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
