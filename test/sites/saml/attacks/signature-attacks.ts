import { createHash, createHmac, sign } from "node:crypto";
import {
  canonicalize,
  insertSignature,
  names,
  signatureOf,
  type SignatureParts,
  signMessage,
  transform,
} from "./forge.ts";
import { type Attack, type AttackGround, type Attempt, byPost, id } from "./ground.ts";

const end = "</samlp:AuthnRequest>";
const extensions = (content: string) => `<samlp:Extensions>${content}</samlp:Extensions>`;

/** The request that the attacker has seen, signed by the target, and its signature. */
function seen(ground: AttackGround) {
  const xml = ground.request();
  const signature = signatureOf(xml, { key: ground.target.keys.privateKey, id });
  return { xml, signature, whole: insertSignature(xml, signature) };
}

/** The request that the attacker wants: answers go elsewhere, to a place that the metadata has. */
function wanted(
  ground: AttackGround,
  attributes: Readonly<Record<string, string>> = {},
  content = "",
): string {
  const all = { AssertionConsumerServiceURL: ground.target.secondAcs, ID: "_evil", ...attributes };
  return ground.request({ attributes: all, content });
}

/** Good but for these parts of the signature. */
const withParts =
  (
    toParts: (ground: AttackGround) => Partial<SignatureParts>,
    toXml = (ground: AttackGround) => ground.request(),
  ) =>
  (ground: AttackGround) =>
    byPost(signMessage(toXml(ground), { key: ground.target.keys.privateKey, id, ...toParts(ground) }));

/** A signature that moves, while its request is wrapped into another one. */
export const wrappingAttacks: readonly Attack[] = [
  [
    "the original in Extensions, its signature in the root",
    (ground) => {
      const { whole, signature } = seen(ground);
      return byPost(insertSignature(wanted(ground, {}, extensions(whole)), signature));
    },
  ],
  [
    "the original without its signature in Extensions, its signature in the root",
    (ground) => {
      const { xml, signature } = seen(ground);
      return byPost(insertSignature(wanted(ground, {}, extensions(xml)), signature));
    },
  ],
  [
    "the original with its signature in Extensions, the root without",
    (ground) => byPost(wanted(ground, {}, extensions(seen(ground).whole))),
  ],
  [
    "the original in ds:Object of the signature",
    (ground) => {
      const { xml } = seen(ground);
      const rest = `<ds:Object>${xml}</ds:Object>`;
      const signature = signatureOf(xml, { key: ground.target.keys.privateKey, id, rest });
      return byPost(insertSignature(wanted(ground), signature));
    },
  ],
  [
    "the original as the last child",
    (ground) => {
      const { xml, signature } = seen(ground);
      return byPost(insertSignature(wanted(ground), signature).replace(end, xml + end));
    },
  ],
  [
    "the original as the root of an element that is no message",
    (ground) => byPost(`<x>${wanted(ground)}${seen(ground).whole}</x>`),
  ],
  [
    "the same ID twice, the original in Extensions",
    (ground) => {
      const { whole, signature } = seen(ground);
      return byPost(insertSignature(wanted(ground, { ID: id }, extensions(whole)), signature));
    },
  ],
  [
    "the same ID as xml:id of another element",
    (ground) => {
      const { xml } = seen(ground);
      const other = xml.replace("<samlp:AuthnRequest ", `<samlp:AuthnRequest xml:id="${id}" `);
      return byPost(
        signMessage(other, { key: ground.target.keys.privateKey, id }).replace(` ID="${id}"`, ' ID="_x"'),
      );
    },
  ],
  [
    "two signatures",
    (ground) => {
      const { whole, signature } = seen(ground);
      return byPost(insertSignature(whole, signature));
    },
  ],
  [
    "two signatures, of which the first covers the second",
    (ground) => {
      const second = signatureOf(ground.request(), { key: ground.stranger.privateKey, id });
      const xml = ground.request({ content: extensions(second) });
      return byPost(signMessage(xml, { key: ground.target.keys.privateKey, id }));
    },
  ],
  [
    "two SignedInfo, the signed one first",
    (ground) => withTwoSignedInfo(ground, (good, evil) => good + evil),
  ],
  ["two SignedInfo, the signed one last", (ground) => withTwoSignedInfo(ground, (good, evil) => evil + good)],
  ["two References", withParts(() => ({ references: (reference) => reference + reference }))],
  [
    "the signature in Extensions",
    (ground) => {
      const xml = ground.request({ content: extensions("<x></x>") });
      const signature = signatureOf(xml, { key: ground.target.keys.privateKey, id });
      return byPost(xml.replace("<x></x>", `<x></x>${signature}`));
    },
  ],
  [
    "a signature that is empty",
    (ground) =>
      byPost(
        insertSignature(ground.request(), `<ds:Signature xmlns:ds="${names.signature}"></ds:Signature>`),
      ),
  ],
  [
    "a signature of another namespace",
    (ground) => {
      const { xml, signature } = seen(ground);
      return byPost(insertSignature(xml, signature.replace(`"${names.signature}"`, '"urn:x"')));
    },
  ],
];

