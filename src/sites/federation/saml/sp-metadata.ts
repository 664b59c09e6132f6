import { hash } from "node:crypto";
import type { SamlKey } from "../../../identity/signing-keys/saml-key.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { signatureNamespace } from "../../../kernel/xml/signatures/algorithms.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import { persistentFormat, postBinding, protocolNamespace, toOwnSide } from "./names.ts";
import type { UpstreamPorts } from "./ports.ts";

/** What providers may encrypt with, in the order in which they should choose. */
const encryptionMethods = [
  "http://www.w3.org/2009/xmlenc11#aes256-gcm",
  "http://www.w3.org/2009/xmlenc11#aes128-gcm",
  "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
];

/** Answers with our metadata for providers of SAML, the same for all of them. Anybody may read them, and keep them for five minutes. */
export async function answerSpMetadata({ samlKeys }: UpstreamPorts, issuer: string): Promise<Reply> {
  const body = writeSpMetadata(issuer, await samlKeys.listPublished());
  return {
    status: 200,
    headers: {
      "content-type": "application/samlmetadata+xml",
      "cache-control": "public, max-age=300",
      etag: `"${hash("sha256", body, "base64url")}"`,
    },
    body,
  };
}

/**
 * Writes them (SAML Metadata §2.4.4). The newest key is the one to encrypt for: of a retired one we have no private half any more, and
 * a key is published for a day before the one before it retires.
 */
function writeSpMetadata(issuer: string, keys: readonly Pick<SamlKey, "certificate" | "state">[]): string {
  const own = toOwnSide(issuer);
  const toEncrypt =
    keys.find(({ state }) => state === "NEXT") ?? keys.find(({ state }) => state === "ACTIVE");
  const methods = encryptionMethods.map((Algorithm) => element("md:EncryptionMethod", { Algorithm }));
  const descriptor = element(
    "md:SPSSODescriptor",
    {
      protocolSupportEnumeration: protocolNamespace,
      AuthnRequestsSigned: "true",
      WantAssertionsSigned: "true",
    },
    [
      ...keys.map(({ certificate }) => toKeyDescriptor("signing", certificate)),
      toEncrypt && toKeyDescriptor("encryption", toEncrypt.certificate, methods),
      element("md:NameIDFormat", {}, [persistentFormat]),
      element("md:AssertionConsumerService", {
        Binding: postBinding,
        Location: own.acsUrl,
        index: "0",
        isDefault: "true",
      }),
    ],
  );
  const attributes = { "xmlns:md": "urn:oasis:names:tc:SAML:2.0:metadata", entityID: own.entityId };
  const { xml } = element("md:EntityDescriptor", attributes, [descriptor]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
}

function toKeyDescriptor(
  use: "signing" | "encryption",
  certificate: Uint8Array,
  methods: readonly XmlFragment[] = [],
): XmlFragment {
  const text = Buffer.from(certificate).toString("base64");
  return element("md:KeyDescriptor", { use }, [
    element("ds:KeyInfo", { "xmlns:ds": signatureNamespace }, [
      element("ds:X509Data", {}, [element("ds:X509Certificate", {}, [text])]),
    ]),
    ...methods,
  ]);
}
