import type { NewEvent } from "../../../src/kernel/events/event.ts";
import type { LabelPolicyPayload } from "../../../src/kernel/events/label-payloads.ts";

/** A branding. */
const labelPolicy: LabelPolicyPayload = {
  light: { primary: "#1d4ed8", background: "#ffffff", warn: "#b3261e", font: "#1b1f24" },
  dark: { primary: "#9db9ff", background: "#1b1e23", warn: "#ffb4ab", font: "#eceef1" },
  theme: "AUTO",
  corner_radius: 10,
  hide_product_name: true,
  terms_url: "https://lamp.example/terms",
  privacy_url: "https://lamp.example/privacy",
  help_url: "https://lamp.example/help",
  support_email: "help@lamp.example",
  images: [{ kind: "LOGO_LIGHT", hash: "ab".repeat(32), content_type: "image/png", width: 200, height: 100 }],
};

/** The ids of the brandings of an organization and of the instance. */
const labelIds = { labelPolicy: "223", defaultLabelPolicy: "224", gone: "225" } as const;

/** The life of both: a draft, made live, and another draft. */
export function labelEvents(of: {
  readonly organization: string;
  readonly instance: string;
}): readonly NewEvent[] {
  const owners = [
    { aggregateId: labelIds.labelPolicy, resourceOwner: of.organization },
    { aggregateId: labelIds.defaultLabelPolicy, resourceOwner: of.instance },
  ];
  return owners.flatMap((about): readonly NewEvent[] => [
    { type: "label_policy.added", ...about, payload: labelPolicy },
    { type: "label_policy.activated", ...about, payload: labelPolicy },
    { type: "label_policy.changed", ...about, payload: { ...labelPolicy, corner_radius: 4 } },
  ]);
}

/** A branding of an organization that is removed again. */
export function goneLabel(resourceOwner: string): readonly NewEvent[] {
  const about = { aggregateId: labelIds.gone, resourceOwner };
  return [
    { type: "label_policy.added", ...about, payload: labelPolicy },
    { type: "label_policy.removed", ...about, payload: {} },
  ];
}
