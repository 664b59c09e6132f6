import { describe, expect, test } from "@jest/globals";
import {
  type SamlLogoutRequest,
  readLogoutRequest,
  writeLogoutRequest,
} from "../../../../src/sites/saml/messages/logout-request.ts";
import {
  readLogoutResponse,
  writeLogoutResponse,
} from "../../../../src/sites/saml/messages/logout-response.ts";
import type { Signable } from "../../../../src/kernel/xml/signatures/sign-element.ts";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import { fullAssertion, head, recipient } from "./support/samples.ts";
import { audience, type Difference, faultOf, issuer, message, nowMs } from "./support/written.ts";

const nameId = "<saml:NameID>ada</saml:NameID>";

function read(difference: Difference): SamlLogoutRequest {
  return readLogoutRequest(message({ name: "LogoutRequest", content: nameId, ...difference }));
}
const parse = (signable: Signable) => parseTextXml(signable.render(undefined).xml);

describe("SAML Core §3.7.1: a request to log out", () => {
  test("is read", () => {
    const content = `<saml:NameID Format="urn:f" NameQualifier="n" SPNameQualifier="s">ada &amp; co</saml:NameID>
      <samlp:SessionIndex>_one</samlp:SessionIndex><samlp:SessionIndex>two</samlp:SessionIndex>`;
    const attributes = {
      NotOnOrAfter: "2026-11-23T09:35:00Z",
      Reason: "urn:oasis:names:tc:SAML:2.0:logout:user",
    };
    expect(read({ content, attributes })).toEqual({
      id: "_request",
      issuer: audience,
      issueInstantMs: nowMs,
      destination: undefined,
      nameId: { value: "ada & co", format: "urn:f", nameQualifier: "n", spNameQualifier: "s" },
      sessionIndexes: ["_one", "two"],
      notOnOrAfterMs: nowMs + 300_000,
    });
  });

  test("may be for all sessions, at any time", () => {
    expect(read({})).toMatchObject({ sessionIndexes: [], notOnOrAfterMs: undefined });
  });

  test.each(["<saml:EncryptedID/>", "<saml:BaseID/>"])("names nobody with %s", (content) => {
    expect(read({ content }).nameId).toBeUndefined();
  });

  test.each<readonly [string, Difference]>([
    ["root", { name: "LogoutResponse" }],
    ["malformed", { content: "" }],
    ["malformed", { content: nameId.repeat(2) }],
    ["malformed", { content: `${nameId}<saml:EncryptedID/>` }],
    ["malformed", { content: "<saml:NameID>a<!-- -->da</saml:NameID>" }],
    ["malformed", { content: "<saml:NameID><![CDATA[ada]]></saml:NameID>" }],
    ["malformed", { content: `${nameId}<samlp:SessionIndex/>` }],
    ["malformed", { content: `${nameId}<samlp:SessionIndex>a<!-- -->b</samlp:SessionIndex>` }],
    ["malformed", { attributes: { NotOnOrAfter: "soon" } }],
  ])("is not good: %s, %j", (reason, difference) => {
    expect(faultOf(() => read(difference))).toBe(reason);
  });

  test("is written as it is read, with five minutes of time", () => {
    const own = writeLogoutRequest({ ...head, nameId: fullAssertion.nameId, sessionIndex: "_session" });
    expect(readLogoutRequest(parse(own))).toEqual({
      id: "_message",
      issuer,
      issueInstantMs: nowMs,
      destination: recipient,
      nameId: {
        value: "abc",
        format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        nameQualifier: issuer,
        spNameQualifier: audience,
      },
      sessionIndexes: ["_session"],
      notOnOrAfterMs: nowMs + 300_000,
    });
  });
});

const code = (name: string, inside = "") =>
  `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${name}">${inside}</samlp:StatusCode>`;
const statusOf = (inside: string) => `<samlp:Status>${inside}</samlp:Status>`;
const response = (difference: Difference) =>
  readLogoutResponse(message({ name: "LogoutResponse", ...difference }));

describe("SAML Core §3.7.2: the answer to it", () => {
  test.each([
    [code("Success"), true],
    [`${code("Success")}<samlp:StatusMessage>fine</samlp:StatusMessage><samlp:StatusDetail/>`, true],
    [code("Success", code("PartialLogout")), false],
    [code("Responder"), false],
    [code("Responder", code("Success")), false],
    [code("Requester", code("RequestDenied")), false],
    ['<samlp:StatusCode Value="success"/>', false],
  ])("%s is a success: %s", (status, isSuccess) => {
    const attributes = { InResponseTo: "_ours" };
    expect(response({ attributes, content: statusOf(status) })).toEqual({
      id: "_request",
      issuer: audience,
      issueInstantMs: nowMs,
      destination: undefined,
      inResponseTo: "_ours",
      isSuccess,
    });
  });

  test("may be to no request, which is for others to refuse", () => {
    expect(response({ content: statusOf(code("Success")) }).inResponseTo).toBeUndefined();
  });

  test.each<readonly [string, Difference]>([
    ["root", { name: "Response", content: statusOf(code("Success")) }],
    ["malformed", { content: "" }],
    ["malformed", { content: statusOf("") }],
    ["malformed", { content: statusOf("<samlp:StatusCode/>") }],
    ["malformed", { content: statusOf(code("Success").repeat(2)) }],
    ["malformed", { content: statusOf(code("Success")).repeat(2) }],
  ])("is not good: %s, %j", (reason, difference) => {
    expect(faultOf(() => response(difference))).toBe(reason);
  });

  test.each([
    ["Success", true],
    ["PartialLogout", false],
    ["UnknownPrincipal", false],
  ] as const)("%s is written as it is read", (outcome, isSuccess) => {
    expect(
      readLogoutResponse(parse(writeLogoutResponse({ ...head, inResponseTo: "_request", outcome }))),
    ).toEqual({
      id: "_message",
      issuer,
      issueInstantMs: nowMs,
      destination: recipient,
      inResponseTo: "_request",
      isSuccess,
    });
  });
});
