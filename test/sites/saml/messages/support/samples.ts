import { generateKeyPairSync } from "node:crypto";
import type { LoginFailure, LogoutOutcome } from "../../../../../src/sites/saml/messages/status.ts";
import type { AssertionToWrite } from "../../../../../src/sites/saml/messages/assertion.ts";
import type { HeadToWrite } from "../../../../../src/sites/saml/messages/write-head.ts";
import type { MessageSigner } from "../../../../../src/kernel/xml/signatures/sign-element.ts";
import { audience, issuer, nowMs } from "./written.ts";

/** Where answers to logins go in these tests. */
export const recipient = "https://sp.example.com/acs?a=1&b=2";

/** What a message of ours begins with. */
export const head: HeadToWrite = { id: "_message", issuer, destination: recipient, nowMs };

/** An assertion with everything that there can be. */
export const fullAssertion: AssertionToWrite = {
  id: "_assertion",
  issuer,
  nowMs,
  audience,
  recipient,
  inResponseTo: "_request",
  nameId: { format: "PERSISTENT", value: "abc", nameQualifier: issuer, spNameQualifier: audience },
  conditions: {
    notBeforeMs: undefined,
    notOnOrAfterMs: undefined,
    audiences: [],
    isOneTimeUse: true,
    hasOthers: false,
  },
  authenticationMs: nowMs - 1000,
  sessionIndex: "_session",
  sessionEndMs: nowMs + 3_600_000,
  context: {
    classUri: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
    authority: "https://idp.example.com/?a=1&b=2",
  },
  attributes: [
    { name: "mail", nameFormat: undefined, values: ["ada@example.com"] },
    {
      name: "Roles",
      nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:basic",
      values: ["<admin>", 'a & "b"'],
    },
  ],
};

/** An assertion with no more than there must be: there was no request, and the user has no attributes. */
export const scantAssertion: AssertionToWrite = {
  ...fullAssertion,
  inResponseTo: undefined,
  nameId: { format: "EMAIL_ADDRESS", value: "ada@example.com" },
  conditions: undefined,
  context: { ...fullAssertion.context, authority: undefined },
  attributes: [],
};

/** Each way in which a login can fail. */
export const failures: readonly LoginFailure[] = [
  "InvalidNameIDPolicy",
  "NoAuthnContext",
  "NoPassive",
  "AuthnFailed",
  "UnknownPrincipal",
  "RequestDenied",
  "RequestUnsupported",
];
/** Each end of a logout. */
export const outcomes: readonly LogoutOutcome[] = ["Success", "PartialLogout", "UnknownPrincipal"];

/** Makes a key to sign with, and the public key in PEM. The certificate is none: nobody may look at it. */
export function makeSigner(): { readonly signer: MessageSigner; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicPem = publicKey.export({ type: "spki", format: "pem" });
  return { signer: { privateKey, certificate: new Uint8Array([1, 2, 3]) }, publicPem };
}
