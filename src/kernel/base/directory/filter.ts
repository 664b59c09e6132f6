/**
 * A condition on entries. Values go to the server as they are, never as a part of a text that somebody would have to escape
 * (RFC 4511 §4.5.1.7, RFC 4515).
 */
export type DirectoryFilter =
  /** A filter as administrators write it (RFC 4515). */
  | { readonly kind: "written"; readonly text: string }
  /** The attribute has the value, by the rules of the attribute. */
  | { readonly kind: "equals"; readonly attribute: string; readonly value: string }
  /** The same by another rule, such as that of Active Directory which follows groups in groups. */
  | { readonly kind: "matches"; readonly attribute: string; readonly rule: string; readonly value: string }
  | { readonly kind: "all" | "any"; readonly of: readonly DirectoryFilter[] };
