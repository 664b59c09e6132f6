import type { MessageKind } from "./parameters.ts";

/** A message as a binding brings it, not yet decoded. */
export interface BoundMessage {
  readonly binding: "redirect" | "post";
  readonly kind: MessageKind;
  /** In base64. */
  readonly message: string;
  /** As it was encoded in the query or the form: at most 4,096 bytes, otherwise opaque. Undefined if it was not sent. */
  readonly relayState: string | undefined;
}
