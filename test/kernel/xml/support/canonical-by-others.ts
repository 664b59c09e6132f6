import { DOMParser, onErrorStopParsing } from "@xmldom/xmldom";
import { C14nCanonicalization, ExclusiveCanonicalization } from "xml-crypto";

/** Returns the exclusive canonical form of a document as xml-crypto makes it of what xmldom reads. */
export function canonicalizeByXmlCrypto(text: string, inclusivePrefixes: readonly string[] = []): string {
  return new ExclusiveCanonicalization().process(parse(text), {
    inclusiveNamespacesPrefixList: [...inclusivePrefixes],
  });
}

/** Returns the inclusive canonical form: Canonical XML 1.0, which for a whole document is that of 1.1. */
export function canonicalizeInclusively(text: string): string {
  return new C14nCanonicalization().process(parse(text), {});
}

function parse(text: string) {
  const parser = new DOMParser({
    locator: false,
    onError: onErrorStopParsing,
    normalizeLineEndings: (source) => source.replaceAll(/\r\n?/g, "\n"), // its own is that of XML 1.1
  });
  const root = parser.parseFromString(text, "application/xml").documentElement;
  // Its types name the DOM of browsers, which xmldom implements the parts of that are needed here.
  return root as unknown as Parameters<ExclusiveCanonicalization["process"]>[0];
}
