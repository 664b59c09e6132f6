import { describe, expect, test } from "@jest/globals";
import { SAML } from "@node-saml/node-saml";
import { SignedXml } from "xml-crypto";
import { writeAssertion } from "../../../../src/sites/saml/messages/assertion.ts";
import { writeResponse } from "../../../../src/sites/saml/messages/response.ts";
import { signElement } from "../../../../src/kernel/xml/signatures/sign-element.ts";
import { failures, fullAssertion, head, makeSigner, recipient, scantAssertion } from "./support/samples.ts";
import { audience, issuer } from "./support/written.ts";

const basic = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
const status = "urn:oasis:names:tc:SAML:2.0:status:";
const started = '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"';
const ofUs = `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer>`;
const made = 'IssueInstant="2026-11-23T09:30:00.000Z" Version="2.0"';
const escaped = "https://sp.example.com/acs?a=1&amp;b=2";

/** The parts of a message in lines of their own, as a test shows them best. */
function inOneLine(text: string): string {
  return text.replaceAll(/\n\s*/g, "");
}

describe("SAML Profiles §4.1.4.2: an assertion", () => {
  test("says who logged in, where, how, until when, and what else is to be told", () => {
    expect(writeAssertion(fullAssertion).render({ xml: "<signature>" }).xml).toBe(
      inOneLine(`<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion" ${made}>
        <saml:Issuer>${issuer}</saml:Issuer>
        <signature>
        <saml:Subject>
          <saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" NameQualifier="${issuer}" SPNameQualifier="${audience}">abc</saml:NameID>
          <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
            <saml:SubjectConfirmationData InResponseTo="_request" NotOnOrAfter="2026-11-23T09:35:00.000Z" Recipient="${escaped}"></saml:SubjectConfirmationData>
          </saml:SubjectConfirmation>
        </saml:Subject>
        <saml:Conditions NotBefore="2026-11-23T09:29:00.000Z" NotOnOrAfter="2026-11-23T09:35:00.000Z">
          <saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction>
          <saml:OneTimeUse></saml:OneTimeUse>
        </saml:Conditions>
        <saml:AuthnStatement AuthnInstant="2026-11-23T09:29:59.000Z" SessionIndex="_session" SessionNotOnOrAfter="2026-11-23T10:30:00.000Z">
          <saml:AuthnContext>
            <saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef>
            <saml:AuthenticatingAuthority>https://idp.example.com/?a=1&amp;b=2</saml:AuthenticatingAuthority>
          </saml:AuthnContext>
        </saml:AuthnStatement>
        <saml:AttributeStatement>
          <saml:Attribute Name="mail"><saml:AttributeValue>ada@example.com</saml:AttributeValue></saml:Attribute>
          <saml:Attribute Name="Roles" NameFormat="${basic}">
            <saml:AttributeValue>&lt;admin&gt;</saml:AttributeValue>
            <saml:AttributeValue>a &amp; "b"</saml:AttributeValue>
          </saml:Attribute>
        </saml:AttributeStatement>
      </saml:Assertion>`),
    );
  });

  test("says no more than it must", () => {
    const { xml } = writeAssertion(scantAssertion).render(undefined);
    for (const absent of ["InResponseTo", "Qualifier", "OneTimeUse", "Authority", "AttributeStatement"])
      expect(xml).not.toContain(absent);
    expect(xml).toContain(
      '<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">ada@example.com</saml:NameID>',
    );
  });

  test("ends when the request wants it to, if that is earlier", () => {
    const [notBeforeMs, notOnOrAfterMs] = [head.nowMs - 5, head.nowMs + 7];
    const conditions = { notBeforeMs, notOnOrAfterMs, audiences: [], isOneTimeUse: false, hasOthers: false };
    const { xml } = writeAssertion({ ...fullAssertion, conditions }).render(undefined);
    expect([...xml.matchAll(/ (Not\w+)="[^"]*T([^"]*)"/g)].map(([, name, time]) => [name, time])).toEqual([
      ["NotOnOrAfter", "09:30:00.007Z"],
      ["NotBefore", "09:29:59.995Z"],
      ["NotOnOrAfter", "09:30:00.007Z"],
    ]);
  });
});

describe("SAML Core §3.3.3: an answer", () => {
  test("holds the assertion behind its status", () => {
    const outcome = { xml: "<assertion>" };
    expect(
      writeResponse({ ...head, inResponseTo: "_request", outcome }).render({ xml: "<signature>" }).xml,
    ).toBe(
      `${started} Destination="${escaped}" ID="_message" InResponseTo="_request" ${made}>${ofUs}<signature>` +
        `<samlp:Status><samlp:StatusCode Value="${status}Success"></samlp:StatusCode></samlp:Status><assertion></samlp:Response>`,
    );
  });

  test.each([
    ["InvalidNameIDPolicy", "Requester"],
    ["RequestUnsupported", "Requester"],
    ["NoAuthnContext", "Responder"],
    ["NoPassive", "Responder"],
    ["AuthnFailed", "Responder"],
    ["UnknownPrincipal", "Responder"],
    ["RequestDenied", "Responder"],
  ] as const)("%s stands below %s, without a message", (outcome, top) => {
    expect(failures).toContain(outcome);
    expect(writeResponse({ ...head, inResponseTo: undefined, outcome }).render(undefined).xml).toBe(
      `${started} Destination="${escaped}" ID="_message" ${made}>${ofUs}<samlp:Status>` +
        `<samlp:StatusCode Value="${status}${top}"><samlp:StatusCode Value="${status}${outcome}"></samlp:StatusCode></samlp:StatusCode>` +
        "</samlp:Status></samlp:Response>",
    );
  });
});

const { signer, publicPem } = makeSigner();

test("xml-crypto finds the signatures of the answer and of the assertion good", async () => {
  const outcome = await signElement(writeAssertion(fullAssertion), signer);
  const { xml } = await signElement(writeResponse({ ...head, inResponseTo: "_request", outcome }), signer);
  const signed = [...xml.matchAll(/<ds:Signature .*?<\/ds:Signature>/g)].map(([signature]) => {
    const check = new SignedXml({ publicCert: publicPem });
    check.loadSignature(signature);
    return check.checkSignature(xml) && check.getSignedReferences().map((each) => each.slice(0, 15));
  });
  expect(signed).toEqual([["<samlp:Response"], ["<saml:Assertion"]]);
});

describe("node-saml", () => {
  /** Returns what node-saml makes of an answer, whatever its clock says. */
  async function take(xml: string) {
    const provider = new SAML({
      callbackUrl: recipient,
      issuer: audience,
      audience,
      idpCert: publicPem,
      idpIssuer: issuer,
      wantAuthnResponseSigned: true,
      wantAssertionsSigned: true,
      acceptedClockSkewMs: -1,
    });
    return await provider.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString("base64") });
  }

  test("takes a login", async () => {
    const outcome = await signElement(writeAssertion(fullAssertion), signer);
    const response = writeResponse({ ...head, inResponseTo: "_request", outcome });
    const { profile } = await take((await signElement(response, signer)).xml);
    expect(profile).toMatchObject({
      issuer,
      inResponseTo: "_request",
      sessionIndex: "_session",
      nameID: "abc",
      nameIDFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      nameQualifier: issuer,
      spNameQualifier: audience,
      attributes: { mail: "ada@example.com", Roles: ["<admin>", 'a & "b"'] },
    });
  });

  test("takes a failure for one", async () => {
    const response = writeResponse({ ...head, inResponseTo: "_request", outcome: "RequestDenied" });
    const { xml } = await signElement(response, signer);
    await expect(take(xml)).rejects.toThrow("RequestDenied");
  });

  test("refuses a login when a single value was changed", async () => {
    const outcome = await signElement(writeAssertion(fullAssertion), signer);
    const response = writeResponse({ ...head, inResponseTo: "_request", outcome });
    const { xml } = await signElement(response, signer);
    await expect(take(xml.replace(">abc<", ">abd<"))).rejects.toThrow("Invalid");
  });
});
