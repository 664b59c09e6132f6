import { decodeForm } from "./parameters.ts";
import { SamlFault } from "./saml-fault.ts";

/**
 * Decodes a RelayState for the field of a form. Raises a SamlFault for one that would not come back as it was (SAML Bindings §3.5.3):
 * forms carry text, and make other characters of these (HTML §4.10.21.8, §13.2.3.5).
 */
export function toFormText(encoded: string): string {
  return requireEchoable(decodeForm(encoded));
}

/** Raises a SamlFault for a RelayState that a form cannot carry. Undefined: it is no text. */
export function requireEchoable(relayState: string | undefined): string {
  if (relayState !== undefined && !/[\0\r\n]/.test(relayState)) return relayState;
  throw new SamlFault("relay-state", "a form cannot carry the RelayState back");
}

/**
 * Writes a RelayState into a query as it came (SAML Bindings §3.4.3), but for characters that browsers encode in a query (URL §1.3,
 * special-query).
 */
export function toQueryText(encoded: string): string {
  const encode = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return encoded.replaceAll(/[\0- "#'<>\x7f]/g, encode);
}
