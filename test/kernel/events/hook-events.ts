import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** The ids of hooks of an organization and of the instance, and of one that goes, and those of their secrets. */
const hookIds = { hook: "260", instanceHook: "261", gone: "262", secret: "263" } as const;

const settings = {
  name: "Hook",
  url: "https://hooks.example.com/",
  timeout_ms: 500,
  fail_closed: false,
  metadata_keys: ["department"],
};
const kind = "BEFORE_TOKEN";

/** The life of a hook of an organization, and of one of the instance. */
export function hookEvents(of: {
  readonly organization: string;
  readonly instance: string;
  readonly oidcApplication: string;
}): readonly NewEvent[] {
  const about = { aggregateId: hookIds.hook, resourceOwner: of.organization };
  const ofInstance = { aggregateId: hookIds.instanceHook, resourceOwner: of.instance };
  const ofApplication = { aggregateId: of.oidcApplication, resourceOwner: of.organization };
  return [
    { type: "hook.added", ...about, payload: { ...settings, kind, secret_id: hookIds.secret } },
    { type: "hook.added", ...ofInstance, payload: { ...settings, kind, secret_id: "264" } },
    { type: "hook.changed", ...about, payload: { ...settings, name: "Renamed" } },
    { type: "hook.changed", ...about, payload: { ...settings, fail_closed: true, secret_id: "265" } },
    { type: "hook.secret.added", ...about, payload: { secret_id: "266" } },
    { type: "hook.secret.removed", ...about, payload: { secret_id: "265" } },
    { type: "hook.deactivated", ...about, payload: {} },
    { type: "hook.reactivated", ...about, payload: {} },
    { type: "hook.refused", ...about, payload: { cause: "refused", user_id: "1", application_id: "2" } },
    { type: "hook.refused", ...about, payload: { cause: "failed" } },
    { type: "application.hook_claim.set", ...ofApplication, payload: { claim: "extra" } },
  ];
}

/** A hook that is removed again. */
export function goneHook(resourceOwner: string): readonly NewEvent[] {
  const about = { aggregateId: hookIds.gone, resourceOwner };
  return [
    { type: "hook.added", ...about, payload: { ...settings, kind, secret_id: "267" } },
    { type: "hook.removed", ...about, payload: {} },
  ];
}
