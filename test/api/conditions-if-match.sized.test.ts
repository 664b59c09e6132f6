import { sized, someOf } from "../support/size.ts";
import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { Effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createHumanUser, idOf, nextPhone } from "../support/world.ts";
import { answerIn, endingOf, inHttp, metadataOf, refusalIn } from "./support/condition-outcomes.ts";
import { having, listRpcsOf, prepare, type Ready, sequenceOf } from "./support/condition-rpcs.ts";
import { useConditionSetting } from "./support/condition-suite.ts";
import { type EveryLane, everyLane, laneAt, lanesAt } from "./support/lanes.ts";
import { prepareRefusal, readyOf, stateRefusals } from "./support/state-refusals.ts";
import type { MatrixRpc } from "./support/tenancy-rpcs.ts";

// What if-match is to every rpc, its form, and the etag that it comes from, found by the descriptors, so that a new rpc is
// held to it by itself. Its sequence is judged after permission and existence, before all that is stored of the object.

const changes = someOf(await listRpcsOf(Effect.CHANGE), [
  "UpdateProject",
  "UpdateProjectGrant",
  "RemovePhone",
]);
const reads = await listRpcsOf(Effect.READ);
const others = [...reads, ...(await listRpcsOf(Effect.ADD, Effect.CHANGE_SEVERAL))];
const setting = useConditionSetting();

const matching = (ready: Ready, tag: string) => having(ready, { "if-match": tag });

