import { X509Certificate } from "node:crypto";
import type { VerifyingKey } from "./public-key.ts";
import { requireAttested } from "./refusal.ts";

/** A certificate of an authenticator, with what WebAuthn §8.2.1 looks at. */
export interface AttestationCertificate extends VerifyingKey {
  /** As the certificate has it: 2 is version 3. */
  readonly version: number;
  /** By the object identifier of the attribute, in hexadecimal. */
  readonly subject: ReadonlyMap<string, string>;
  readonly validFromMs: number;
  readonly validToMs: number;
  readonly extensions: readonly Extension[];
}

interface Extension {
  /** The content of the object identifier, in hexadecimal. */
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: Uint8Array;
}

/** The hash of a COSE algorithm, and the kind of key that it is for: RFC 9053 §2.1 with WebAuthn §5.8.5, RFC 8812 §2. */
const algorithms: ReadonlyMap<number, { readonly kind: string; readonly hash: string }> = new Map([
  [-7, { kind: "prime256v1", hash: "sha256" }],
  [-35, { kind: "secp384r1", hash: "sha384" }],
  [-257, { kind: "rsa", hash: "sha256" }],
  [-258, { kind: "rsa", hash: "sha384" }],
  [-259, { kind: "rsa", hash: "sha512" }],
]);

const aaguidExtension = "2b0601040182e51c010104"; // 1.3.6.1.4.1.45724.1.1.4
const subjectAttributes = ["550406", "55040a", "55040b", "550403"]; // C, O, OU, CN: 2.5.4.6, 10, 11 and 3
const basicConstraints = "551d13"; // 2.5.29.19

/** Returns a certificate; undefined for bytes that are none, or whose key does not fit the COSE algorithm. */
export function parseCertificate(bytes: Uint8Array, algorithm: number): AttestationCertificate | undefined {
  const known = algorithms.get(algorithm);
  try {
    const [certificate, ...behind] = readElements(bytes);
    if (behind.length > 0) return undefined; // OpenSSL would not look at it
    const parts = elementsOf(elementsOf(certificate)[0]);
    const [version, extensions] = [0xa0, 0xa3].map((tag) => parts.find((each) => each.tag === tag));
    const [, , issuer, validity, subject] = parts.filter((each) => each !== version);
    toName(issuer); // which must be a name, whatever it is
    const [validFromMs = 0, validToMs = 0] = elementsOf(validity).map(toInstant);
    const key = new X509Certificate(bytes).publicKey;
    if ((key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType) !== known?.kind) return undefined;
    return {
      key,
      hash: known?.hash,
      version: version === undefined ? 0 : (readElements(version.content)[0]?.content[0] ?? 0),
      subject: toName(subject),
      validFromMs,
      validToMs,
      extensions:
        extensions === undefined ? [] : elementsOf(readElements(extensions.content)[0]).map(toExtension),
    };
  } catch {
    return undefined;
  }
}

/**
 * Checks that a certificate is as WebAuthn §8.2.1 has it, that it is valid now, and that no extension is in it twice
 * (RFC 5280 §4.2). Raises U2F_ATTESTATION_INVALID.
 */
export function requireRules(
  { version, subject, validFromMs, validToMs, extensions }: AttestationCertificate,
  { aaguid, nowMs }: { readonly aaguid: Uint8Array; readonly nowMs: number },
): void {
  requireAttested(version === 2, "the certificate is not of version 3");
  const [country = "", organization = "", unit, name = ""] = subjectAttributes.map((id) => subject.get(id));
  const isNamed = country.length === 2 && organization !== "" && name !== "";
  requireAttested(isNamed && unit === "Authenticator Attestation", "the certificate has a wrong subject");
  requireAttested(validFromMs <= nowMs && nowMs <= validToMs, "the certificate is not valid now");
  requireAttested(
    new Set(extensions.map(({ id }) => id)).size === extensions.length,
    "an extension is there twice",
  );
  const model = extensions.find(({ id }) => id === aaguidExtension);
  const constraints = extensions.find(({ id }) => id === basicConstraints);
  requireAttested(
    constraints !== undefined && !isAuthority(constraints),
    "the certificate has wrong Basic Constraints",
  );
  requireAttested(model === undefined || isOfModel(model, aaguid), "the certificate has a wrong AAGUID");
}

/** Says whether it is for a certificate authority (RFC 5280 §4.2.1.9), or is of a wrong form. */
function isAuthority({ value }: Extension): boolean {
  const first = value[0] === 0x30 && value[1] === value.length - 2 ? value.subarray(2) : undefined;
  return (
    first === undefined || (first.length > 0 && !(first[0] === 0x01 && first[1] === 1 && first[2] === 0))
  );
}

/** Says whether the AAGUID is that of the authenticator, in an octet string of its own, and not critical. */
function isOfModel({ isCritical, value }: Extension, aaguid: Uint8Array): boolean {
  return !isCritical && Buffer.concat([Buffer.of(0x04, aaguid.length), aaguid]).equals(value);
}

/** Reads a name (RFC 5280 §4.1.2.4), with the last value of each attribute. Throws an error if it is none. */
function toName(name: Element | undefined): ReadonlyMap<string, string> {
  const attributes = elementsOf(name).flatMap((set) => elementsOf(set, 0x31).map((each) => elementsOf(each)));
  return new Map(
    attributes.map(([id, value]) => {
      if (id === undefined || !stringTags.has(value?.tag ?? 0)) throw new Error("a name has another form");
      return [hexOf(id.content), Buffer.from(value?.content ?? []).toString()];
    }),
  );
}

/** UTF8String, PrintableString, T61String, IA5String, UniversalString, BMPString. */
const stringTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16, 0x1c, 0x1e]);

/** Reads a UTCTime or a GeneralizedTime (RFC 5280 §4.1.2.5). Throws an error if it is none. */
function toInstant({ tag, content }: Element): number {
  const text = Buffer.from(content).toString("latin1");
  const full = tag === 0x17 ? `${text < "5" ? 20 : 19}${text}` : text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  const [, year, month, day, hour, minute, second] = parts ?? [];
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(instant)) throw new Error("a date has another form");
  return instant;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function toExtension({ content }: Element): Extension {
  const [id, ...rest] = readElements(content);
  const value = rest.at(-1);
  if (id === undefined || value?.tag !== 0x04) throw new Error("an extension has another form");
  const isCritical = rest[0]?.tag === 0x01 && rest[0].content[0] !== 0;
  return { id: hexOf(id.content), isCritical, value: value.content };
}

/** An element of DER (X.690 §8.1). */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Returns the elements of a sequence or set. Throws an error if it is none. */
function elementsOf(outer: Element | undefined, tag: 0x30 | 0x31 = 0x30): readonly Element[] {
  if (outer?.tag !== tag) throw new Error("there is no sequence or set");
  return readElements(outer.content);
}

/** Reads elements with tags of one byte until the end. Throws an error if that is not possible. */
function readElements(bytes: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  const source = Buffer.from(bytes);
  for (let at = 0; at < source.length; ) {
    const [tag, short] = [source.readUInt8(at), source.readUInt8(at + 1)];
    const width = short < 0x80 ? 0 : short - 0x80;
    const start = at + 2 + width;
    const length = short < 0x80 ? short : source.readUIntBE(at + 2, width); // throws if there are none, or more than 6
    if ((tag & 0x1f) === 0x1f || start + length > source.length) throw new Error("an element is cut off");
    elements.push({ tag, content: source.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}
