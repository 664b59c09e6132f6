import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { differencesOf } from "../process/support/tables.ts";
import { sized, someOf } from "../support/size.ts";
import { answerIn, endingOf, inHttp, refusalIn } from "./support/condition-outcomes.ts";
import {
  changing,
  having,
  listRpcsOf,
  prepare,
  type Ready,
  secretsIn,
  sequenceOf,
  withoutSecrets,
} from "./support/condition-rpcs.ts";
import { useConditionSetting } from "./support/condition-suite.ts";
import { alike, laneAt, lanesAt, onEveryLane } from "./support/lanes.ts";

// What x-service-validate-only is to every rpc, found by the descriptors, so that a new one is held to it by itself.

const rpcs = someOf(await listRpcsOf(...changing), ["AddPersonalAccessToken", "AddProject"]);
const reads = someOf(await listRpcsOf(Effect.READ));
const setting = useConditionSetting();

/** Calls that replace settings all of which may be absent. */
const needingNothing: ReadonlySet<string> = new Set(["UpdateExternalClientSettings"]);

const tried = (ready: Ready, value = "true") => having(ready, { "x-service-validate-only": value });

describe("with x-service-validate-only, on every content type,", () => {
  test.each(rpcs)("%s answers as it would, and writes nothing", async (name, rpc) => {
    const { world, make, traces } = setting;
    const ready = await prepare(world, rpc);
    const before = {
      count: await traces.count(),
      last: await traces.lastSequence(),
      tables: await traces.tables(),
    };
    const lanes = lanesAt(name.length);
    const seen = await onEveryLane(async (lane) => {
      const outcome = await make(lane, tried(ready));
      const answer = answerIn(outcome);
      const isNew = sequenceOf(answer) > before.last;
      return [endingOf(outcome), isNew, secretsIn(ready, answer), shapeOf(withoutSecrets(ready, answer))];
    }, lanes);
    expect(differencesOf(await traces.tables(), before.tables)).toEqual([]);
    expect(await traces.count()).toEqual(before.count);
    const real = await make(laneAt(name.length), tried(ready, "false"));
    expect(endingOf(real)).toBe("answered");
    const isNew = (await traces.lastSequence()) > before.last;
    const expected = ["validated true", isNew, [], shapeOf(withoutSecrets(ready, answerIn(real)))];
    expect(seen).toEqual(alike(expected, lanes));
  });

  test.each(rpcs)("%s is refused as the call is", async (name, rpc) => {
    const { world, make, traces } = setting;
    const ready = await prepare(world, rpc);
    const never = await prepare(world, rpc, "never");
    const stranger = world.users.get("user without a role");
    const calls: readonly (readonly [string, Ready])[] = [
      ["by a stranger", having(ready, {}, stranger?.token)],
      ["without a token", having(ready, {}, "")],
      ["about nothing", never],
      ["with no field", { ...ready, request: {} }],
      ["with a bad tag", having(ready, { "if-match": "5" })],
      ["with a stale tag, or one too many", having(ready, { "if-match": '"5"' })],
    ];
    const before = await traces.count();
    const answered = new Set<string>();
    const chosen = sized({ small: calls.slice(name.length % calls.length).slice(0, 1), full: calls });
    for (const [index, [what, call]] of chosen.entries()) {
      const lane = laneAt(index + name.length);
      const outcome = await make(lane, tried(call));
      expect([what, await traces.count()]).toEqual([what, before]);
      const isAnswer = outcome.kind === "answer";
      if (isAnswer) answered.add(what);
      const plain = isAnswer ? outcome : await make(lane, call);
      expect([what, isAnswer || refusalIn(outcome)]).toEqual([what, isAnswer || refusalIn(plain)]);
    }
    // A call that adds names nothing, so there is nothing that it cannot find.
    answered.delete("about nothing");
    // Then it is the call itself.
    if (Object.keys(ready.request).length === 0 || needingNothing.has(name)) answered.delete("with no field");
    expect([...answered]).toEqual([]);
  });

  const badWords = ["TRUE", "1", "", "yes", "true, true", "false, true"];

  test.each(rpcs)("%s takes no other word than true and false", async (name, rpc) => {
    const { world, make, traces } = setting;
    const ready = await prepare(world, rpc);
    const before = await traces.count();
    const lane = laneAt(name.length);
    const word = badWords[name.length % badWords.length] ?? "";
    const ending = endingOf(await make(lane, tried(ready, word)));
    expect([lane, word, ending]).toEqual([lane, word, inHttp(lane, "3 INVALID_REQUEST", 400)]);
    expect(await traces.count()).toEqual(before);
  });

  test.each(reads)("%s reads, whatever the value", async (name, rpc) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    const headers = { "x-service-validate-only": "maybe", "idempotency-key": "" };
    for (const lane of lanesAt(name.length))
      expect([lane, endingOf(await make(lane, having(ready, headers)))]).toEqual([lane, "answered"]);
  });
});

/** Returns the names of fields with the form of their values: an id is digits, as many as it has. */
function shapeOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    return Object.fromEntries(fields.map(([name, inner]) => [name, shapeOf(inner)]));
  }
  if (typeof value !== "string") return value;
  // JSON writes the fraction of a time with as many digits as it needs: none, 3, 6 or 9.
  return value.replace(/(?<=T\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, ".0Z").replaceAll(/\d/g, "0");
}
