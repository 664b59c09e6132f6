import { createPublicKey, type KeyObject, randomBytes, verify, X509Certificate } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { systemRandom } from "../../../../../src/kernel/base/random.ts";
import { encryptAssertion } from "../../../../../src/sites/saml/signatures/encrypt-assertion.ts";
import { canaries } from "../../../../support/canaries.ts";
import type { TestClock } from "../../../../support/clock.ts";
import type { Field } from "../../../oidc/support/user-agent.ts";
import { makePartyKeys, type PartyKeys } from "../../../saml/node-saml/party-keys.ts";
import { escapeXml } from "../../../saml/support/messages.ts";

/** What an answer says that is not as it should be. What is absent is as it should be. */
export interface AnswerTricks {
  readonly nameId?: string;
  readonly format?: string;
  /** Attributes of NameID. */
  readonly qualifiers?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** XML of the values. */
  readonly rawAttributes?: string;
  readonly issuer?: string;
  readonly responseIssuer?: string;
  readonly audience?: string;
  /** In place of the AudienceRestriction. */
  readonly conditions?: string;
  readonly recipient?: string;
  readonly destination?: string;
  readonly inResponseTo?: string;
  /** In the confirmation alone. */
  readonly confirmedRequest?: string;
  /** Makes it so much older. */
  readonly agoMs?: number;
  readonly status?: string;
  readonly assertionId?: string;
  /** In place of the AuthnStatement. */
  readonly statement?: string;
  readonly sign?: readonly ("assertion" | "response")[];
  readonly key?: PartyKeys;
  readonly algorithm?: string;
  /** Encrypts the assertion for that certificate, with a cipher of this name. */
  readonly encrypt?: { readonly certificate: string; readonly cipher?: string };
  /** Changes the assertion before it is encrypted, and the whole at the end. */
  readonly changeAssertion?: (xml: string) => string;
  readonly change?: (xml: string) => string;
  readonly relayState?: string;
}

/** An identity provider of SAML that says whatever a test wants. It serves nothing: its metadata go in by hand. */
export interface TestSamlIdp {
  readonly entityId: string;
  readonly metadata: string;
  readonly keys: PartyKeys;
  /** Reads the request that a browser brings. */
  readRequest(left: URL): ReadRequest;
  /** Makes the fields of the form that answers it. */
  answer(left: URL, tricks?: AnswerTricks): readonly Field[];
}

/** A request by HTTP-Redirect. */
export interface ReadRequest {
  readonly id: string;
  readonly xml: string;
  readonly relayState: string;
  /** Says whether the key of a certificate (base64) has signed it: SAML Bindings §3.4.4.1. */
  isSignedBy(certificate: string): boolean;
}

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

/** Makes a provider whose client is the service at `issuer`. */
export function createSamlIdp(issuer: string, clock: TestClock, name = "idp"): TestSamlIdp {
  const entityId = `https://${name}-${randomBytes(4).toString("hex")}.example/metadata`;
  const keys = makePartyKeys();
  return {
    entityId,
    keys,
    metadata: writeIdpMetadata(entityId, keys.certificate),
    readRequest,
    answer(left, tricks = {}) {
      const { id, relayState } = readRequest(left);
      const xml = writeAnswer({ entityId, keys, issuer, nowMs: clock.nowMs(), requestId: id }, tricks);
      canaries.add("SAML response", Buffer.from(xml).toString("base64").slice(0, 2000));
      canaries.add("RelayState", relayState);
      return [
        ["SAMLResponse", Buffer.from(xml).toString("base64")],
        ["RelayState", tricks.relayState ?? relayState],
      ];
    },
  };
}

/** Writes the metadata of a provider. */
export function writeIdpMetadata(
  entityId: string,
  certificate: string,
  location = `${new URL(entityId).origin}/sso?t=1`,
) {
  return (
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}">` +
    '<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing">' +
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
    `</md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${escapeXml(location)}"/>` +
    "</md:IDPSSODescriptor></md:EntityDescriptor>"
  );
}

function readRequest(left: URL): ReadRequest {
  const xml = inflateRawSync(Buffer.from(left.searchParams.get("SAMLRequest") ?? "", "base64")).toString();
  const octets = /SAMLRequest=.*(?=&Signature=)/.exec(left.search)?.[0] ?? "";
  const signature = Buffer.from(left.searchParams.get("Signature") ?? "", "base64");
  return {
    id: / ID="([^"]+)"/.exec(xml)?.[1] ?? "",
    xml,
    relayState: left.searchParams.get("RelayState") ?? "",
    isSignedBy: (certificate) => verify("sha256", Buffer.from(octets), keyOf(certificate), signature),
  };
}

