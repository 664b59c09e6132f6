/** All texts of an organization, or of the instance, in one language: a change replaces every one of them. */
export interface CustomTextsPayload {
  readonly language: string;
  readonly texts: readonly { readonly key: string; readonly text: string }[];
}
