import { describe, expect, test } from "@jest/globals";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { Effect, effect } from "../../gen/gatehouse/v1/effect_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { answerLifetimeMs } from "../../src/identity/idempotency/stored-answer.ts";
import { listServices } from "../support/methods.ts";
import { sized, someOf } from "../support/size.ts";
import { createServiceUser } from "../support/world.ts";
import { answerIn, endingOf, inHttp } from "./support/condition-outcomes.ts";
import {
  changing,
  having,
  listRpcsOf,
  ofOneRequest,
  prepare,
  prepareOther,
  type Ready,
  secretsIn,
  withoutSecrets,
} from "./support/condition-rpcs.ts";
import { newKey, useConditionSetting } from "./support/condition-suite.ts";
import { alike, everyLane, type EveryLane, laneAt, lanesAt, onEveryLane } from "./support/lanes.ts";
import type { MatrixRpc } from "./support/tenancy-rpcs.ts";
import { addMember } from "./support/tenancy-world.ts";

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
    const hasOther = !ofOneRequest.has(name);
    const other = hasOther ? await prepareOther(world, rpc, first) : undefined;
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
      const reused = other && endingOf(await make(lane, having(other, key)));
      const refusal = hasOther ? inHttp(lane, "9 IDEMPOTENCY_KEY_REUSED", 400) : undefined;
      expect([lane, reused]).toEqual([lane, refusal]);
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

// Whose a key is, and until when.

/**
 * What is still answered to a caller whose roles are on another organization by now: what acts on their own, what is gone and out
 * of nobody's reach, and batches, which need no permission of their own.
 */
const answeredStill = [
  "AddJwtIdentityProvider",
  "RemoveMembership on instance",
  "RemoveMembership on organization",
  "RemoveMembership on project",
  "RemoveMembership on project_grant",
  "RemoveUser",
  "Write",
];

/** Every third rpc, or all. They take turns on the lanes. */
const inTurn = (await listRpcsOf(...changing)).filter(
  (_rpc, index) => index % sized({ small: 3, full: 1 }) === 0,
);

/** Runs each rpc on a lane, and returns what came of it under its name. */
async function onEveryRpc<T>(run: (rpc: MatrixRpc, lane: EveryLane) => Promise<T>) {
  const seen: Record<string, T> = {};
  for (const [index, [name, rpc]] of inTurn.entries()) seen[name] = await run(rpc, laneAt(index));
  return seen;
}

/** Returns a value under the name of each rpc. */
function onAll<T>(value: (rpc: MatrixRpc, lane: EveryLane) => T) {
  return Object.fromEntries(inTurn.map(([name, rpc], index) => [name, value(rpc, laneAt(index))]));
}

/** Makes a caller with a role on the instance, and returns how to take it from them. */
async function createOwner() {
  const { service, world } = setting;
  const user = await createServiceUser(service, world.organizations.hq);
  const scope = { case: "instance", value: true } as const;
  const membershipId = await addMember(service, { userId: user.id, scope, role: "INSTANCE_OWNER" });
  const dismiss = () => service.call(MembershipService.method.removeMembership, { membershipId });
  return { ...user, dismiss };
}

