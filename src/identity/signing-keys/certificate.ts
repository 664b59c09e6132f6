import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

const signAsync = promisify(sign);

/** What a certificate says. */
export interface CertificateContent {
  /** The common name of subject and issuer: ASCII, at most 64 characters. */
  readonly commonName: string;
  /** 16 random bytes. The serial number is made of them: positive, and of 16 octets. */
  readonly serial: Uint8Array;
  /** From when and until when it holds, in milliseconds since 1970. Parts of seconds are left out. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** An RSA key. */
  readonly publicKey: KeyObject;
}

/**
 * Makes a self-signed certificate (X.509 version 3, RFC 5280 §4.1) for signatures alone, signed with sha256WithRSAEncryption
 * (RFC 4055 §5). Returns it as DER.
 */
export async function makeCertificate(
  content: CertificateContent,
  privateKey: KeyObject,
): Promise<Uint8Array> {
  const { publicKey } = content;
  const name = nameOf(content.commonName);
  const toBeSigned = sequence(
    der(0xa0, integer(Uint8Array.of(2))), // version 3
    integer(toSerial(content.serial)),
    signatureAlgorithm,
    name,
    sequence(time(content.notBeforeMs), time(content.notAfterMs)),
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(keyUsage)),
  );
  const signature = await signAsync("sha256", toBeSigned, privateKey);
  return new Uint8Array(sequence(toBeSigned, signatureAlgorithm, bitString(signature)));
}

/** Encodes one value of DER (X.690 §8.1): tag, length, content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const length = bytes.length.toString(16);
  const lengthBytes = Buffer.from(length.length % 2 === 0 ? length : `0${length}`, "hex");
  const head = bytes.length < 0x80 ? [tag] : [tag, 0x80 + lengthBytes.length];
  return Buffer.concat([Buffer.from(head), lengthBytes, bytes]);
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return der(0x30, ...content);
}

/** `bytes` are those of the number, and the first bit is that of its sign. */
function integer(bytes: Uint8Array): Buffer {
  return der(0x02, bytes);
}

/** A number of bits that is a multiple of 8: none of the last byte is unused. */
function bitString(bytes: Uint8Array): Buffer {
  return der(0x03, Uint8Array.of(0), bytes);
}

function objectIdentifier(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

/** RFC 4055 §5: the parameters are NULL. */
const signatureAlgorithm = sequence(objectIdentifier("2a864886f70d01010b"), der(0x05));

/** RFC 5280 §4.2.1.3: critical; of the named bits only the first one, digitalSignature. */
const keyUsage = sequence(
  objectIdentifier("551d0f"),
  der(0x01, Uint8Array.of(0xff)),
  der(0x04, Uint8Array.of(0x03, 0x02, 0x07, 0x80)),
);

/** RFC 5280 §4.1.2.4: one common name, as UTF8String. */
function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectIdentifier("550403"), der(0x0c, Buffer.from(commonName)))));
}

/** RFC 5280 §4.1.2.2: positive, and of at most 20 octets. */
function toSerial(random: Uint8Array): Uint8Array {
  const [first = 0, ...others] = random;
  return Uint8Array.of((first & 0x3f) | 0x40, ...others);
}

/** RFC 5280 §4.1.2.5: UTCTime until the end of 2049, GeneralizedTime after it. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\.\d+|\D/g, "");
  const isUtcTime = new Date(ms).getUTCFullYear() < 2050;
  return isUtcTime ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}
