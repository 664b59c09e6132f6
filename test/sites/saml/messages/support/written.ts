import { SamlFault } from "../../../../../src/sites/saml/bindings/saml-fault.ts";
import { SamlRefusal } from "../../../../../src/sites/saml/messages/status.ts";
import { parseTextXml, type TextDocument } from "../../../../../src/kernel/xml/text-document.ts";

/** Namespaces of a message, for a start tag. */
export const declarations =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

/** The entity id of the service provider of these tests. */
export const audience = "https://sp.example.com/metadata";
/** Our entity id in these tests. */
export const issuer = "https://id.example.com/saml/v2/metadata";
/** When everything happens here. */
export const nowMs = Date.UTC(2026, 10, 23, 9, 30);

/** What a message may differ in. An attribute that is undefined is left out. */
export interface Difference {
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly issuer?: string;
  readonly content?: string;
}

/** Writes a message of a service provider by hand. */
function messageText({ name = "AuthnRequest", attributes, issuer: own, content }: Difference): string {
  const all = { ID: "_request", Version: "2.0", IssueInstant: "2026-11-23T09:30:00Z", ...attributes };
  const written = Object.entries(all).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${value}"`,
  );
  return `<samlp:${name} ${declarations}${written.join("")}>${
    own ?? `<saml:Issuer>${audience}</saml:Issuer>`
  }${content ?? ""}</samlp:${name}>`;
}

/** Writes and parses such a message. */
export function message(difference: Difference): TextDocument {
  return parseTextXml(messageText(difference));
}

/** Returns the word of the fault that the action ends in, "" if it ends well. */
export function faultOf(action: () => unknown): string {
  return endOf(action, (error) => (error instanceof SamlFault ? error.reason : undefined));
}

/** Returns what the service provider is answered, "" if the action ends well. */
export function refusalOf(action: () => unknown): string {
  return endOf(action, (error) => (error instanceof SamlRefusal ? error.status : undefined));
}

function endOf(action: () => unknown, read: (error: unknown) => string | undefined): string {
  try {
    action();
    return "";
  } catch (error) {
    const found = read(error);
    if (found === undefined) throw error;
    return found;
  }
}
