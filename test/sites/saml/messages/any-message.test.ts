import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { readAuthnRequest } from "../../../../src/sites/saml/messages/authn-request.ts";
import { readLogoutRequest } from "../../../../src/sites/saml/messages/logout-request.ts";
import { readLogoutResponse } from "../../../../src/sites/saml/messages/logout-response.ts";
import { faultOf, message } from "./support/written.ts";

const readers = {
  AuthnRequest: readAuthnRequest,
  LogoutRequest: readLogoutRequest,
  LogoutResponse: readLogoutResponse,
};
const names = ["AuthnRequest", "LogoutRequest", "LogoutResponse"] as const;
const elements = [
  "saml:Subject",
  "saml:NameID",
  "saml:EncryptedID",
  "saml:Conditions",
  "saml:AudienceRestriction",
  "saml:Audience",
  "saml:OneTimeUse",
  "saml:AuthnContextClassRef",
  "saml:AuthnContextDeclRef",
  "samlp:NameIDPolicy",
  "samlp:RequestedAuthnContext",
  "samlp:SessionIndex",
  "samlp:Status",
  "samlp:StatusCode",
  "other",
];
const attributes = [
  'Format="urn:f"',
  'NotBefore="2026-11-23T09:30:00Z"',
  'NotOnOrAfter="never"',
  'Comparison="better"',
  'Value="urn:oasis:names:tc:SAML:2.0:status:Success"',
];
const texts = [
  "text",
  "",
  " ",
  "<!-- -->",
  "<![CDATA[text]]>",
  "&amp;",
  "<?i?>",
  '<samlp:Status><samlp:StatusCode Value="urn:s"/></samlp:Status>',
];

const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  content: fc
    .array(fc.oneof({ maxDepth: 4 }, fc.constantFrom(...texts), tie("element")), { maxLength: 4 })
    .map((parts) => parts.join("")),
  element: fc
    .tuple(fc.constantFrom(...elements), fc.subarray(attributes, { maxLength: 2 }), tie("content"))
    .map(([name, written, inside]) => `<${[name, ...written].join(" ")}>${inside}</${name}>`),
}));

test("whatever is below the root of a message, it is read or refused", () => {
  const ends = new Set<string>();
  const roots = fc.record({
    ID: fc.constantFrom("_request", "1"),
    ForceAuthn: fc.constantFrom(undefined, "true", "yes"),
    NotOnOrAfter: fc.constantFrom(undefined, "2026-11-23T09:30:00Z", "now"),
    AssertionConsumerServiceIndex: fc.constantFrom(undefined, "1", "x"),
  });
  fc.assert(
    fc.property(fc.constantFrom(...names), roots, content, (name, given, inside) => {
      const document = message({ name, attributes: given, content: inside });
      ends.add(`${name} ${faultOf(() => readers[name](document))}`);
    }),
    { numRuns: 500, seed: 1 },
  );
  expect([...ends].toSorted()).toEqual(
    names.flatMap((name) => ["", "id", "malformed"].map((end) => `${name} ${end}`)),
  );
});
