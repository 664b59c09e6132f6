import { names } from "./forge.ts";
import {
  type Attack,
  type AttackGround,
  bySignedPost,
  bySignedQuery,
  type RequestParts,
  sso,
} from "./ground.ts";

/** A request that the service provider has signed itself: of somebody who has its key, or who talks it into that. */
const signed = (toParts: (ground: AttackGround) => RequestParts) => (ground: AttackGround) =>
  bySignedQuery(ground, ground.request(toParts(ground)));
const attributes = (toAttributes: (ground: AttackGround) => RequestParts["attributes"]) =>
  signed((ground) => {
    const all = toAttributes(ground);
    return all === undefined ? {} : { attributes: all };
  });
const acs = (change: (acs: string) => string) =>
  attributes(({ target }) => ({ AssertionConsumerServiceURL: change(target.acs) }));
const byIndex = (index: string, more: Readonly<Record<string, string>> = {}) =>
  attributes(() => ({
    AssertionConsumerServiceURL: undefined,
    ProtocolBinding: undefined,
    AssertionConsumerServiceIndex: index,
    ...more,
  }));

/** Where an attacker would like the answer to go. */
export const addressAttacks: readonly Attack[] = [
  ["the ACS at another host", acs((url) => url.replace(".example/", ".example.evil.example/"))],
  [
    "the ACS of another service provider",
    attributes(({ other }) => ({ AssertionConsumerServiceURL: other.acs })),
  ],
  ["the ACS under another path", acs((url) => url.replace("/acs", "/acs/"))],
  ["the ACS under a path that leads there", acs((url) => url.replace("/acs", "/x/../acs"))],
  ["the ACS with another host in capital letters", acs((url) => url.replace("https://sp", "https://SP"))],
  ["the ACS with a path in capital letters", acs((url) => url.replace("/acs", "/ACS"))],
  ["the ACS with another query", acs((url) => `${url}&c=3`)],
  ["the ACS without its query", acs((url) => url.replace(/\?.*/, ""))],
  ["the ACS with a fragment", acs((url) => `${url}#x`)],
  ["the ACS with user info", acs((url) => url.replace("https://", "https://sp@evil.example:x@"))],
  ["the ACS with its own port", acs((url) => url.replace(".example/", ".example:443/"))],
  ["the ACS by http", acs((url) => url.replace("https:", "http:"))],
  ["the ACS with an encoded path", acs((url) => url.replace("/acs", "/%61cs"))],
  ["the ACS with white space around it", acs((url) => ` ${url} `)],
  ["javascript: as ACS", attributes(() => ({ AssertionConsumerServiceURL: "javascript:alert(1)" }))],
  ["data: as ACS", attributes(() => ({ AssertionConsumerServiceURL: "data:text/html,x" }))],
  ["an empty ACS", attributes(() => ({ AssertionConsumerServiceURL: "" }))],
  ["the ACS by index 99", byIndex("99")],
  ["the ACS by index -1", byIndex("-1")],
  ["the ACS by an index that is no number", byIndex("0x0")],
  ["the ACS by an index beyond every integer", byIndex("9".repeat(400))],
  ["the ACS by an index of the artifact binding", byIndex("2")],
  [
    "the ACS by index and URL",
    attributes(() => ({ AssertionConsumerServiceIndex: "0", ProtocolBinding: undefined })),
  ],
  ["the ACS by index, with a binding", byIndex("0", { ProtocolBinding: names.post })],
  ["the artifact binding", attributes(() => ({ ProtocolBinding: names.artifact }))],
  ["the redirect binding for the answer", attributes(() => ({ ProtocolBinding: names.redirect }))],
];

/** When, for whom and by whom a request is. */
export const envelopeAttacks: readonly Attack[] = [
  [
    "the Destination of another identity provider",
    attributes(() => ({ Destination: "https://idp.example/saml/v2/SSO" })),
  ],
  ["no Destination, though it is signed", attributes(() => ({ Destination: undefined }))],
  ["an empty Destination", attributes(() => ({ Destination: "" }))],
  ["the Destination of logout", attributes(({ issuer }) => ({ Destination: `${issuer}/saml/v2/SLO` }))],
  ["the Destination with a query", attributes(({ issuer }) => ({ Destination: `${issuer}${sso}?x` }))],
  [
    "the Destination by the address of the machine",
    attributes(({ issuer }) => ({ Destination: `${issuer.replace("localhost", "127.0.0.1")}${sso}` })),
  ],
  ["an instant 11 minutes ago", attributes(({ instant }) => ({ IssueInstant: instant(-660) }))],
  ["an instant in 11 minutes", attributes(({ instant }) => ({ IssueInstant: instant(660) }))],
  ["no instant", attributes(() => ({ IssueInstant: undefined }))],
  ["an instant that is none", attributes(() => ({ IssueInstant: "now" }))],
  ["an instant of a day that there is not", attributes(() => ({ IssueInstant: "2026-02-30T00:00:00Z" }))],
  ["Version 1.1", attributes(() => ({ Version: "1.1" }))],
  ["Version 2.1", attributes(() => ({ Version: "2.1" }))],
  ["no Version", attributes(() => ({ Version: undefined }))],
  ["no ID", attributes(() => ({ ID: undefined }))],
  ["an ID that is no name", attributes(() => ({ ID: "1 2" }))],
  ["an ID of 257 characters", attributes(() => ({ ID: `_${"x".repeat(256)}` }))],
  ["no Issuer", signed(() => ({ issuer: "" }))],
  ["an empty Issuer", signed(() => ({ issuer: "<saml:Issuer></saml:Issuer>" }))],
  [
    "two Issuers",
    signed(({ target, other }) => ({
      issuer: [other, target].map((one) => `<saml:Issuer>${one.entityId}</saml:Issuer>`).join(""),
    })),
  ],
  [
    "an Issuer of another format",
    signed(({ target }) => ({
      issuer: `<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${target.entityId}</saml:Issuer>`,
    })),
  ],
  [
    "an Issuer with white space around it",
    signed(({ target }) => ({ issuer: `<saml:Issuer> ${target.entityId}\n</saml:Issuer>` })),
  ],
  [
    "an Issuer in capital letters",
    signed(({ target }) => ({ issuer: `<saml:Issuer>${target.entityId.toUpperCase()}</saml:Issuer>` })),
  ],
  [
    "an Issuer of another namespace",
    signed(({ target }) => ({ issuer: `<Issuer xmlns="urn:x">${target.entityId}</Issuer>` })),
  ],
  [
    "an Issuer that nobody knows",
    signed(() => ({ issuer: "<saml:Issuer>https://nobody.example</saml:Issuer>" })),
  ],
  [
    "our own entity id as Issuer",
    signed(({ issuer }) => ({ issuer: `<saml:Issuer>${issuer}/saml/v2/metadata</saml:Issuer>` })),
  ],
  [
    "another service provider as Issuer",
    signed(({ other }) => ({ issuer: `<saml:Issuer>${other.entityId}</saml:Issuer>` })),
  ],
  ["a LogoutRequest where somebody logs in", signed(() => ({ root: "LogoutRequest" }))],
  ["a Response where somebody logs in", signed(() => ({ root: "Response" }))],
  [
    "an AuthnRequest of SAML 1.1",
    (ground) => bySignedPost(ground, ground.request().replaceAll("SAML:2.0:protocol", "SAML:1.1:protocol")),
  ],
];
