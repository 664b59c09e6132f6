import type { Nothing } from "./application-payloads.ts";

/** The colors of a theme, as `#` and six hexadecimal digits. */
export interface LabelColorsPayload {
  readonly primary: string;
  readonly background: string;
  readonly warn: string;
  readonly font: string;
}

/** An image of a branding; its bytes are stored beside the log, under their SHA-256 hash in hexadecimal digits. */
export interface LabelImagePayload {
  /** LOGO_LIGHT, LOGO_DARK, ICON_LIGHT or ICON_DARK. */
  readonly kind: string;
  readonly hash: string;
  readonly content_type: string;
  readonly width: number;
  readonly height: number;
}

/** All of a branding: a change replaces it. */
export interface LabelPolicyPayload {
  readonly light: LabelColorsPayload;
  readonly dark: LabelColorsPayload;
  /** AUTO, LIGHT or DARK. */
  readonly theme: string;
  readonly corner_radius: number;
  readonly hide_product_name: boolean;
  /** An https URL; empty: none. The same holds for the next two. */
  readonly terms_url: string;
  readonly privacy_url: string;
  readonly help_url: string;
  /** Empty: none. */
  readonly support_email: string;
  readonly images: readonly LabelImagePayload[];
}

/** The payloads of brandings, with the rules of `payloads.ts`. */
export interface LabelPayloads {
  /** From now on the organization, or the instance, has a draft of a branding. */
  "label_policy.added": LabelPolicyPayload;
  /** The draft is another one. */
  "label_policy.changed": LabelPolicyPayload;
  /** From now on pages and mails look like this. */
  "label_policy.activated": LabelPolicyPayload;
  /** With its draft and its images. */
  "label_policy.removed": Nothing;
}
