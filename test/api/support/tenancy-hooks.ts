import type { JsonObject } from "@bufbuild/protobuf";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import type { Prepare } from "./tenancy-looks.ts";

const { addHook, addHookSecret, deactivateHook, getHook, listHooks, removeHook } = HookService.method;

/** The ids of a hook, and of what it has. */
export interface HookObjects {
  readonly hook: string;
  /** The first one of two. */
  readonly hook_secret: string;
}

/** Makes a hook with two signing secrets, or with one, that no login asks. */
export async function createHook(
  service: TestService,
  organization: string,
  secrets = 2,
): Promise<HookObjects> {
  const inside = createCaller(service, organization);
  const settings = { url: "https://hooks.example.com/events", kind: HookKind.BEFORE_TOKEN };
  const hookId = idOf(await inside(addHook, { name: uniqueName("Hook"), ...settings }), "hookId");
  await inside(deactivateHook, { hookId });
  if (secrets === 2) await inside(addHookSecret, { hookId });
  const { hook } = await inside(getHook, { hookId });
  const [secret] = (hook as JsonObject)["signingSecrets"] as JsonObject[]; // the answer has them
  return { hook: hookId, hook_secret: idOf(secret ?? {}, "id") };
}

/** An organization has 20 hooks at most, so those of calls that are long over go. The oldest one is that of the world. */
const withRoom: Prepare = async ({ world: { service, organizations }, target, caller }) => {
  for (const id of new Set([target.parent.organization, organizations[caller.home]])) {
    const inside = createCaller(service, id);
    const { hooks } = await inside(listHooks, { pageSize: 100 });
    const all = hooks as JsonObject[];
    if (all.length < 16) continue;
    for (const old of all.slice(1, 10)) await inside(removeHook, { hookId: idOf(old, "id") });
  }
  return { fields: {} };
};

/** A hook of its own. */
const withHook: Prepare = async (asked) => {
  await withRoom(asked);
  const secrets = asked.rpc.name === "AddHookSecret" ? 1 : 2;
  const made = await createHook(asked.world.service, asked.target.parent.organization, secrets);
  return { fields: { hook_id: made.hook, secret_id: made.hook_secret } };
};

/** What calls about hooks use up, and add. */
export const ofHooks: Readonly<Record<string, Prepare>> = {
  AddHook: withRoom,
  UpdateHook: withHook,
  DeactivateHook: withHook,
  ReactivateHook: withHook,
  RemoveHook: withHook,
  AddHookSecret: withHook,
  RemoveHookSecret: withHook,
};
