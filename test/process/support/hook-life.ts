import type { JsonObject } from "@bufbuild/protobuf";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

const rpcs = HookService.method;

/** Has hooks of an organization and of the instance changed, of which one goes. None of them is asked, because all are inactive. */
export async function liveHooks(
  service: ConnectedService,
  {
    organizationId,
    projectId,
    appId,
  }: { readonly organizationId: string; readonly projectId: string; readonly appId: string },
): Promise<void> {
  const inside = createCaller(service, organizationId);
  const settings = { url: "https://hooks.example.com/", kind: HookKind.BEFORE_TOKEN };
  const add = async (instance = false) =>
    idOf(await inside(rpcs.addHook, { ...settings, name: uniqueName("Hook"), instance }), "hookId");
  const hookId = await add();
  await inside(rpcs.deactivateHook, { hookId: await add(true) });
  await inside(rpcs.addHookSecret, { hookId });
  const { hook } = await inside(rpcs.getHook, { hookId });
  const [former] = (hook as JsonObject)["signingSecrets"] as JsonObject[]; // the answer has them
  await inside(rpcs.removeHookSecret, { hookId, secretId: idOf(former ?? {}, "id") });
  const signingSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const elsewhere = { url: "https://elsewhere.example.com/", signingSecret, failClosed: true };
  await inside(rpcs.updateHook, { ...elsewhere, hookId, name: uniqueName("Moved") });
  await inside(rpcs.deactivateHook, { hookId });
  await inside(rpcs.reactivateHook, { hookId });
  await inside(rpcs.deactivateHook, { hookId });
  await inside(rpcs.setHookClaim, { projectId, appId, claim: "extra" });
  await inside(rpcs.removeHook, { hookId: await add() });
}
