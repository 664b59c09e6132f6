import { attributeOf } from "../../../kernel/xml/document.ts";
import type { TextDocument } from "../../../kernel/xml/text-document.ts";
import type { Signable } from "../../../kernel/xml/signatures/sign-element.ts";
import { malformedMessage, onlyChildOf } from "./elements.ts";
import { samlProtocol } from "./identifiers.ts";
import { type MessageHead, readHead } from "./message-head.ts";
import { type LogoutOutcome, toStatusUri, writeStatus } from "./status.ts";
import { type HeadToWrite, toMessage } from "./write-head.ts";

/** What a service provider answers to a request to end sessions: SAML Core §3.7.2. */
export interface SamlLogoutResponse extends MessageHead {
  /** The ID of the request; undefined: the answer is to none, and cannot be accepted. */
  readonly inResponseTo: string | undefined;
  /** Whether all of its sessions have ended: Success without PartialLogout. */
  readonly isSuccess: boolean;
}

/** What we answer to a request to end sessions. */
export interface LogoutResponseToWrite extends HeadToWrite {
  /** The ID of the request. */
  readonly inResponseTo: string;
  readonly outcome: LogoutOutcome;
}

/** Reads an answer to a request of ours. Raises a SamlFault when the document is not one. */
export function readLogoutResponse(document: TextDocument): SamlLogoutResponse {
  const head = readHead(document, "LogoutResponse");
  const status = onlyChildOf(document.root, samlProtocol, "Status");
  const top = status && onlyChildOf(status, samlProtocol, "StatusCode");
  const code = top && attributeOf(top, "Value");
  if (top === undefined || code === undefined) throw malformedMessage();
  const second = onlyChildOf(top, samlProtocol, "StatusCode");
  const isPartial = second !== undefined && attributeOf(second, "Value") === toStatusUri("PartialLogout");
  return {
    ...head,
    inResponseTo: attributeOf(document.root, "InResponseTo"),
    isSuccess: code === toStatusUri("Success") && !isPartial,
  };
}

/** Writes the answer to a request to end sessions. */
export function writeLogoutResponse({ inResponseTo, outcome, ...head }: LogoutResponseToWrite): Signable {
  return toMessage("LogoutResponse", head, {
    attributes: { InResponseTo: inResponseTo },
    children: [writeStatus(outcome)],
  });
}
