import type { XmlFragment } from "../../../kernel/xml/write.ts";
import type { Signable } from "../../../kernel/xml/signatures/sign-element.ts";
import { type LoginFailure, writeStatus } from "./status.ts";
import { type HeadToWrite, toMessage } from "./write-head.ts";

/** What we answer to a request for a login: SAML Core §3.3.3. */
export interface ResponseToWrite extends HeadToWrite {
  /** The ID of the request; undefined: there was none. */
  readonly inResponseTo: string | undefined;
  /** A signed Assertion, or the EncryptedAssertion that holds it; or why there is none. */
  readonly outcome: XmlFragment | LoginFailure;
}

/** Prepares an answer for its signature. */
export function writeResponse({ inResponseTo, outcome, ...head }: ResponseToWrite): Signable {
  const isFailure = typeof outcome === "string";
  return toMessage("Response", head, {
    attributes: { InResponseTo: inResponseTo },
    children: isFailure ? [writeStatus(outcome)] : [writeStatus("Success"), outcome],
  });
}
