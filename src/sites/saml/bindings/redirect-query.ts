import type { SignedParameters } from "../signatures/verify-query.ts";
import type { BoundMessage } from "./bound-message.ts";
import { decodeForm, readParameters, wrong } from "./parameters.ts";

/** The query of a message by HTTP-Redirect (SAML Bindings §3.4). Fits `verifyQuery`. */
export interface RedirectQuery extends BoundMessage {
  readonly binding: "redirect";
  /** The URI of the algorithm of the signature. Undefined together with the signature. */
  readonly algorithm: string | undefined;
  /** In base64. */
  readonly signature: string | undefined;
  /** What a signature covers, as it was received. */
  readonly raw: SignedParameters;
  /** The same as `encodeURIComponent` encodes it. A RelayState that is no text stays as it was received. */
  readonly encodedAgain: SignedParameters;
}

const deflateEncoding = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE";

/**
 * Reads a query as it was received, without its question mark: a signature covers these octets. Raises a SamlFault unless it has one
 * message, and each parameter once (SAML Bindings §3.4.4, §3.4.4.1).
 */
export function readRedirectQuery(rawQuery: string): RedirectQuery {
  const { parameters, kind, message, relayState } = readParameters(rawQuery);
  const encoding = parameters.get("SAMLEncoding")?.value ?? deflateEncoding;
  if (encoding !== deflateEncoding) throw wrong("the encoding is not DEFLATE");
  const [algorithm, signature] = [parameters.get("SigAlg"), parameters.get("Signature")];
  if ((algorithm === undefined) !== (signature === undefined))
    throw wrong("SigAlg and Signature must be sent together");
  return {
    binding: "redirect",
    kind,
    message: message.value,
    relayState,
    algorithm: algorithm?.value,
    signature: signature?.value,
    raw: { message: message.raw, relayState, algorithm: algorithm?.raw },
    encodedAgain: {
      message: encodeURIComponent(message.value),
      relayState: relayState === undefined ? undefined : encodeAgain(relayState),
      algorithm: encodeURIComponent(algorithm?.value ?? ""),
    },
  };
}

function encodeAgain(relayState: string): string {
  const text = decodeForm(relayState);
  return text === undefined ? relayState : encodeURIComponent(text);
}
