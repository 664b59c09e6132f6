import { deflateRawSync } from "node:zlib";
import { rsaSha256 } from "../../../kernel/xml/signatures/algorithms.ts";
import { type MessageSigner, signOctets } from "../../../kernel/xml/signatures/sign-element.ts";
import { toSignedOctets } from "../signatures/verify-query.ts";
import type { MessageKind } from "./parameters.ts";
import { toQueryText } from "./relay-state.ts";

/** A message that leaves by HTTP-Redirect, without a signature inside of it. */
export interface RedirectMessage {
  readonly kind: MessageKind;
  readonly xml: string;
  /** As it was encoded where it came from. */
  readonly relayState?: string | undefined;
}

/**
 * Returns the URL that brings a message to a location, signed with rsa-sha256 (SAML Bindings §3.4.4.1). Keeps a query of the
 * location, which has no fragment. It is written as browsers write it (URL §4.5), because a header takes no other characters.
 */
export async function toRedirectUrl(
  location: string,
  { kind, xml, relayState }: RedirectMessage,
  signer: MessageSigner,
): Promise<string> {
  // The signature covers what browsers send.
  const octets = toSignedOctets(kind, {
    message: encodeURIComponent(deflateRawSync(xml).toString("base64")),
    relayState: relayState === undefined ? undefined : toQueryText(relayState),
    algorithm: encodeURIComponent(rsaSha256),
  });
  const signature = encodeURIComponent(await signOctets(octets, signer));
  const { href } = new URL(location);
  const separator = href.includes("?") ? (/[?&]$/.test(href) ? "" : "&") : "?";
  return `${href}${separator}${octets}&Signature=${signature}`;
}
