import { DOMParser, onErrorStopParsing } from "@xmldom/xmldom";
import { ExclusiveCanonicalization } from "xml-crypto";

/** Returns the exclusive canonical form of a document as xml-crypto makes it of what xmldom reads. */
export function canonicalizeByXmlCrypto(text: string, inclusivePrefixes: readonly string[] = []): string {
  const parser = new DOMParser({
    locator: false,
    onError: onErrorStopParsing,
    normalizeLineEndings: (source) => source.replaceAll(/\r\n?/g, "\n"), // its own is that of XML 1.1
  });
  const root = parser.parseFromString(text, "application/xml").documentElement;
  // Its types name the DOM of browsers, which xmldom implements the parts of that are needed here.
  const node = root as unknown as Parameters<ExclusiveCanonicalization["process"]>[0];
  return new ExclusiveCanonicalization().process(node, {
    inclusiveNamespacesPrefixList: [...inclusivePrefixes],
  });
}
