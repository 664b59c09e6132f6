import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { type EffectCase, type Ground, type Read, seenAsId } from "./field-effect.ts";

const { addTarget, getTarget } = TargetService.method;

const newTarget = async ({ service, world }: Ground): Promise<string> => {
  const request = { name: uniqueName("Target"), url: "https://hooks.example.com/before" };
  const settings = { ...request, eventTypes: ["signing_key.removed"] };
  return idOf(await createCaller(service, world.organizationId)(addTarget, settings), "targetId");
};
const ofTarget = (targetId: string): Read => [getTarget, { targetId }];
const signingSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const given = {
  url: "https://hooks.example.com/events",
  event_types: ["signing_key.added"],
  signing_secret: signingSecret,
};
const unseen = { signing_secret: "is shown once; test/api/webhooks.test.ts verifies what is signed with it" };

/** The rpcs that change targets. */
export const targetEffectCases: Readonly<Record<string, EffectCase>> = {
  AddTarget: {
    prepare: async () => ({ given, read: (answer) => ofTarget(idOf(answer, "targetId")) }),
    // The owner of the target is the instance then, and not the organization of the call.
    seenAs: { instance: ({ read }) => JSON.stringify(read).includes('"resourceOwner"') },
    unseen,
  },
  UpdateTarget: {
    async prepare(ground) {
      const targetId = await newTarget(ground);
      return { given: { ...given, target_id: targetId }, read: () => ofTarget(targetId) };
    },
    seenAs: { target_id: seenAsId },
    unseen,
  },
  AddTargetSecret: {
    async prepare(ground) {
      const targetId = await newTarget(ground);
      return {
        given: { target_id: targetId, signing_secret: signingSecret },
        read: () => ofTarget(targetId),
      };
    },
    seenAs: { target_id: seenAsId },
    unseen,
  },
  Redeliver: {
    async prepare(ground) {
      const targetId = await newTarget(ground);
      // So far back that the place of the target follows it.
      const fromSequence = String((ground.service.clock.nowMs() - 86_400_000) * 1000);
      return { given: { target_id: targetId, from_sequence: fromSequence }, read: () => ofTarget(targetId) };
    },
    seenAs: {
      target_id: seenAsId,
      from_sequence: ({ value, read }) =>
        JSON.stringify(read).includes(`"position":"${BigInt(value as string) - 1n}"`), // it was sent as a text,
    },
  },
};
