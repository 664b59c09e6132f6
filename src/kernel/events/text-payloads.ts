import type { Nothing } from "./application-payloads.ts";

/** All texts of an organization, or of the instance, in one language: a change replaces every one of them. */
export interface CustomTextsPayload {
  readonly language: string;
  readonly texts: readonly { readonly key: string; readonly text: string }[];
}

/** The payloads of texts, with the rules of `payloads.ts`. */
export interface TextPayloads {
  /** From now on the organization, or the instance, says this in a language. */
  "custom_texts.added": CustomTextsPayload;
  "custom_texts.changed": CustomTextsPayload;
  /** The defaults hold again in that language. */
  "custom_texts.removed": Nothing;
}
