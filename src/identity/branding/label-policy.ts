import { isDeepStrictEqual } from "node:util";
import type { Details } from "../../kernel/base/details.ts";
import type { LabelPolicyId } from "../../kernel/base/ids.ts";
import { fieldInvalid, type FieldViolation, notFound, Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { LabelImagePayload, LabelPolicyPayload } from "../../kernel/events/label-payloads.ts";
import { maxImageSide, readImage } from "./image-file.ts";
import { type LegalLinks, noLinks } from "./legal-links.ts";
import { type ChosenColors, findLowContrasts, type LowContrast } from "./palette.ts";

/** Which of its two sets of colors a page shows; the first is the default. */
export const labelThemes = ["AUTO", "LIGHT", "DARK"] as const;
/** One of them. */
export type LabelTheme = (typeof labelThemes)[number];

/** The places of images, in the order in which they are listed. */
const labelImageKinds = ["LOGO_LIGHT", "LOGO_DARK", "ICON_LIGHT", "ICON_DARK"] as const;
/** One of them. */
export type LabelImageKind = (typeof labelImageKinds)[number];

/** An image of a branding. Its bytes are stored beside the log, under its hash. */
export interface LabelImage {
  readonly kind: LabelImageKind;
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly contentType: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** What callers set at once; images come one by one. */
export interface LabelSettings {
  readonly light: ChosenColors;
  readonly dark: ChosenColors;
  readonly theme: LabelTheme;
  /** In pixels. */
  readonly cornerRadius: number;
  readonly hideProductName: boolean;
  readonly links: LegalLinks;
}

/** How pages and mails look. */
export interface LabelPolicy extends LabelSettings {
  /** At most one of each kind, in their order. */
  readonly images: readonly LabelImage[];
}

/** A branding, and where it stands in the log. */
export interface StoredLabelPolicy {
  readonly id: LabelPolicyId;
  /** The resource owner is the organization, or the instance for the default. */
  readonly details: Details;
  readonly draft: LabelPolicy;
  /** Undefined: it was never activated. */
  readonly live: LabelPolicy | undefined;
}

/** The look of the product, which is in force where nobody has set one. */
export const defaultLabel: LabelPolicy = {
  light: { primary: "#1d4ed8", background: "#ffffff", warn: "#b3261e", font: "#1b1f24" },
  dark: { primary: "#9db9ff", background: "#1b1e23", warn: "#ffb4ab", font: "#eceef1" },
  theme: "AUTO",
  cornerRadius: 10,
  hideProductName: false,
  links: noLinks,
  images: [],
};

/** Raises CONTRAST_TOO_LOW for colors that cannot be told apart. */
export function requireContrast(settings: Pick<LabelSettings, "light" | "dark">): void {
  const lows = (["light", "dark"] as const).flatMap((theme) =>
    findLowContrasts(settings[theme]).map((low) => ({ field: `${theme}.${low.name}_color`, low })),
  );
  const [first] = lows;
  if (first !== undefined) throw contrastTooLow(first, lows.map(toViolation));
}

/** Reads an image that a caller has sent. Raises FIELD_INVALID. */
export function parseLabelImage(image: Uint8Array): Omit<LabelImage, "kind" | "hash"> {
  const facts = readImage(image);
  if (facts === undefined)
    throw fieldInvalid("image", "must be a whole PNG, JPEG or WebP image with nothing after its end");
  const sides = [facts.width, facts.height];
  if (sides.some((side) => side < 1 || side > maxImageSide))
    throw fieldInvalid("image", `must have 1 to ${maxImageSide} pixels in each direction`);
  return facts;
}

/** Puts an image in the place of the former one of its kind, or takes that away. */
export function withImage(
  policy: LabelPolicy,
  kind: LabelImageKind,
  image: LabelImage | undefined,
): LabelPolicy {
  const others = policy.images.filter((each) => each.kind !== kind);
  const images = image === undefined ? others : [...others, image];
  return {
    ...policy,
    images: labelImageKinds.flatMap((each) => images.filter((one) => one.kind === each)),
  };
}

/** Decides to begin a draft of an organization, or of the instance. */
export function addLabelPolicy(policy: {
  readonly id: LabelPolicyId;
  readonly resourceOwner: string;
  readonly draft: LabelPolicy;
}): NewEvent {
  const { id, resourceOwner, draft } = policy;
  return { type: "label_policy.added", aggregateId: id, resourceOwner, payload: toLabelPayload(draft) };
}

/** Decides to replace the draft; no events when it is the same. */
export function changeLabelPolicy(policy: StoredLabelPolicy, draft: LabelPolicy): readonly NewEvent[] {
  if (isSameLabel(policy.draft, draft)) return [];
  return [{ ...aggregateOf(policy), type: "label_policy.changed", payload: toLabelPayload(draft) }];
}

/** Decides to make the draft live; no events when it is. */
export function activateLabelPolicy(policy: StoredLabelPolicy): readonly NewEvent[] {
  if (policy.live !== undefined && isSameLabel(policy.live, policy.draft)) return [];
  return [{ ...aggregateOf(policy), type: "label_policy.activated", payload: toLabelPayload(policy.draft) }];
}

/** Decides to remove the branding. */
export function removeLabelPolicy(policy: StoredLabelPolicy): NewEvent {
  return { ...aggregateOf(policy), type: "label_policy.removed", payload: {} };
}

/** Returns the problem of an organization, or of the instance, without a branding of its own. */
export function labelPolicyNotFound(owner: string): Problem {
  return notFound("label_policy", owner);
}

/** Converts a branding to the payload of its events. */
export function toLabelPayload(policy: LabelPolicy): LabelPolicyPayload {
  return {
    light: policy.light,
    dark: policy.dark,
    theme: policy.theme,
    corner_radius: policy.cornerRadius,
    hide_product_name: policy.hideProductName,
    terms_url: policy.links.termsUrl,
    privacy_url: policy.links.privacyUrl,
    help_url: policy.links.helpUrl,
    support_email: policy.links.supportEmail,
    images: policy.images.map(
      ({ kind, hash, contentType, width, height }): LabelImagePayload => ({
        kind,
        hash,
        content_type: contentType,
        width,
        height,
      }),
    ),
  };
}

/** Reads a branding from the payload of its events. */
export function fromLabelPayload(payload: LabelPolicyPayload): LabelPolicy {
  return {
    light: payload.light,
    dark: payload.dark,
    theme: labelThemes.find((theme) => theme === payload.theme) ?? "AUTO",
    cornerRadius: payload.corner_radius,
    hideProductName: payload.hide_product_name,
    links: {
      termsUrl: payload.terms_url,
      privacyUrl: payload.privacy_url,
      helpUrl: payload.help_url,
      supportEmail: payload.support_email,
    },
    images: payload.images.flatMap(({ content_type: contentType, ...image }) => {
      const kind = labelImageKinds.find((each) => each === image.kind);
      return kind === undefined ? [] : [{ ...image, kind, contentType }];
    }),
  };
}

function isSameLabel(one: LabelPolicy, other: LabelPolicy): boolean {
  return isDeepStrictEqual(one, other);
}

function aggregateOf({ id, details }: StoredLabelPolicy) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

interface FoundLow {
  readonly field: string;
  readonly low: LowContrast;
}

function contrastTooLow({ field, low }: FoundLow, violations: readonly FieldViolation[]): Problem {
  return new Problem({
    kind: "invalid",
    reason: "CONTRAST_TOO_LOW",
    message: violations.map((each) => `${each.field}: ${each.description}`).join("; "),
    metadata: {
      field,
      color: low.color,
      background: low.background,
      contrast: low.contrast.toFixed(2),
      nearest_color: low.nearestColor,
      nearest_background: low.nearestBackground,
    },
    violations,
  });
}

function toViolation({ field, low }: FoundLow): FieldViolation {
  const { color, background, contrast, nearestColor, nearestBackground } = low;
  // Cut, not rounded: 4.496 is not 4.50.
  const shown = (Math.floor(contrast * 100) / 100).toFixed(2);
  return {
    field,
    description: `${color} on ${background} has a contrast of ${shown} to 1, and 4.5 is needed; the nearest that pass are ${nearestColor} on ${background} and ${color} on ${nearestBackground}`,
  };
}
