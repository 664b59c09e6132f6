import { hash, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { element, type XmlFragment } from "../write.ts";
import {
  envelopedSignature,
  exclusiveCanonicalization,
  rsaSha256,
  sha256,
  signatureNamespace,
} from "./algorithms.ts";

/** An element that is signed. */
export interface Signable {
  /** The value of its attribute ID. */
  readonly id: string;
  /** Writes it in its canonical form, with the signature behind its Issuer (SAML Core §2.3.3, §3.2.1) or without one. */
  render(signature: XmlFragment | undefined): XmlFragment;
}

/** The signer of a message: a SamlSigner of the signing keys is one. */
export interface MessageSigner {
  /** An RSA key. */
  readonly privateKey: KeyObject;
  /** In DER. */
  readonly certificate: Uint8Array;
}

const signInPool = promisify(sign);

/**
 * Signs an element with rsa-sha256 and exclusive canonicalization, and adds the certificate (SAML Core §5.4). What it renders must
 * be its own canonical form, since that is what is digested.
 */
export async function signElement(signable: Signable, signer: MessageSigner): Promise<XmlFragment> {
  const digest = hash("sha256", signable.render(undefined).xml, "base64");
  // The canonical form of SignedInfo alone has the declaration that Signature has around it.
  const alone = writeSignedInfo(signable.id, digest, { "xmlns:ds": signatureNamespace });
  const value = await signOctets(alone.xml, signer);
  const certificate = Buffer.from(signer.certificate).toString("base64");
  return signable.render(
    element("ds:Signature", { "xmlns:ds": signatureNamespace }, [
      writeSignedInfo(signable.id, digest, {}),
      element("ds:SignatureValue", {}, [value]),
      element("ds:KeyInfo", {}, [
        element("ds:X509Data", {}, [element("ds:X509Certificate", {}, [certificate])]),
      ]),
    ]),
  );
}

/** Signs octets with rsa-sha256, outside of the event loop. Returns the signature in base64. */
export async function signOctets(octets: string, { privateKey }: MessageSigner): Promise<string> {
  return (await signInPool("sha256", Buffer.from(octets), privateKey)).toString("base64");
}

function writeSignedInfo(
  id: string,
  digest: string,
  declaration: Readonly<Record<string, string>>,
): XmlFragment {
  const method = (name: string, algorithm: string) => element(name, { Algorithm: algorithm });
  return element("ds:SignedInfo", declaration, [
    method("ds:CanonicalizationMethod", exclusiveCanonicalization),
    method("ds:SignatureMethod", rsaSha256),
    element("ds:Reference", { URI: `#${id}` }, [
      element("ds:Transforms", {}, [
        method("ds:Transform", envelopedSignature),
        method("ds:Transform", exclusiveCanonicalization),
      ]),
      method("ds:DigestMethod", sha256),
      element("ds:DigestValue", {}, [digest]),
    ]),
  ]);
}
