import { defaultLabel, type LabelPolicy, toLabelPayload } from "../../src/identity/branding/label-policy.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";

/** The events of a branding that is live: that of the product, but for the changes. */
export function liveLabel(
  about: { readonly aggregateId: string; readonly resourceOwner: string },
  changes: Partial<LabelPolicy>,
): readonly NewEvent[] {
  const payload = toLabelPayload({ ...defaultLabel, ...changes });
  return [
    { ...about, type: "label_policy.added", payload },
    { ...about, type: "label_policy.activated", payload },
  ];
}
