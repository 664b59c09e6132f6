import type { JsonObject } from "@bufbuild/protobuf";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { putDeliveries } from "../../../src/identity/targets/positions/position-repository.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { createHook, type HookObjects, ofHooks } from "./tenancy-hooks.ts";
import type { Prepare } from "./tenancy-looks.ts";

const { addTarget, addTargetSecret, getTarget, listTargets, removeTarget } = TargetService.method;

/** The ids of a target, and of what it has, and of a hook. */
export interface TargetObjects extends HookObjects {
  readonly target: string;
  /** The first one of two. */
  readonly target_secret: string;
  /** The sequence of an event that was sent to the target. */
  readonly delivery: string;
}

/** Makes a target with two signing secrets, or with one, that gets no events. */
export async function createTarget(service: TestService, organization: string, secrets = 2) {
  const inside = createCaller(service, organization);
  const settings = { url: "https://hooks.example.com/events", eventTypes: ["signing_key.removed"] };
  const targetId = idOf(await inside(addTarget, { name: uniqueName("Target"), ...settings }), "targetId");
  if (secrets === 2) await inside(addTargetSecret, { targetId });
  const { target } = await inside(getTarget, { targetId });
  const [secret] = (target as JsonObject)["signingSecrets"] as JsonObject[]; // the answer has them
  return { target: targetId, target_secret: idOf(secret ?? {}, "id") };
}

/** Makes a target to which an event was sent, and a hook. */
export async function createTargetWithDelivery(
  service: TestService,
  organization: string,
): Promise<TargetObjects> {
  const made = await createTarget(service, organization);
  return {
    ...made,
    ...(await createHook(service, organization)),
    delivery: await addDelivery(service, made.target),
  };
}

/** Lets the list of deliveries of a target hold one, and returns the sequence of its event. */
export async function addDelivery({ context, clock }: TestService, targetId: string): Promise<string> {
  const sequence = (clock.nowMs() + (deliveries += 1)) * 1000;
  const times = { firstAttemptMs: clock.nowMs(), lastAttemptMs: clock.nowMs(), durationMs: 1 };
  const delivery = {
    sequence,
    eventType: "user.added",
    failure: undefined,
    status: 204,
    attempts: 1,
    ...times,
  };
  await context.database.write((tx) => putDeliveries(tx, targetId, [delivery]));
  return String(sequence);
}
let deliveries = 0;

/** An organization has 100 targets at most, so those of calls that are long over go. The oldest one is that of the world. */
const withRoom: Prepare = async ({ world: { service, organizations }, target, caller }) => {
  for (const id of new Set([target.parent.organization, organizations[caller.home]])) {
    const inside = createCaller(service, id);
    const { targets } = await inside(listTargets, { pageSize: 100 });
    const all = targets as JsonObject[];
    if (all.length < 80) continue;
    for (const old of all.slice(1, 40)) await inside(removeTarget, { targetId: idOf(old, "id") });
  }
  return { fields: {} };
};

/** A target of its own. */
const withTarget: Prepare = async (asked) => {
  await withRoom(asked);
  const { service } = asked.world;
  const secrets = asked.rpc.name === "AddTargetSecret" ? 1 : 2;
  const made = await createTarget(service, asked.target.parent.organization, secrets);
  return { fields: { target_id: made.target, secret_id: made.target_secret } };
};

/** What calls about targets and hooks use up, and add. */
export const ofTargets: Readonly<Record<string, Prepare>> = {
  AddTarget: withRoom,
  UpdateTarget: withTarget,
  DeactivateTarget: withTarget,
  ReactivateTarget: withTarget,
  RemoveTarget: withTarget,
  AddTargetSecret: withTarget,
  RemoveTargetSecret: withTarget,
  Redeliver: withTarget,
  ...ofHooks,
};
