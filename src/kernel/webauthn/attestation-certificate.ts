import { X509Certificate } from "node:crypto";
import { getCertificateInfo } from "@simplewebauthn/server/helpers";

/** The kind of key that a COSE algorithm is for: RFC 9053 §2.1 with WebAuthn §5.8.5, RFC 8812 §2. */
const kindOfKey: ReadonlyMap<unknown, string> = new Map([
  [-7, "prime256v1"],
  [-35, "secp384r1"],
  [-257, "rsa"],
  [-258, "rsa"],
  [-259, "rsa"],
]);

const aaguidExtension = "1.3.6.1.4.1.45724.1.1.4";
const basicConstraints = "2.5.29.19";

/** Says whether the key of the certificate fits the COSE algorithm. */
export function hasKeyFor(algorithm: unknown, certificate: Uint8Array): boolean {
  const kind = kindOfKey.get(algorithm);
  return kind !== undefined && kind === keyKindOf(certificate);
}

/**
 * Says whether a certificate has the extensions of WebAuthn §8.2.1, as far as @simplewebauthn/server 14.0.3 does not
 * check them: Basic Constraints are present (the library checks that they exclude a CA), the AAGUID (which it
 * compares) is not critical, and neither occurs twice (RFC 5280 §4.2), because it looks at only one of each.
 */
export function hasAttestationExtensions(certificate: Uint8Array): boolean {
  try {
    const { extensions = [] } = getCertificateInfo(new Uint8Array(certificate)).parsedCertificate
      .tbsCertificate;
    const [constraints, ...furtherConstraints] = extensions.filter(
      ({ extnID }) => extnID === basicConstraints,
    );
    const [aaguid, ...furtherAaguids] = extensions.filter(({ extnID }) => extnID === aaguidExtension);
    if (constraints === undefined || furtherConstraints.length > 0) return false;
    return aaguid?.critical !== true && furtherAaguids.length === 0;
  } catch {
    return false;
  }
}

/**
 * Returns the curve of an elliptic curve key, or the type of another key; undefined for bytes that are not a
 * certificate.
 */
function keyKindOf(certificate: Uint8Array): string | undefined {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(certificate).publicKey;
    return asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType;
  } catch {
    return undefined;
  }
}
