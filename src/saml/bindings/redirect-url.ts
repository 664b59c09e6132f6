import { deflateRawSync } from "node:zlib";
import { rsaSha256 } from "../signatures/algorithms.ts";
import { type MessageSigner, signOctets } from "../signatures/sign-element.ts";
import { encodeParameters } from "../signatures/verify-query.ts";
import type { MessageKind } from "./parameters.ts";

/** A message that leaves by HTTP-Redirect, without a signature inside of it. */
export interface RedirectMessage {
  readonly kind: MessageKind;
  readonly xml: string;
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
  const message = deflateRawSync(xml).toString("base64");
  const parameters = { message, relayState, algorithm: rsaSha256 };
  // Browsers encode the apostrophe in a query (URL §1.3, special-query), and the signature covers what they send.
  const octets = encodeParameters(kind, parameters).replaceAll("'", "%27");
  const signature = encodeURIComponent(await signOctets(octets, signer));
  const { href } = new URL(location);
  const separator = href.includes("?") ? (/[?&]$/.test(href) ? "" : "&") : "?";
  return `${href}${separator}${octets}&Signature=${signature}`;
}
