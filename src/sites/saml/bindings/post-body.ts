import type { BoundMessage } from "./bound-message.ts";
import { readParameters, wrong } from "./parameters.ts";

/** The form of a message by HTTP-POST (SAML Bindings §3.5). */
export interface PostedMessage extends BoundMessage {
  readonly binding: "post";
}

/**
 * Reads the body of a form, whose size the caller has limited. Raises a SamlFault unless it has one message, and each parameter once;
 * also for a signature beside the message, which HTTP-POST does not know: nothing is ignored that looks like a signature.
 */
export function readPostBody(body: Uint8Array): PostedMessage {
  const { parameters, kind, message, relayState } = readParameters(Buffer.from(body).toString("latin1"));
  if (parameters.has("SigAlg") || parameters.has("Signature"))
    throw wrong("a signature must stand inside of the message");
  return { binding: "post", kind, message: message.value, relayState };
}
