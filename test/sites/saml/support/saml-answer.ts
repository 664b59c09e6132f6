import { SignedXml } from "xml-crypto";
import { parseTextXml, type TextElement } from "../../../../src/kernel/xml/text-document.ts";
import type { Visited } from "../../oidc/support/user-agent.ts";
import { canaries } from "../../../support/canaries.ts";
import { requireCanonical } from "./canonical.ts";
import { attribute, listBelow } from "./elements.ts";

/**
 * Reads the answer that a browser takes to a service provider, in the form that the page sends. xml-crypto verifies its signatures with the
 * certificate. Throws when there is none, or when it is not its own canonical form.
 */
export function readAnswer({ page, url, posted }: Visited, certificate: string) {
  const fields = Object.fromEntries(posted ?? []);
  const encoded = fields["SAMLResponse"];
  if (encoded === undefined) throw new Error(`no answer: ${page?.status} ${url.href} ${page?.text}`);
  canaries.add("SAML response", encoded.slice(0, 2000));
  const xml = Buffer.from(encoded, "base64").toString();
  requireCanonical(xml);
  const { root } = parseTextXml(xml);
  requireSigned(xml, "/*", certificate);
  const assertion = findBelow(root, "Assertion");
  if (assertion !== undefined) requireSigned(xml, "/*/*[local-name(.)='Assertion']", certificate);
  return {
    xml,
    relayState: fields["RelayState"],
    destination: attribute(root, "Destination"),
    inResponseTo: attribute(root, "InResponseTo"),
    /** The last part of each level of the status, such as `Responder/NoPassive`. */
    status: statusOf(findBelow(root, "Status")),
    assertion: assertion && readAssertion(assertion),
  };
}

function requireSigned(xml: string, path: string, certificate: string): void {
  const [signature = ""] = [...xml.matchAll(/<ds:Signature .*?<\/ds:Signature>/gs)].flatMap(([text]) => {
    const id = /URI="#([^"]+)"/.exec(text)?.[1] ?? "";
    const owner =
      path === "/*" ? /^<[^>]* ID="([^"]+)"/.exec(xml) : /<saml:Assertion [^>]*ID="([^"]+)"/.exec(xml);
    return owner?.[1] === id ? [text] : [];
  });
  const verifier = new SignedXml({
    publicCert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  });
  verifier.loadSignature(signature);
  if (!verifier.checkSignature(xml)) throw new Error(`the signature of ${path} is bad`);
}

function readAssertion(assertion: TextElement) {
  const data = findBelow(assertion, "SubjectConfirmationData");
  const nameId = findBelow(assertion, "NameID");
  const statement = findBelow(assertion, "AuthnStatement");
  const attributes = listBelow(assertion, "Attribute").map((each): [string, readonly string[]] => [
    attribute(each, "Name") ?? "",
    listBelow(each, "AttributeValue").map(({ text = "" }) => text),
  ]);
  return {
    nameId: nameId?.text ?? "",
    format: attribute(nameId, "Format") ?? "",
    inResponseTo: attribute(data, "InResponseTo"),
    recipient: attribute(data, "Recipient"),
    sessionIndex: attribute(statement, "SessionIndex") ?? "",
    authnInstant: attribute(statement, "AuthnInstant") ?? "",
    sessionEnd: attribute(statement, "SessionNotOnOrAfter") ?? "",
    classUri: findBelow(assertion, "AuthnContextClassRef")?.text ?? "",
    authority: findBelow(assertion, "AuthenticatingAuthority")?.text,
    attributes: Object.fromEntries(attributes) as Readonly<Record<string, readonly string[]>>,
  };
}

function statusOf(status: TextElement | undefined): string {
  const codes = status === undefined ? [] : listBelow(status, "StatusCode");
  return codes.map((code) => (attribute(code, "Value") ?? "").split(":").at(-1)).join("/");
}

function findBelow(element: TextElement, name: string): TextElement | undefined {
  return listBelow(element, name)[0];
}
