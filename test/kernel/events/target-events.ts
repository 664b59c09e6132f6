import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { goneHook } from "./hook-events.ts";

/** The ids of targets of an organization and of the instance, and of one that goes, and those of their tokens and secrets. */
const targetIds = { target: "240", instanceTarget: "241", gone: "242", token: "243", secret: "244" } as const;

const settings = { name: "Target", url: "https://hooks.example.com/", event_types: ["user"] };
const token = { token_id: targetIds.token, expiration_date: "2099-01-01T00:00:00.000Z" };

/** The life of a target of an organization, and of one of the instance. */
export function targetEvents(of: {
  readonly organization: string;
  readonly instance: string;
}): readonly NewEvent[] {
  const about = { aggregateId: targetIds.target, resourceOwner: of.organization };
  const ofInstance = { aggregateId: targetIds.instanceTarget, resourceOwner: of.instance };
  const secret = { secret_id: targetIds.secret };
  return [
    { type: "target.added", ...about, payload: { ...settings, ...token, ...secret } },
    { type: "target.added", ...ofInstance, payload: { ...settings, token_id: "245", secret_id: "246" } },
    { type: "target.changed", ...about, payload: { ...settings, name: "Renamed" } },
    { type: "target.changed", ...about, payload: { ...settings, token_id: "247", secret_id: "248" } },
    { type: "target.secret.added", ...about, payload: { token_id: "249", secret_id: "250" } },
    { type: "target.secret.removed", ...about, payload: { token_id: "251", secret_id: "248" } },
    { type: "target.deactivated", ...about, payload: {} },
    { type: "target.reactivated", ...about, payload: { token_id: "252", login_by: "idp" } },
    { type: "target.gone", ...about, payload: {} },
    { type: "target.redelivery.requested", ...about, payload: { from_sequence: "1" } },
  ];
}

/** A target and a hook that are removed again. */
export function goneTarget(resourceOwner: string): readonly NewEvent[] {
  const about = { aggregateId: targetIds.gone, resourceOwner };
  return [
    { type: "target.added", ...about, payload: { ...settings, token_id: "253", secret_id: "254" } },
    { type: "target.removed", ...about, payload: {} },
    ...goneHook(resourceOwner),
  ];
}