/** Makes a call that must be refused for the sequence of its object, and returns that sequence as the refusal says it. */
async function sequenceRefused(lane: EveryLane, ready: Ready, tag: string): Promise<bigint> {
  const { make, traces } = setting;
  const before = await traces.count();
  const refused = await make(lane, matching(ready, tag));
  expect([lane, endingOf(refused)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
  expect([lane, await traces.count()]).toEqual([lane, before]);
  const { sequence, ...more } = metadataOf(refused);
  expect(more).toEqual({});
  return BigInt(sequence ?? "");
}

describe("with if-match, on every content type,", () => {
  test.each(changes)(
    "%s is done for the sequence that the object has, and for no other",
    async (name, rpc) => {
      const { world, make, traces } = setting;
      for (const [index, lane] of lanesAt(name.length).entries()) {
        const ready = await prepare(world, rpc);
        const sequence = await sequenceRefused(lane, ready, '"1"');
        const near = sequence + ((name.length + index) % 2 === 0 ? 1n : -1n);
        expect(await sequenceRefused(lane, ready, `"${near}"`)).toBe(sequence);
        const { events: before = 0 } = await traces.count();
        const changed = await make(lane, matching(ready, `"${sequence}"`));
        expect([lane, endingOf(changed)]).toEqual([lane, "answered"]);
        // What is as it should be already is left alone, and so is its sequence.
        const isNew = ((await traces.count())["events"] ?? 0) > before;
        const next = sequenceOf(answerIn(changed));
        expect([lane, next > sequence]).toEqual([lane, isNew]);
        const isStillThere = isNew && !/^(Remove|Reset)/.test(rpc.method.name);
        const known = isStillThere ? await sequenceRefused(lane, ready, `"${sequence}"`) : next;
        expect([lane, known]).toEqual([lane, next]);
      }
    },
  );

  /** There is one of them, and it is never away. */
  const isAlwaysThere = ([name]: readonly [string, ...unknown[]]) =>
    /^(?:Update|Set|Activate)(?:Default(?:LoginPolicy|LabelPolicy|CustomTexts)|ExternalClientSettings)/.test(
      name,
    );

  test.each(changes.filter((each) => !isAlwaysThere(each)))(
    "%s is done for * when the object is there, and only then",
    async (name, rpc) => {
      const { world, make, traces } = setting;
      const never = await prepare(world, rpc, "never");
      for (const lane of lanesAt(name.length)) {
        const before = await traces.count();
        for (const tag of ["*", '"5"']) {
          const refused = await make(lane, matching(never, tag));
          expect([lane, tag, endingOf(refused)]).toEqual([lane, tag, inHttp(lane, "5 NOT_FOUND", 404)]);
        }
        expect(await traces.count()).toEqual(before);
        const ready = await prepare(world, rpc);
        expect([lane, endingOf(await make(lane, matching(ready, "*")))]).toEqual([lane, "answered"]);
      }
    },
  );

  test.each(changes)("%s is refused to a stranger as without it", async (name, rpc) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    const stranger = world.users.get("user without a role");
    for (const lane of lanesAt(name.length)) {
      const plain = await make(lane, having(ready, {}, stranger?.token));
      const tagged = await make(lane, having(ready, { "if-match": '"1"' }, stranger?.token));
      expect([lane, refusalIn(tagged)]).toEqual([lane, refusalIn(plain)]);
    }
  });
});

const users = UserService.method;
const refusals = stateRefusals.map(
  (refusal) => [`${refusal.method.name} ${refusal.reason}`, refusal] as const,
);

describe("the sequence is judged before what is stored:", () => {
  test.each(refusals)("%s", async (name, refusal) => {
    const { world, make, traces } = setting;
    const ready = await prepareRefusal(world, refusal);
    const before = await traces.count();
    for (const lane of lanesAt(name.length)) {
      const plain = await make(lane, ready);
      expect([lane, endingOf(plain)]).toEqual([lane, expect.stringContaining(` ${refusal.reason}`)]);
      const stale = await make(lane, having(ready, { "if-match": '"1"' }));
      expect([lane, endingOf(stale)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
      for (const tag of [`"${metadataOf(stale)["sequence"]}"`, "*"]) {
        const current = await make(lane, having(ready, { "if-match": tag }));
        expect([lane, tag, refusalIn(current)]).toEqual([lane, tag, refusalIn(plain)]);
      }
    }
    expect(await traces.count()).toEqual(before);
  });
});

test("a wrong phone code with a stale sequence is no try", async () => {
  const { world, make, service } = setting;
  const userId = await createHumanUser(service, world.organizations.ours);
  const set = await service.call(users.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  const code = idOf(set, "verificationCode");
  const wrong = readyOf(world, users.verifyPhone, {
    userId,
    verificationCode: code === "11111111" ? "2" : "11111111",
  });
  for (const lane of [...everyLane, ...everyLane]) {
    const stale = await make(lane, having(wrong, { "if-match": '"1"' }));
    expect([lane, endingOf(stale)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
  }
  const right = readyOf(world, users.verifyPhone, { userId, verificationCode: code });
  expect(endingOf(await make("json", right))).toBe("answered");
});

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
    const before = await traces.count();
    const tag = badTags[name.length % badTags.length] ?? "";
    const lane = laneAt(name.length);
    const ending = endingOf(await make(lane, matching(ready, tag)));
    expect([tag, lane, ending]).toEqual([tag, lane, inHttp(lane, "3 INVALID_REQUEST", 400)]);
    expect(await traces.count()).toEqual(before);
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

test.each(others)("%s takes no if-match, on every content type", async (name, rpc) => {
  const { world, make, traces } = setting;
  const ready = await prepare(world, rpc);
  const before = await traces.count();
  for (const lane of lanesAt(name.length)) {
    const ending = endingOf(await make(lane, matching(ready, "*")));
    expect([lane, ending]).toEqual([lane, inHttp(lane, "3 INVALID_REQUEST", 400)]);
  }
  expect(await traces.count()).toEqual(before);
});

describe("etag, on REST,", () => {
  const ofNoObject = new Set(["GetMyPermissions", "GetActivity"]);
  const gets = reads.filter(([name]) => name.startsWith("Get") && !ofNoObject.has(name));

  test.each(gets)("is what %s answers, and no lane else", async (name, rpc) => {
    const { world, make } = setting;
    const ready = await prepare(world, rpc);
    for (const lane of new Set<EveryLane>(["rest", ...lanesAt(name.length)])) {
      const outcome = await make(lane, ready);
      const [object] = Object.values(answerIn(outcome)) as readonly JsonObject[]; // a get answers one
      const expected = lane === "rest" && object !== undefined ? `"${sequenceOf(object)}"` : null;
      expect([lane, outcome.headers.get("etag")]).toEqual([lane, expected]);
    }
  });

  test.each(reads.filter((read) => !gets.includes(read)))("is not what %s answers", async (_name, rpc) => {
    const { world, make } = setting;
    expect((await make("rest", await prepare(world, rpc))).headers.get("etag")).toBeNull();
  });

  /** What is changed is not what the get of the same path answers: these have no get. */
  const ofOtherObjects = new Set([
    "RemoveServiceUserSecret",
    "VerifyTotp",
    "RemoveTotp",
    "RemoveCodeFactor",
    "RemoveRecoveryCodes",
    "BulkSetUserMetadata",
    "BulkSetOrganizationMetadata",
    "BulkSetProjectMetadata",
    "BulkSetApplicationMetadata",
    "BulkSetGroupMetadata",
  ]);

  const withGet = changes.flatMap(([name, rpc]) => {
    if (ofOtherObjects.has(name)) return [];
    const get = gets.find(
      ([, { path, method, rule }]) =>
        path.join() === rpc.path.join() &&
        method.parent === rpc.method.parent &&
        rule.organization === rpc.rule.organization,
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
    expect(withGet.length).toBeGreaterThanOrEqual(sized({ small: 5, full: 25 }));
  });
});

/** Returns the part of a request that names the object, as the get takes it. */
function namesOf(get: MatrixRpc, { request }: Ready): JsonObject {
  const names = new Set(get.method.input.fields.map(({ jsonName }) => jsonName));
  const named = Object.fromEntries(Object.entries(request).filter(([name]) => names.has(name)));
  // Members are changed under the group, whose own get names it "id".
  const { groupId = request["group_id"] } = request;
  return names.has("id") && !("id" in named) && groupId !== undefined ? { ...named, id: groupId } : named;
}
