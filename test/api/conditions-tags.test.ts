import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { Effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { answerIn, endingOf, inHttp } from "./support/condition-outcomes.ts";
import { having, listRpcsOf, prepare, type Ready, sequenceOf } from "./support/condition-rpcs.ts";
import { laneAt, useConditionSetting } from "./support/condition-suite.ts";
import { everyLane } from "./support/lanes.ts";
import type { MatrixRpc } from "./support/tenancy-rpcs.ts";

// The form of if-match and where it belongs, and the etag that it comes from, found by the descriptors.

const changes = await listRpcsOf(Effect.CHANGE);
const reads = await listRpcsOf(Effect.READ);
const others = [...reads, ...(await listRpcsOf(Effect.ADD, Effect.CHANGE_SEVERAL))];
const setting = useConditionSetting();

const matching = (ready: Ready, tag: string) => having(ready, { "if-match": tag });

const badTags = [
  'W/"5"',
  '"5", "6"',
  "5",
  "",
  "five",
  '"five"',
  '""',
  '"-5"',
  '"5',
  `"${"5".repeat(21)}"`,
  '*, "5"',
];

describe("if-match must be * or one sequence in quotes:", () => {
  test.each(changes)("%s", async (name, rpc) => {
    const { world, make, traces } = setting;
    const ready = await prepare(world, rpc);
    const before = traces.count();
    for (const [index, tag] of badTags.entries()) {
      const lane = laneAt(index + name.length);
      const ending = endingOf(await make(lane, matching(ready, tag)));
      expect([tag, lane, ending]).toEqual([tag, lane, inHttp(lane, "3 INVALID_REQUEST", 400)]);
    }
    expect(traces.count()).toEqual(before);
  });

  test("on each lane", async () => {
    const { world, make } = setting;
    const [first] = changes;
    if (first === undefined) throw new Error("nothing can be changed");
    const ready = await prepare(world, first[1]);
    for (const lane of everyLane) {
      for (const tag of badTags) {
        const ending = endingOf(await make(lane, matching(ready, tag)));
        expect([tag, lane, ending]).toEqual([tag, lane, inHttp(lane, "3 INVALID_REQUEST", 400)]);
      }
    }
  });
});

test.each(others)("%s takes no if-match, on every content type", async (_name, rpc) => {
  const { world, make, traces } = setting;
  const ready = await prepare(world, rpc);
  const before = traces.count();
  for (const lane of everyLane) {
    const ending = endingOf(await make(lane, matching(ready, "*")));
    expect([lane, ending]).toEqual([lane, inHttp(lane, "3 INVALID_REQUEST", 400)]);
  }
  expect(traces.count()).toEqual(before);
});

describe("etag, on REST,", () => {
  const gets = reads.filter(([name]) => name.startsWith("Get"));

  test.each(gets)("is what %s answers, and no lane else", async (_name, rpc) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    for (const lane of everyLane) {
      const outcome = await make(lane, ready);
      const [object] = Object.values(answerIn(outcome)) as readonly JsonObject[]; // a get answers one
      const expected = lane === "rest" && object !== undefined ? `"${sequenceOf(object)}"` : null;
      expect([lane, outcome.headers.get("etag")]).toEqual([lane, expected]);
    }
  });

  test.each(reads.filter(([name]) => !name.startsWith("Get")))(
    "is not what %s answers",
    async (_name, rpc) => {
      const { world, make } = setting;
      expect((await make("rest", await prepare(world, rpc))).headers.get("etag")).toBeNull();
    },
  );

  const withGet = changes.flatMap(([name, rpc]) => {
    const get = gets.find(
      ([, { path, method }]) => path.join() === rpc.path.join() && method.parent === rpc.method.parent,
    );
    return get === undefined ? [] : [[name, rpc, get[1]] as const];
  });

  test.each(withGet)("is what %s takes of the object, and answers none", async (_name, rpc, get) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    const got = await make("rest", { ...ready, method: get.method, request: namesOf(get, ready) });
    const etag = got.headers.get("etag") ?? "";
    const changed = await make("rest", matching(ready, etag));
    expect([endingOf(changed), changed.headers.get("etag")]).toEqual(["answered", null]);
  });

  test("is there for most kinds of objects", () => {
    expect(withGet.length).toBeGreaterThanOrEqual(25);
  });
});

/** Returns the part of a request that names the object, as the get takes it. */
function namesOf(get: MatrixRpc, { request }: Ready): JsonObject {
  const names = new Set(get.method.input.fields.map(({ jsonName }) => jsonName));
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.has(name)));
}
