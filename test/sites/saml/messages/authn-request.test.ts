import { describe, expect, test } from "@jest/globals";
import { type AuthnRequest, readAuthnRequest } from "../../../../src/sites/saml/messages/authn-request.ts";
import { audience, type Difference, faultOf, message, nowMs } from "./support/written.ts";

function read(difference: Difference): AuthnRequest {
  return readAuthnRequest(message(difference));
}

const fault = (difference: Difference) => faultOf(() => read(difference));

describe("a request for a login", () => {
  test("that says no more than it must is read", () => {
    expect(read({})).toEqual({
      id: "_request",
      issuer: audience,
      issueInstantMs: nowMs,
      destination: undefined,
      target: { index: undefined, url: undefined, binding: undefined },
      isForceAuthn: false,
      isPassive: false,
      nameIdPolicy: undefined,
      requestedContext: undefined,
      subject: undefined,
      conditions: undefined,
      attributeServiceIndex: undefined,
    });
  });

  test("that says everything is read", () => {
    const attributes = {
      Destination: "https://id.example.com/saml/v2/SSO",
      AssertionConsumerServiceURL: "https://sp.example.com/acs?a=1&amp;b=2",
      ProtocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
      ForceAuthn: "1",
      IsPassive: "true",
      AttributeConsumingServiceIndex: "65535",
      ProviderName: "Somebody",
      Consent: "urn:oasis:names:tc:SAML:2.0:consent:unspecified",
    };
    const content = `<samlp:Extensions><other xmlns="urn:other" ID="_other">text<!-- . --></other></samlp:Extensions>
      <saml:Subject><saml:NameID Format="f" NameQualifier="n" SPNameQualifier="s">ada &amp; co</saml:NameID></saml:Subject>
      <samlp:NameIDPolicy AllowCreate="true" Format="urn:f" SPNameQualifier="urn:q"/>
      <saml:Conditions NotBefore="2026-11-23T09:29:00Z" NotOnOrAfter="2026-11-23T10:31:00.5+01:00">
        <saml:AudienceRestriction><saml:Audience>a</saml:Audience><saml:Audience> b </saml:Audience></saml:AudienceRestriction>
        <saml:OneTimeUse/>
      </saml:Conditions>
      <samlp:RequestedAuthnContext Comparison="minimum">
        <saml:AuthnContextClassRef>urn:one</saml:AuthnContextClassRef>
        <saml:AuthnContextClassRef>
          urn:two
        </saml:AuthnContextClassRef>
      </samlp:RequestedAuthnContext>
      <samlp:Scoping ProxyCount="0"/>`;
    expect(read({ attributes, content })).toEqual({
      id: "_request",
      issuer: audience,
      issueInstantMs: nowMs,
      destination: "https://id.example.com/saml/v2/SSO",
      target: {
        index: undefined,
        url: "https://sp.example.com/acs?a=1&b=2",
        binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
      },
      isForceAuthn: true,
      isPassive: true,
      nameIdPolicy: { format: "urn:f", spNameQualifier: "urn:q" },
      requestedContext: { comparison: "minimum", classes: ["urn:one", "urn:two"] },
      subject: {
        kind: "name-id",
        nameId: { value: "ada & co", format: "f", nameQualifier: "n", spNameQualifier: "s" },
      },
      conditions: {
        notBeforeMs: nowMs - 60_000,
        notOnOrAfterMs: nowMs + 60_500,
        audiences: [["a", "b"]],
        isOneTimeUse: true,
        hasOthers: false,
      },
      attributeServiceIndex: 65_535,
    });
  });

  test("is the same after it was stored as JSON", () => {
    const content = "<saml:Conditions/><samlp:NameIDPolicy/>";
    const request = read({ content, attributes: { AssertionConsumerServiceIndex: "0" } });
    expect(request.target.index).toBe(0);
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
  });
});

const issuerOf = (attributes: string, text = audience) => `<saml:Issuer${attributes}>${text}</saml:Issuer>`;
const entity = ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity"';
const persistent = ' Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"';

