import { describe, expect, test } from "@jest/globals";
import { verifyDocument } from "../../../../src/kernel/xml/signatures/verify-document.ts";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import { exclusive } from "../support/forged-message.ts";
import { gosaml2Key, gosaml2Request } from "../support/gosaml2-request.ts";

const verify = (text: string) => verifyDocument(parseTextXml(text), [gosaml2Key]);
const bad = (reason: string) => ({ kind: "bad", reason });

describe("a signature by Canonical XML 1.1", () => {
  const algorithm = "http://www.w3.org/2006/12/xml-c14n11";

  test("is good, as gosaml2 makes it", async () => {
    expect(await verify(gosaml2Request)).toEqual({ kind: "good" });
  });

  test.each([
    ["a changed value", "https://sp.example/acs", "https://sp.example/acx", "digest"],
    ["another namespace that nobody uses", " ID=", ' xmlns:unused="urn:x" ID=', "value"],
    ["another digest", "<ds:DigestValue>x", "<ds:DigestValue>y", "value"],
    [
      "another method for SignedInfo",
      `CanonicalizationMethod Algorithm="${algorithm}"`,
      `CanonicalizationMethod Algorithm="${exclusive}"`,
      "value",
    ],
    [
      "another method for the document",
      `Transform Algorithm="${algorithm}"`,
      `Transform Algorithm="${exclusive}"`,
      "value",
    ],
    [
      "comments in the form",
      `CanonicalizationMethod Algorithm="${algorithm}"`,
      `CanonicalizationMethod Algorithm="${algorithm}#WithComments"`,
      "shape",
    ],
    ["something that SignedInfo would inherit from the root", " ID=", ' xml:lang="de" ID=', "shape"],
    [
      "something that it would inherit from the signature",
      "<ds:Signature ",
      '<ds:Signature xml:space="preserve" ',
      "shape",
    ],
  ])("is refused for %s", async (_name, from, to, reason) => {
    const text = gosaml2Request.replace(from, to);
    expect(text).not.toBe(gosaml2Request);
    expect(await verify(text)).toEqual(bad(reason));
  });

  test("has no list of prefixes", async () => {
    const list = `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="saml"/>`;
    const listed = gosaml2Request.replace(
      /(<ds:CanonicalizationMethod [^>]*)\/>/,
      `$1>${list}</ds:CanonicalizationMethod>`,
    );
    expect(listed).toContain(list);
    expect(await verify(listed)).toEqual(bad("shape"));
  });
});
