import { expect, test } from "@jest/globals";
import { decodeMessage } from "../../../../src/sites/saml/bindings/decode-message.ts";
import { SamlFault } from "../../../../src/sites/saml/bindings/saml-fault.ts";
import { verifyDocument } from "../../../../src/kernel/xml/signatures/verify-document.ts";
import type { TextDocument, TextElement } from "../../../../src/kernel/xml/text-document.ts";
import { createRandom } from "../../../hostile/support/random.ts";
import { sized } from "../../../support/size.ts";
import { honestMessage } from "../support/forged-message.ts";
import { makeRsaKeys } from "../support/keys.ts";
import { signByXmlCrypto } from "../support/signed-by-others.ts";

const { privateKey, publicKey } = makeRsaKeys();
const original = signByXmlCrypto(honestMessage.replace("{signature}", "\r\n<!-- a -->"), { key: privateKey });

const pieces = [
  "<!-- -->",
  "<![CDATA[x]]>",
  "<?a b?>",
  "<a/>",
  "&#13;",
  "&amp;",
  " ",
  "\n",
  "\r",
  "A",
  "=",
  "_q",
  ' ID="_q"',
  ' xmlns:saml="urn:x"',
  ' xmlns="urn:x"',
  "https://evil.example",
  "<ds:Object/>",
  "é",
];

/** Changes the text in one to three places: a piece put in, something left out, or something moved or repeated. */
function change(seed: number): string {
  const draw = createRandom(seed, 2);
  let text = original;
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const [at, from] = [draw.below(text.length), draw.below(text.length)];
    const part = draw.chance(0.5) ? elementAt(text, from) : text.slice(from, from + 1 + draw.below(12));
    switch (draw.below(5)) {
      case 0:
        text = text.slice(0, at) + draw.pick(pieces) + text.slice(at);
        break;
      case 1:
        text = text.replace(part, "");
        break;
      case 2:
        text = text.replace(part, () => part + part);
        break;
      case 3:
        text = moveTo(text.replace(part, ""), part, at);
        break;
      default:
        text = moveTo(text, draw.pick(pieces), at);
    }
  }
  return text;
}

/** Returns the element that begins at that place or behind it. */
function elementAt(text: string, from: number): string {
  const [start = "", name = ""] = /<([a-z]+:[A-Za-z]+)[ >]/.exec(text.slice(from)) ?? [];
  const begin = text.indexOf(start, from);
  const end = text.indexOf(`</${name}>`, begin);
  return end < 0 ? "" : text.slice(begin, end + name.length + 3);
}

/** Puts the part before the tag that is next, where it is more often well-formed. */
function moveTo(text: string, part: string, at: number): string {
  const tag = text.indexOf("<", at);
  return tag < 0 ? text : text.slice(0, tag) + part + text.slice(tag);
}

/** What a document means to us: all elements outside of the signature, with their names, attributes and texts. */
function meaningOf({ namespace, localName, attributes, children, text }: TextElement): readonly Meaning[] {
  const named = attributes.map((each) => each.join("=")).toSorted();
  const inner = children.filter((child) => child.localName !== "Signature");
  return [{ name: `${namespace} ${localName}`, attributes: named, text }, ...inner.flatMap(meaningOf)];
}

interface Meaning {
  readonly name: string;
  readonly attributes: readonly string[];
  readonly text: string | undefined;
}

function read(text: string): TextDocument | SamlFault {
  try {
    const message = Buffer.from(text).toString("base64");
    return decodeMessage({ binding: "post", kind: "SAMLRequest", message, relayState: undefined });
  } catch (error) {
    if (error instanceof SamlFault) return error;
    throw error;
  }
}

test("of signed messages that were changed, none is good that means something else, and nothing else than a fault is thrown", async () => {
  const honest = read(original);
  if (honest instanceof SamlFault) throw honest;
  const texts = meaningOf(honest.root).map(({ text }) => text);
  const counts = { fault: 0, absent: 0, bad: 0, good: 0 };
  for (let seed = 1; seed <= sized({ small: 500, full: 10_000 }); seed++) {
    const text = change(seed);
    const document = read(text);
    if (document instanceof SamlFault) {
      counts.fault++;
      continue;
    }
    const { kind } = await verifyDocument(document, [publicKey]);
    counts[kind]++;
    if (kind !== "good") continue;
    // A comment or a CDATA section hides a text from us, but cannot change it.
    const meaning = meaningOf(document.root).map(({ name, attributes, text: own }, at) => ({
      name,
      attributes,
      text: own ?? texts[at],
    }));
    expect({ seed, text, meaning }).toEqual({ seed, text, meaning: meaningOf(honest.root) });
  }
  expect(Math.min(counts.fault, counts.bad, counts.good)).toBeGreaterThan(10);
});
