import { describe, expect, test } from "@jest/globals";
import { sized } from "../support/size.ts";
import { createServiceUser } from "../support/world.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { answerLifetimeMs } from "../../src/features/idempotency/stored-answer.ts";
import { endingOf, inHttp } from "./support/condition-outcomes.ts";
import { changing, having, listRpcsOf, prepare, prepareOther, type Ready } from "./support/condition-rpcs.ts";
import { newKey, useConditionSetting } from "./support/condition-suite.ts";
import { type EveryLane, laneAt, lanesAt } from "./support/lanes.ts";
import type { MatrixRpc } from "./support/tenancy-rpcs.ts";
import { addMember } from "./support/tenancy-world.ts";

// Whose an idempotency key is, and until when, for every rpc that changes something. The rpcs take turns on the lanes.

/** Every third rpc, or all. */
const rpcs = (await listRpcsOf(...changing)).filter(
  (_rpc, index) => index % sized({ small: 3, full: 1 }) === 0,
);
const setting = useConditionSetting();

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

/** Runs each rpc on a lane, and returns what came of it under its name. */
async function onEveryRpc<T>(run: (rpc: MatrixRpc, lane: EveryLane) => Promise<T>) {
  const seen: Record<string, T> = {};
  for (const [index, [name, rpc]] of rpcs.entries()) seen[name] = await run(rpc, laneAt(index));
  return seen;
}

/** Returns a value under the name of each rpc. */
function onAll<T>(value: (rpc: MatrixRpc, lane: EveryLane) => T) {
  return Object.fromEntries(rpcs.map(([name, rpc], index) => [name, value(rpc, laneAt(index))]));
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

describe("an idempotency key", () => {
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
    const named = rpcs.filter(([, { path, scope }]) => path.length > 0 || scope !== undefined);
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
