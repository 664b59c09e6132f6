import { describe, expect, test } from "@jest/globals";
import { createPublicKey } from "node:crypto";
import * as fc from "fast-check";
import { type AssertionToWrite, writeAssertion } from "../../../../src/sites/saml/messages/assertion.ts";
import { writeLogoutRequest } from "../../../../src/sites/saml/messages/logout-request.ts";
import { writeLogoutResponse } from "../../../../src/sites/saml/messages/logout-response.ts";
import { writeResponse } from "../../../../src/sites/saml/messages/response.ts";
import { encryptAssertion } from "../../../../src/sites/saml/signatures/encrypt-assertion.ts";
import { type Signable, signElement } from "../../../../src/kernel/xml/signatures/sign-element.ts";
import { canonicalize } from "../../../../src/kernel/xml/canonical.ts";
import { parseTextXml, type TextElement } from "../../../../src/kernel/xml/text-document.ts";
import { anyCharacter } from "../../../support/any-character.ts";
import { createFixedRandom } from "../../../support/fixed-random.ts";
import { canonicalizeByXmlCrypto } from "../../../kernel/xml/support/canonical-by-others.ts";
import { failures, fullAssertion, head, makeSigner, outcomes, scantAssertion } from "./support/samples.ts";

const { signer, publicPem } = makeSigner();
const inResponseTo = "_request";
const { nameId } = fullAssertion;

/** Writes a login with its assertion, which may be encrypted. */
async function login(assertion: AssertionToWrite, isEncrypted = false): Promise<Signable> {
  const signed = await signElement(writeAssertion(assertion), signer);
  const to = { publicKey: createPublicKey(publicPem), ciphers: [] };
  const outcome = isEncrypted ? encryptAssertion(signed, { to, random: createFixedRandom() }) : signed;
  return writeResponse({ ...head, inResponseTo: assertion.inResponseTo, outcome });
}

const messages: readonly (readonly [string, () => Signable | Promise<Signable>])[] = [
  ["an assertion", () => writeAssertion(fullAssertion)],
  ["a login with everything", () => login(fullAssertion)],
  ["a login with little", () => login(scantAssertion)],
  ["a login that is encrypted", () => login(fullAssertion, true)],
  ...failures.map((outcome) => [outcome, () => writeResponse({ ...head, inResponseTo, outcome })] as const),
  ["a request to log out", () => writeLogoutRequest({ ...head, nameId, sessionIndex: "_session" })],
  ...outcomes.map(
    (outcome) =>
      [`a logout: ${outcome}`, () => writeLogoutResponse({ ...head, inResponseTo, outcome })] as const,
  ),
];

/** Says in which canonical forms a text differs from itself. */
function differencesOf(xml: string): readonly string[] {
  const forms = { ours: canonicalize(parseTextXml(xml).root), theirs: canonicalizeByXmlCrypto(xml) };
  return Object.entries(forms).flatMap(([name, form]) => (form === xml ? [] : [`${name}: ${form}`]));
}

describe("Exclusive XML Canonicalization §3: the own form of a message", () => {
  test.each(messages)("%s has it, signed and unsigned", async (_what, write) => {
    const signable = await write();
    expect(differencesOf(signable.render(undefined).xml)).toEqual([]);
    expect(differencesOf((await signElement(signable, signer)).xml)).toEqual([]);
  });

  test("an assertion has it by itself, which whoever decrypts it sees", async () => {
    expect(differencesOf((await signElement(writeAssertion(fullAssertion), signer)).xml)).toEqual([]);
  });
});

/** Returns the texts and attributes below an element, in their order. */
function textsOf(element: TextElement): readonly string[] {
  return [
    ...element.attributes.map(([, value]) => value),
    ...(element.text === undefined ? [] : [element.text]),
    ...element.children.flatMap(textsOf),
  ];
}

test("whatever texts a message holds, it keeps them and its form", () => {
  const parts = fc.constantFrom(
    "&",
    "<",
    ">",
    '"',
    "'",
    "\r",
    "\n",
    "\t",
    " ",
    "]]>",
    "<!--",
    "-->",
    "\u{1f600}",
  );
  const units = fc.oneof(parts, anyCharacter).filter(
    // oxlint-disable-next-line no-control-regex -- control characters are what it leaves out
    (part) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(part),
  );
  const texts = fc.string({ unit: units, minLength: 1, maxLength: 8 });
  const drawn = fc.tuple(texts, texts, texts, texts, texts, texts);
  fc.assert(
    fc.property(drawn, ([audience, recipient, value, sessionIndex, name, attribute]) => {
      const assertion = {
        ...fullAssertion,
        audience,
        recipient,
        sessionIndex,
        nameId: { ...nameId, value, spNameQualifier: audience },
        attributes: [{ name, nameFormat: undefined, values: [attribute] }],
      };
      const written = [
        writeAssertion(assertion),
        writeLogoutRequest({ ...head, destination: recipient, nameId: assertion.nameId, sessionIndex }),
      ].map((signable) => signable.render(undefined).xml);
      const [first = [], second = []] = written.map((xml) => textsOf(parseTextXml(xml).root));
      return (
        written.every((xml) => differencesOf(xml).length === 0) &&
        [audience, recipient, value, sessionIndex, name, attribute].every((each) => first.includes(each)) &&
        [recipient, value, sessionIndex].every((each) => second.includes(each))
      );
    }),
  );
});