describe("SAML Core §3.2.1: what every message has", () => {
  test.each<readonly [string, Difference]>([
    ["root", { name: "LogoutRequest" }],
    ["root", { name: "Response" }],
    ["version", { attributes: { Version: "1.1" } }],
    ["version", { attributes: { Version: undefined } }],
    ["version", { attributes: { Version: "2.00" } }],
    ["id", { attributes: { ID: undefined } }],
    ["id", { attributes: { ID: "" } }],
    ["id", { attributes: { ID: undefined, "samlp:ID": "_request" } }],
    ["id", { attributes: { ID: "1request" } }],
    ["id", { attributes: { ID: "a:request" } }],
    ["id", { attributes: { ID: " _request" } }],
    ["id", { attributes: { ID: `_${"a".repeat(256)}` } }],
    ["issue-instant", { attributes: { IssueInstant: undefined } }],
    ["issue-instant", { attributes: { IssueInstant: "2026-11-31T09:30:00Z" } }],
    ["issue-instant", { attributes: { IssueInstant: "1795426200" } }],
    ["issuer", { issuer: "" }],
    ["issuer", { issuer: issuerOf("", "") }],
    ["issuer", { issuer: issuerOf(persistent) }],
    ["issuer", { issuer: issuerOf("", "https://sp.example.com<!-- -->/metadata") }],
    ["issuer", { issuer: issuerOf("", "<![CDATA[https://sp.example.com/metadata]]>") }],
    ["issuer", { issuer: issuerOf("", "<a/>https://sp.example.com/metadata") }],
    ["issuer", { issuer: '<Issuer xmlns="urn:other">https://sp.example.com/metadata</Issuer>' }],
    ["malformed", { issuer: issuerOf("").repeat(2) }],
  ])("is not good: %s, %j", (reason, difference) => {
    expect(fault(difference)).toBe(reason);
  });

  test.each<Difference>([
    { attributes: { ID: `_${"a".repeat(255)}` } },
    { attributes: { ID: "id-1.2·é" } },
    { attributes: { IssueInstant: "2026-11-23T09:30:00.123456789" } },
    { issuer: issuerOf(entity) },
  ])("is good: %j", (difference) => {
    expect(fault(difference)).toBe("");
  });

  test("the issuer is taken as it stands", () => {
    expect(read({ issuer: issuerOf("", " https://sp.example.com/metadata\n") }).issuer).toBe(
      " https://sp.example.com/metadata\n",
    );
  });
});

const context = (inside: string, attributes = "") =>
  `<samlp:RequestedAuthnContext${attributes}>${inside}</samlp:RequestedAuthnContext>`;
const reference = "<saml:AuthnContextClassRef>urn:one</saml:AuthnContextClassRef>";
const declaration = "<saml:AuthnContextDeclRef>urn:one</saml:AuthnContextDeclRef>";
const nameId = "<saml:NameID>ada</saml:NameID>";

describe("SAML Core §3.4.1: a request that the schema does not allow", () => {
  test.each<Difference>([
    { attributes: { ForceAuthn: "yes" } },
    { attributes: { IsPassive: "TRUE" } },
    { attributes: { AssertionConsumerServiceIndex: "-1" } },
    { attributes: { AssertionConsumerServiceIndex: "0x0" } },
    { attributes: { AssertionConsumerServiceIndex: "9".repeat(400) } },
    { attributes: { AssertionConsumerServiceIndex: "65536" } },
    { attributes: { AttributeConsumingServiceIndex: "" } },
    { content: "<samlp:NameIDPolicy/><samlp:NameIDPolicy/>" },
    { content: context(reference, ' Comparison="least"') },
    { content: context(reference + declaration) },
    { content: context(reference) + context(reference) },
    { content: context("<saml:AuthnContextClassRef>urn:<!-- -->one</saml:AuthnContextClassRef>") },
    { content: context("<saml:AuthnContextClassRef> </saml:AuthnContextClassRef>") },
    { content: `<saml:Subject>${nameId}</saml:Subject><saml:Subject>${nameId}</saml:Subject>` },
    { content: "<saml:Subject><saml:NameID>ada<!-- -->.admin</saml:NameID></saml:Subject>" },
    { content: "<saml:Subject><saml:NameID><![CDATA[ada]]></saml:NameID></saml:Subject>" },
    { content: "<saml:Subject><saml:NameID/></saml:Subject>" },
    { content: `<saml:Subject>${nameId}${nameId}</saml:Subject>` },
    { content: '<saml:Conditions NotBefore="now"/>' },
  ])("is refused: %j", (difference) => {
    expect(fault(difference)).toBe("malformed");
  });
});

describe("SAML Core §2.4.1: a subject", () => {
  const bearer = (inside = "") =>
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">${inside}</saml:SubjectConfirmation>`;

  test("that a bearer confirms without data is read as its NameID alone", () => {
    const ofNameId = read({ content: `<saml:Subject>${nameId}</saml:Subject>` }).subject;
    expect(ofNameId).toMatchObject({ kind: "name-id" });
    for (const inside of ["", " \n"])
      expect(read({ content: `<saml:Subject>${nameId}${bearer(inside)}</saml:Subject>` }).subject).toEqual(
        ofNameId,
      );
  });

  test.each([
    "<saml:EncryptedID/>",
    "<saml:BaseID/>",
    `${nameId}<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/>`,
    `${nameId}<saml:SubjectConfirmation/>`,
    `${nameId}${bearer('<saml:SubjectConfirmationData NotOnOrAfter="2026-11-23T09:35:00Z"/>')}`,
    `${nameId}${bearer(nameId)}`,
    bearer(),
    "",
  ])("that is named in another way than by a NameID is read as such: %s", (inside) => {
    expect(read({ content: `<saml:Subject>${inside}</saml:Subject>` }).subject).toEqual({ kind: "other" });
  });
});

test("a wish by declarations holds no class", () => {
  expect(read({ content: context(declaration) }).requestedContext).toEqual({
    comparison: "exact",
    classes: [],
  });
});

test.each(['<saml:ProxyRestriction Count="1"/>', "<other xmlns='urn:other'/>", "<saml:Condition/>"])(
  "a condition that is not known is noticed: %s",
  (condition) => {
    expect(read({ content: `<saml:Conditions>${condition}</saml:Conditions>` }).conditions?.hasOthers).toBe(
      true,
    );
  },
);