describe("an idempotency key of one caller", () => {
  test("is one of its caller and of its method alone", async () => {
    const { world, make } = setting;
    const { token } = await createOwner();
    // One key for all rpcs; those of a method with several scopes need one for each.
    const keyOf = ({ scope }: MatrixRpc) => ({ "idempotency-key": `the same of ${scope ?? "all"}` });
    const seen = await onEveryRpc(async (rpc, lane) => {
      const ready = await prepare(world, rpc);
      const first = await make(lane, having(ready, keyOf(rpc)));
      const other = await prepareOther(world, rpc, ready);
      return [endingOf(first), endingOf(await make(lane, having(other, keyOf(rpc), token)))];
    });
    expect(seen).toEqual(onAll(() => ["answered", "answered"]));
  });

  test("is free again after 24 hours, and not before", async () => {
    const { world, make, service } = setting;
    const made: Record<string, Ready> = {};
    await onEveryRpc(async (rpc, lane) => {
      const ready = having(await prepare(world, rpc), { "idempotency-key": newKey() });
      made[rpc.name] = ready;
      return endingOf(await make(lane, ready));
    });
    const keyed = (rpc: MatrixRpc): Ready => made[rpc.name] ?? fail(rpc);
    service.clock.turn(answerLifetimeMs - 1);
    const before = await onEveryRpc(async (rpc, lane) => endingOf(await make(lane, keyed(rpc))));
    expect(before).toEqual(onAll(() => "replayed true"));
    service.clock.turn(1);
    const after = await onEveryRpc(async (rpc, lane) => {
      const ready = keyed(rpc);
      const other = having(await prepareOther(world, rpc, ready), ready.options.headers ?? {});
      return endingOf(await make(lane, other));
    });
    expect(after).toEqual(onAll(() => "answered"));
  });

  test("answers nobody who has lost the permission, has no token, or whose roles are elsewhere by now", async () => {
    const { world, make, service } = setting;
    const owner = await createOwner();
    const made: Record<string, Ready> = {};
    const first = await onEveryRpc(async (rpc, lane) => {
      const ready = having(await prepare(world, rpc), { "idempotency-key": newKey() }, owner.token);
      made[rpc.name] = ready;
      return endingOf(await make(lane, ready));
    });
    expect(first).toEqual(onAll(() => "answered"));
    const keyed = (rpc: MatrixRpc): Ready => made[rpc.name] ?? fail(rpc);

    await owner.dismiss();
    const repeated = await onEveryRpc(async (rpc) => {
      const ready = keyed(rpc);
      const nameless = { ...ready, options: { headers: ready.options.headers ?? {} } };
      const seen: Record<string, unknown> = {};
      for (const lane of lanesAt(rpc.name.length)) {
        seen[lane] = [endingOf(await make(lane, ready)), endingOf(await make(lane, nameless))];
      }
      return seen;
    });
    const endings = (rpc: MatrixRpc, lane: EveryLane) => [
      rpc.name === "Write" ? "replayed true" : inHttp(lane, "7 PERMISSION_DENIED", 403),
      inHttp(lane, "16 TOKEN_MISSING", 401),
    ];
    expect(repeated).toEqual(
      onAll((rpc) => Object.fromEntries(lanesAt(rpc.name.length).map((lane) => [lane, endings(rpc, lane)]))),
    );

    const scope = { case: "organizationId", value: world.organizations.hq } as const;
    await addMember(service, { userId: owner.id, scope, role: "ORGANIZATION_OWNER" });
    const elsewhere = await onEveryRpc(async (rpc, lane) => endingOf(await make(lane, keyed(rpc))));
    const replayed = Object.keys(elsewhere).filter(
      (name) => !/NOT_FOUND|PERMISSION_DENIED/.test(elsewhere[name] ?? ""),
    );
    expect(replayed.toSorted()).toEqual(answeredStill.filter((name) => name in made));
  });

  test("stays free after a call that found nothing", async () => {
    const { world, make, traces } = setting;
    const named = inTurn.filter(([, { path, scope }]) => path.length > 0 || scope !== undefined);
    const seen: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const [index, [name, rpc]] of named.entries()) {
      if (rpc.scope === "instance" && rpc.path.length === 0) continue; // the instance is always there
      const lane = laneAt(index);
      const key = { "idempotency-key": newKey() };
      const ready = having(await prepare(world, rpc), key);
      const never = await prepare(world, rpc, "never");
      const before = await traces.count();
      const refused = await make(lane, having({ ...never, options: ready.options }, key));
      expect([name, await traces.count()]).toEqual([name, before]);
      seen[name] = [endingOf(refused), endingOf(await make(lane, ready))];
      expected[name] = [inHttp(lane, "5 NOT_FOUND", 404), "answered"];
    }
    expect(seen).toEqual(expected);
  });
});

function fail({ name }: MatrixRpc): never {
  throw new Error(`${name} was not called`);
}

/** Returns the effects that an rpc may have by its name and its verb. */
function effectsOf(name: string, method: DescMethod): readonly Effect[] {
  if (method.methodKind !== "unary" || getOption(method, http).pattern.case === "get") return [Effect.READ];
  if (/^(?:Explain|Preview|TrialRun)/.test(name)) return [Effect.READ];
  if (name === "GroupService.AddGroupMembers" || name === "AddGroupMembers") return [Effect.CHANGE]; // of the group; harmless if repeated
  if (/^(Add|Create|Register|BulkAdd)/.test(name)) return [Effect.ADD];
  if (name.startsWith("BulkSet")) return [Effect.CHANGE]; // of the object that has the keys
  if (name.startsWith("Bulk")) return [Effect.CHANGE_SEVERAL];
  if (/^(Update|Set|Resend|Verify|Remove|Deactivate|Reactivate|Lock|Unlock)/.test(name))
    return [Effect.CHANGE];
  return changing;
}
