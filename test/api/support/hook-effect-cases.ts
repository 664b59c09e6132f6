import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { type EffectCase, type Ground, type Read, seenAsId } from "./field-effect.ts";

const { addHook, getHook, getHookClaim } = HookService.method;

/** Adds a hook to the organization of the world, and returns its id. */
export const newHook = async (
  { service, world }: Pick<Ground, "service" | "world">,
  kind: HookKind = HookKind.BEFORE_TOKEN,
): Promise<string> => {
  const settings = { url: "https://hooks.example.com/before", kind };
  const added = await createCaller(service, world.organizationId)(addHook, {
    ...settings,
    name: uniqueName("Hook"),
  });
  return idOf(added, "hookId");
};
const ofHook = (hookId: string): Read => [getHook, { hookId }];
const signingSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const given = {
  url: "https://hooks.example.com/logins",
  timeout_ms: 700,
  fail_closed: true,
  signing_secret: signingSecret,
  metadata_keys: ["department"],
};
const unseen = {
  signing_secret: "is shown once; test/sites/oidc/hooks.test.ts verifies what is signed with it",
};

/** The rpcs that change hooks. */
export const hookEffectCases: Readonly<Record<string, EffectCase>> = {
  AddHook: {
    prepare: async () => ({
      given: { ...given, kind: "HOOK_KIND_AFTER_EXTERNAL_LOGIN" },
      read: (answer) => ofHook(idOf(answer, "hookId")),
    }),
    // The owner of the hook is the instance then, and not the organization of the call.
    seenAs: { instance: ({ read }) => JSON.stringify(read).includes('"resourceOwner"') },
    unseen,
  },
  UpdateHook: {
    async prepare(ground) {
      const hookId = await newHook(ground, HookKind.AFTER_EXTERNAL_LOGIN);
      return { given: { ...given, hook_id: hookId }, read: () => ofHook(hookId) };
    },
    seenAs: { hook_id: seenAsId },
    unseen,
  },
  AddHookSecret: {
    async prepare(ground) {
      const hookId = await newHook(ground);
      return { given: { hook_id: hookId, signing_secret: signingSecret }, read: () => ofHook(hookId) };
    },
    seenAs: { hook_id: seenAsId },
    unseen,
  },
  SetHookClaim: {
    prepare: ({ world: { projectId, appId } }) =>
      Promise.resolve({
        given: { project_id: projectId, app_id: appId, claim: "extra" },
        read: () => [getHookClaim, { projectId, appId }],
      }),
  },
};
