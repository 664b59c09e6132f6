import type { JsonObject } from "@bufbuild/protobuf";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

const rpcs = TargetService.method;

/** Has targets of an organization and of the instance changed, of which one goes. None of them gets an event. */
export async function liveTargets(service: ConnectedService, organizationId: string): Promise<void> {
  const inside = createCaller(service, organizationId);
  const settings = { url: "https://hooks.example.com/", eventTypes: ["authorization.unconfirmed"] };
  const add = async (instance = false) =>
    idOf(await inside(rpcs.addTarget, { ...settings, name: uniqueName("Target"), instance }), "targetId");
  const targetId = await add();
  await add(true);
  await inside(rpcs.addTargetSecret, { targetId });
  const { target } = await inside(rpcs.getTarget, { targetId });
  const [former] = (target as JsonObject)["signingSecrets"] as JsonObject[]; // the answer has them
  await inside(rpcs.removeTargetSecret, { targetId, secretId: idOf(former ?? {}, "id") });
  await inside(rpcs.updateTarget, { ...settings, targetId, name: uniqueName("Renamed") });
  const signingSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const elsewhere = { ...settings, url: "https://elsewhere.example.com/", signingSecret };
  await inside(rpcs.updateTarget, { ...elsewhere, targetId, name: uniqueName("Moved") });
  await inside(rpcs.deactivateTarget, { targetId });
  await inside(rpcs.reactivateTarget, { targetId });
  await inside(rpcs.redeliver, { targetId, fromSequence: BigInt(Date.now()) * 1000n });
  await inside(rpcs.removeTarget, { targetId: await add() });
}
