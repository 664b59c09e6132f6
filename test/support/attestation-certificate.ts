import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** What is to be special in a certificate. Nothing given: as WebAuthn §8.2.1 asks for, with a new P-256 key. */
export interface CertificateChoices {
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  /** As in `Version`, X.509: 2 is version 3. */
  readonly version?: number;
  /** Default: `noAuthority`. */
  readonly extensions?: readonly Uint8Array[];
}

/** Returns an X.509 extension; its content is the DER in it. */
export function extension(id: string, content: Uint8Array, isCritical: boolean): Uint8Array {
  const critical = isCritical ? [der(0x01, Buffer.of(0xff))] : [];
  return der(0x30, oid(id), ...critical, der(0x04, content));
}

/** Basic Constraints that say that the key is no certificate authority's. */
export const noAuthority = extension("551d13", der(0x30), true);

/** Basic Constraints that say that it is. */
export const authority = extension("551d13", der(0x30, der(0x01, Buffer.of(0xff))), true);

/** Returns the extension id-fido-gen-ce-aaguid. */
export function aaguidExtension(aaguid: Uint8Array, isCritical = false): Uint8Array {
  return extension("2b0601040182e51c010104", der(0x04, aaguid), isCritical);
}

/** Makes an attestation certificate, signed by its own key. */
export function selfSignedCertificate(choices: CertificateChoices = {}): {
  certificate: Uint8Array;
  privateKey: KeyObject;
} {
  const { publicKey, privateKey } = choices.keys ?? generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Nobody looks at the signature of a certificate without roots, so the name of the algorithm need not fit other keys.
  const ecdsaWithSha256 = der(0x30, oid("2a8648ce3d040302"));
  const name = der(
    0x30,
    attribute("550406", "CH"),
    attribute("55040a", "Gatehouse test"),
    attribute("55040b", "Authenticator Attestation"),
    attribute("550403", "Software authenticator"),
  );
  const validity = der(0x30, generalizedTime("20200101000000Z"), generalizedTime("29991231235959Z"));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(choices.version ?? 2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...(choices.extensions ?? [noAuthority]))),
  );
  const signature = der(0x03, Buffer.of(0), sign("sha256", body, privateKey));
  return { certificate: new Uint8Array(der(0x30, body, ecdsaWithSha256, signature)), privateKey };
}

function attribute(type: string, value: string): Uint8Array {
  return der(0x31, der(0x30, oid(type), der(0x13, Buffer.from(value))));
}

function generalizedTime(text: string): Uint8Array {
  return der(0x18, Buffer.from(text));
}

function oid(hex: string): Uint8Array {
  return der(0x06, Buffer.from(hex, "hex"));
}

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length);
  return Buffer.concat([Buffer.of(tag, 0x82), length, content]);
}
