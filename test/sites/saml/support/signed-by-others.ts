import type { KeyObject } from "node:crypto";
import { SignedXml } from "xml-crypto";
import { DOMParser } from "@xmldom/xmldom";
import { ds, exclusive, more, xenc } from "./forged-message.ts";

/** Signs the root of a document with xml-crypto, by RSA. */
export function signByXmlCrypto(
  text: string,
  how: {
    readonly key: KeyObject;
    readonly algorithm?: string;
    readonly digestAlgorithm?: string;
  },
): string {
  const signing = new SignedXml({
    privateKey: how.key.export({ type: "pkcs8", format: "pem" }),
    signatureAlgorithm: how.algorithm ?? `${more}rsa-sha256`,
    canonicalizationAlgorithm: exclusive,
  });
  signing.addReference({
    xpath: "/*",
    transforms: [`${ds}enveloped-signature`, exclusive],
    digestAlgorithm: how.digestAlgorithm ?? `${xenc}sha256`,
  });
  signing.computeSignature(text);
  return signing.getSignedXml();
}

/** Returns what each signature of a document signs, in their order, as xml-crypto says; undefined where it finds it bad. */
export function verifyByXmlCrypto(text: string, key: KeyObject): readonly (string | undefined)[] {
  const document = new DOMParser().parseFromString(text, "application/xml");
  return [...document.getElementsByTagNameNS(ds, "Signature")].map((signature) => {
    const verifying = new SignedXml({ publicCert: key.export({ type: "spki", format: "pem" }) });
    verifying.loadSignature(signature);
    try {
      return verifying.checkSignature(text) ? verifying.getSignedReferences()[0] : undefined;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("invalid signature")) return undefined;
      throw error;
    }
  });
}
