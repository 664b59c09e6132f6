import { parseDateTime } from "../../../kernel/xml/date-time.ts";
import { attributeOf, isNamed } from "../../../kernel/xml/document.ts";
import { isSimpleName } from "../../../kernel/xml/scan.ts";
import type { TextDocument, TextElement } from "../../../kernel/xml/text-document.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import { onlyChildOf } from "./elements.ts";
import { entityFormat, samlAssertion, samlProtocol } from "./identifiers.ts";

/** What every message has: SAML Core §3.2.1, §3.2.2. Plain data, which may be stored as JSON. */
export interface MessageHead {
  /** An NCName of 1 to 256 characters. */
  readonly id: string;
  /** The entity id of the sender, as the sender says; not empty. Nobody has verified it. */
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly issueInstantMs: number;
  /** Where the sender says that the message goes; undefined when it does not say. */
  readonly destination: string | undefined;
}

/** How a message came to us. */
export interface MessageDelivery {
  /** Our own URL of the path that the message came to. */
  readonly url: string;
  /** Whether it has a signature, which was found good. */
  readonly isSigned: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Reads what every message has. Raises a SamlFault `root` when the document is another one, `version` when it is not of SAML 2.0 (SAML
 * Core §4.1), `id`, `issuer`, or `issue-instant`.
 */
export function readHead(document: TextDocument, name: string): MessageHead {
  const { root } = document;
  if (!isNamed(root, samlProtocol, name))
    throw new SamlFault("root", "the message is not one that this path takes");
  if (attributeOf(root, "Version") !== "2.0")
    throw new SamlFault("version", "the message must have the Version 2.0");
  const id = attributeOf(root, "ID") ?? "";
  if (!isMessageId(id))
    throw new SamlFault("id", "the message must have an ID, an NCName of 1 to 256 characters");
  const issueInstantMs = parseDateTime(attributeOf(root, "IssueInstant") ?? "");
  if (issueInstantMs === undefined)
    throw new SamlFault("issue-instant", "the message must have an IssueInstant, an xs:dateTime");
  return { id, issuer: readIssuer(root), issueInstantMs, destination: attributeOf(root, "Destination") };
}

/**
 * Raises a SamlFault unless the message is meant for us and for this time (SAML Core §3.2.1, Bindings §3.4.5.2, §3.5.5.2):
 * `destination` when it goes elsewhere, or is signed and does not say where it goes; `issue-instant` when it was made more than ten
 * minutes before or after our clock; `expired` at its NotOnOrAfter, if it has one.
 */
export function requireDelivered(
  message: MessageHead & { readonly notOnOrAfterMs?: number | undefined },
  { url, isSigned, nowMs }: MessageDelivery,
): void {
  const { destination, issueInstantMs, notOnOrAfterMs } = message;
  const isForUs = destination === undefined ? !isSigned : destination === url;
  if (!isForUs)
    throw new SamlFault("destination", "the message must have the URL of this path as Destination");
  if (Math.abs(nowMs - issueInstantMs) > maxClockDifferenceMs)
    throw new SamlFault("issue-instant", "the IssueInstant must be within ten minutes of our clock");
  if (notOnOrAfterMs !== undefined && nowMs >= notOnOrAfterMs)
    throw new SamlFault("expired", "the NotOnOrAfter of the message has passed");
}

/** So far the clock of a service provider may differ from ours, with the way of the message. */
const maxClockDifferenceMs = 600_000;
const maxIdLength = 256;

/** SAML Core §1.3.4: an xs:ID, which is an NCName. */
function isMessageId(text: string): boolean {
  return text.length <= maxIdLength && isSimpleName(text);
}

/** SAML Core §2.2.5, §8.3.6. */
function readIssuer(root: TextElement): string {
  const issuer = onlyChildOf(root, samlAssertion, "Issuer");
  const format = issuer === undefined ? undefined : attributeOf(issuer, "Format");
  const text = issuer === undefined ? undefined : issuer.text;
  if (text === undefined || text === "" || (format !== undefined && format !== entityFormat))
    throw new SamlFault("issuer", "the message must have one Issuer, an entity id");
  return text;
}