/** The SignedInfo of the request that was seen, and another one of the request that is wanted. */
function withTwoSignedInfo(ground: AttackGround, order: (good: string, evil: string) => string): Attempt {
  const xml = wanted(ground, { ID: id });
  const digest = createHash("sha256").update(canonicalize(xml)).digest("base64");
  const signedInfo = (good: string) =>
    order(good, good.replace(/<ds:DigestValue>[^<]*/, `<ds:DigestValue>${digest}`));
  const parts = { key: ground.target.keys.privateKey, id, signedInfo };
  return byPost(insertSignature(xml, signatureOf(ground.request(), parts)));
}

/** A signature that is not there, or not the one of this request and this service provider. */
export const strangerAttacks: readonly Attack[] = [
  ["no signature, though it is required", (ground) => byPost(ground.request())],
  [
    "a value changed after it was signed",
    (ground) => byPost(seen(ground).whole.replace("/acs?a=1&amp;b=2", "/second")),
  ],
  [
    "a signature of the query, on POST",
    (ground) => {
      const xml = ground.request();
      const algorithm = `${names.more}rsa-sha256`;
      const fields = {
        SAMLRequest: Buffer.from(xml).toString("base64"),
        RelayState: "here",
        SigAlg: algorithm,
      };
      const octets = new URLSearchParams(fields).toString();
      const signature = sign("sha256", Buffer.from(octets), ground.target.keys.privateKey).toString("base64");
      return byPost(xml, { SigAlg: algorithm, Signature: signature });
    },
  ],
  ["the key of another service provider", withParts(({ other }) => ({ key: other.keys.privateKey }))],
  [
    "a key of the attacker, whose certificate is in KeyInfo",
    withParts(({ stranger }) => ({
      key: stranger.privateKey,
      rest: `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stranger.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
    })),
  ],
  ...(["hmac-sha1", "hmac-sha256"] as const).flatMap((name) =>
    (["pem", "der"] as const).map(
      (format): Attack => [
        `${name} with the public key as ${format}`,
        withParts(({ target: { keys } }) => ({
          method: `${name === "hmac-sha1" ? names.signature : names.more}${name}`,
          signOctets: (octets) => {
            const secret =
              format === "pem"
                ? keys.publicKey.export({ format, type: "spki" })
                : keys.publicKey.export({ format, type: "spki" });
            return createHmac(name.slice(5), secret).update(octets).digest("base64");
          },
        })),
      ],
    ),
  ),
  [
    "an RSA signature under the name of ECDSA",
    withParts(({ target }) => ({
      method: `${names.more}ecdsa-sha256`,
      signOctets: (octets) => sign("sha256", octets, target.keys.privateKey).toString("base64"),
    })),
  ],
  [
    "an ECDSA signature under the name of RSA",
    withParts(({ ec }) => ({
      signOctets: (octets) => sign("sha256", octets, ec.privateKey).toString("base64"),
    })),
  ],
  ["rsa-sha1 as SignatureMethod", withParts(() => ({ method: `${names.signature}rsa-sha1` }))],
  ["rsa-md5 as SignatureMethod", withParts(() => ({ method: `${names.more}rsa-md5` }))],
  ["dsa-sha1 as SignatureMethod", withParts(() => ({ method: `${names.signature}dsa-sha1` }))],
  ["a SignatureMethod that nobody knows", withParts(() => ({ method: "urn:example:none" }))],
  ["SHA-1 as DigestMethod", withParts(() => ({ digestMethod: `${names.signature}sha1` }))],
  ["MD5 as DigestMethod", withParts(() => ({ digestMethod: `${names.more}md5` }))],
  ["an empty SignatureValue", withParts(() => ({ value: () => "" }))],
];

const xslt =
  '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"><xsl:template match="/"></xsl:template></xsl:stylesheet>';

/** What a verifier may be talked into by the signature itself. */
export const referenceAttacks: readonly Attack[] = [
  ["a Reference without URI", withParts(() => ({ uri: "" }))],
  ["a Reference with an empty URI", withParts(() => ({ uri: ' URI=""' }))],
  ["a Reference to http", withParts(() => ({ uri: ' URI="http://127.0.0.1:9/document.xml"' }))],
  ["a Reference to a file", withParts(() => ({ uri: ' URI="file:///etc/passwd"' }))],
  ["a Reference by xpointer", withParts(() => ({ uri: ` URI="#xpointer(id('${id}'))"` }))],
  ["a Reference to the root by xpointer", withParts(() => ({ uri: ' URI="#xpointer(/)"' }))],
  ["a Reference to an ID that there is not", withParts(() => ({ uri: ' URI="#_other"' }))],
  ["a Reference without its hash sign", withParts(() => ({ uri: ` URI="${id}"` }))],
  ["no Reference", withParts(() => ({ references: () => "" }))],
  [
    "a transform of XSLT",
    withParts(() => ({
      transforms:
        transform(names.enveloped) +
        transform("http://www.w3.org/TR/1999/REC-xslt-19991116", xslt) +
        transform(names.exclusive),
    })),
  ],
  [
    "a transform of XPath",
    withParts(() => ({
      transforms:
        transform(names.enveloped) +
        transform("http://www.w3.org/TR/1999/REC-xpath-19991116", "<ds:XPath>self::text()</ds:XPath>") +
        transform(names.exclusive),
    })),
  ],
  [
    "a transform of XPath Filter 2",
    withParts(() => ({
      transforms:
        transform(names.enveloped) +
        transform(
          "http://www.w3.org/2002/06/xmldsig-filter2",
          '<f:XPath xmlns:f="http://www.w3.org/2002/06/xmldsig-filter2" Filter="subtract">//x</f:XPath>',
        ) +
        transform(names.exclusive),
    })),
  ],
  [
    "a transform of base64",
    withParts(() => ({ transforms: transform(names.enveloped) + transform(`${names.signature}base64`) })),
  ],
  [
    "transforms in the other order",
    withParts(() => ({ transforms: transform(names.exclusive) + transform(names.enveloped) })),
  ],
  ["no transform but the canonical form", withParts(() => ({ transforms: transform(names.exclusive) }))],
  ["no transforms", withParts(() => ({ transforms: "" }))],
  [
    "the same transform twice",
    withParts(() => ({
      transforms: transform(names.enveloped) + transform(names.enveloped) + transform(names.exclusive),
    })),
  ],
  ...[
    ["the inclusive canonical form", "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"],
    ["the canonical form with comments", `${names.exclusive}WithComments`],
  ].flatMap(([name = "", algorithm = ""]): readonly Attack[] => [
    [`${name} of SignedInfo`, withParts(() => ({ canonicalization: algorithm }))],
    [
      `${name} as a transform`,
      withParts(() => ({ transforms: transform(names.enveloped) + transform(algorithm) })),
    ],
  ]),
];

/** Text that some readers read to the first comment only (CVE-2017-11427, CVE-2025-29775). The signature is good. */
export const textAttacks: readonly Attack[] = (
  [
    ["a comment", (text: string) => `${text.slice(0, -4)}<!-- -->${text.slice(-4)}`],
    ["CDATA", (text: string) => `<![CDATA[${text}]]>`],
    ["an element", (text: string) => `${text}<x></x>`],
    ["an instruction", (text: string) => `${text}<?x y?>`],
  ] as const
).flatMap(([name, change]): readonly Attack[] => [
  [
    `${name} in Issuer`,
    withParts(
      () => ({}),
      (ground) => ground.request({ issuer: `<saml:Issuer>${change(ground.target.entityId)}</saml:Issuer>` }),
    ),
  ],
  [`${name} in DigestValue`, withParts(() => ({ digestValue: (digest) => change(digest) }))],
  [`${name} in SignatureValue`, withParts(() => ({ value: (value) => change(value) }))],
  [
    `${name} in NameID`,
    withParts(
      () => ({}),
      (ground) =>
        ground.request({
          content: `<saml:Subject><saml:NameID>${change("grace@example.com")}</saml:NameID></saml:Subject>`,
        }),
    ),
  ],
  [
    `${name} in AuthnContextClassRef`,
    withParts(
      () => ({}),
      (ground) =>
        ground.request({
          content: `<samlp:RequestedAuthnContext><saml:AuthnContextClassRef>${change("urn:oasis:names:tc:SAML:2.0:ac:classes:Password")}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`,
        }),
    ),
  ],
]);
