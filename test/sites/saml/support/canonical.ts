import { canonicalizeByXmlCrypto } from "../../../kernel/xml/support/canonical-by-others.ts";

/** Throws when a message is not its own exclusive canonical form, of which readers may make another one. */
export function requireCanonical(xml: string): void {
  if (canonicalizeByXmlCrypto(xml) !== xml) throw new Error(`this is no canonical form: ${xml}`);
}