function keyOf(certificate: string): KeyObject {
  return createPublicKey(
    new X509Certificate(Buffer.from(certificate, "base64")).publicKey.export({ type: "spki", format: "pem" }),
  );
}

interface Sender {
  readonly entityId: string;
  readonly keys: PartyKeys;
  /** Of the service. */
  readonly issuer: string;
  readonly nowMs: number;
  readonly requestId: string;
}

function writeAnswer(sender: Sender, tricks: AnswerTricks): string {
  const { entityId, issuer, requestId } = sender;
  const { sign = ["assertion"], key = sender.keys, algorithm = rsaSha256, inResponseTo = requestId } = tricks;
  const nowMs = sender.nowMs - (tricks.agoMs ?? 0);
  const acs = `${issuer}/idps/saml/acs`;
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const attributes = Object.entries(
    tricks.attributes ?? {
      mail: [`ada-${randomBytes(6).toString("hex")}@provider.example`],
      givenName: ["Ada"],
      sn: ["Lovelace"],
    },
  )
    .map(
      ([name, values]) =>
        `<saml:Attribute Name="${escapeXml(name)}">${values.map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`).join("")}</saml:Attribute>`,
    )
    .join("");
  const assertion =
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${tricks.assertionId ?? `_${randomBytes(12).toString("hex")}`}" Version="2.0" IssueInstant="${at(0)}">` +
    `<saml:Issuer>${escapeXml(tricks.issuer ?? entityId)}</saml:Issuer><saml:Subject>` +
    `<saml:NameID Format="${tricks.format ?? persistent}"${tricks.qualifiers ?? ""}>${tricks.nameId ?? "ada-1"}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${tricks.confirmedRequest ?? inResponseTo}" Recipient="${tricks.recipient ?? acs}" NotOnOrAfter="${at(300_000)}"/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(-60_000)}" NotOnOrAfter="${at(300_000)}">${tricks.conditions ?? `<saml:AudienceRestriction><saml:Audience>${escapeXml(tricks.audience ?? `${issuer}/idps/saml/metadata`)}</saml:Audience></saml:AudienceRestriction>`}</saml:Conditions>` +
    (tricks.statement ??
      `<saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`) +
    `<saml:AttributeStatement>${attributes}${tricks.rawAttributes ?? ""}</saml:AttributeStatement></saml:Assertion>`;
  const signedAssertion = sign.includes("assertion")
    ? signElement(assertion, key, algorithm, "/*")
    : assertion;
  const changed = (tricks.changeAssertion ?? ((xml) => xml))(signedAssertion);
  const inner = tricks.encrypt === undefined ? changed : encrypt(changed, tricks.encrypt);
  const response =
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_${randomBytes(12).toString("hex")}" Version="2.0" IssueInstant="${at(0)}" Destination="${tricks.destination ?? acs}" InResponseTo="${inResponseTo}">` +
    `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${escapeXml(tricks.responseIssuer ?? entityId)}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${tricks.status ?? "Success"}"/></samlp:Status>${inner}</samlp:Response>`;
  const signed = sign.includes("response") ? signElement(response, key, algorithm, "/*") : response;
  return (tricks.change ?? ((xml) => xml))(signed);
}

function encrypt(
  xml: string,
  { certificate, cipher }: { readonly certificate: string; readonly cipher?: string },
): string {
  const to = { publicKey: keyOf(certificate), ciphers: cipher === undefined ? [] : [cipher] };
  return encryptAssertion({ xml }, { to, random: systemRandom }).xml;
}

/** Signs the root with xml-crypto. */
function signElement(xml: string, keys: PartyKeys, signatureAlgorithm: string, xpath: string): string {
  const signer = new SignedXml({
    privateKey: keys.privatePem,
    signatureAlgorithm,
    canonicalizationAlgorithm: exclusive,
  });
  signer.addReference({
    xpath,
    transforms: ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", exclusive],
    digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
  });
  const location = { reference: `${xpath}/*[local-name(.)='Issuer']`, action: "after" } as const;
  signer.computeSignature(xml, { prefix: "ds", location });
  return signer.getSignedXml();
}
