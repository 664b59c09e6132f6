import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import { toDateTime } from "../../../kernel/xml/date-time.ts";
import { childrenOf } from "../../../kernel/xml/document.ts";
import type { TextDocument, TextElement } from "../../../kernel/xml/text-document.ts";
import { element } from "../../../kernel/xml/write.ts";
import type { Signable } from "../../../kernel/xml/signatures/sign-element.ts";
import { malformedMessage, onlyChildOf, readInstant, textOf } from "./elements.ts";
import { samlAssertion, samlDeclaration, samlProtocol } from "./identifiers.ts";
import { type MessageHead, readHead } from "./message-head.ts";
import { readNameId, type StatedNameId, writeNameId } from "./name-id.ts";
import { type HeadToWrite, toMessage } from "./write-head.ts";

/** A request to end sessions: SAML Core §3.7.1. */
export interface SamlLogoutRequest extends MessageHead {
  /** Undefined when the user is named by an EncryptedID or BaseID, which match nobody. */
  readonly nameId: StatedNameId | undefined;
  /** Empty: all sessions of the user. */
  readonly sessionIndexes: readonly string[];
  /** Milliseconds since 1970; undefined: only the limit of the IssueInstant. */
  readonly notOnOrAfterMs: number | undefined;
}

/** What a request of ours to end a session says. */
export interface LogoutRequestToWrite extends HeadToWrite {
  readonly nameId: SamlNameId;
  /** The one that the assertion had. */
  readonly sessionIndex: string;
}

/** Reads a request to end sessions. Raises a SamlFault when the document is not one. */
export function readLogoutRequest(document: TextDocument): SamlLogoutRequest {
  const head = readHead(document, "LogoutRequest");
  const { root } = document;
  return {
    ...head,
    nameId: readPrincipal(root),
    sessionIndexes: childrenOf(root, samlProtocol, "SessionIndex").map(textOf),
    notOnOrAfterMs: readInstant(root, "NotOnOrAfter"),
  };
}

/** Writes a request to end the session of a user at a service provider. It may be honoured for five minutes. */
export function writeLogoutRequest({ nameId, sessionIndex, ...head }: LogoutRequestToWrite): Signable {
  return toMessage("LogoutRequest", head, {
    attributes: { NotOnOrAfter: toDateTime(head.nowMs + lifetimeMs) },
    children: [writeNameId(nameId, samlDeclaration), element("samlp:SessionIndex", {}, [sessionIndex])],
  });
}

const lifetimeMs = 300_000;

/** SAML Core §3.7.1: one of three ways to name the user, of which we read one. */
function readPrincipal(root: TextElement): StatedNameId | undefined {
  const nameId = onlyChildOf(root, samlAssertion, "NameID");
  const others = ["BaseID", "EncryptedID"].flatMap((name) => childrenOf(root, samlAssertion, name));
  if (others.length + (nameId === undefined ? 0 : 1) !== 1) throw malformedMessage();
  return nameId && readNameId(nameId);
}
