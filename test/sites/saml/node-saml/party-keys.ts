import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { selfSignedCertificate } from "../../../support/attestation-certificate.ts";

/** A key of a service provider, with the certificate that its metadata has. */
export interface PartyKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly privatePem: string;
  readonly certificatePem: string;
  /** The certificate as metadata has it: base64 of the DER. */
  readonly certificate: string;
}

/** Makes a key and its certificate. Nobody has to trust the certificate: metadata is what vouches for a key. */
export function makePartyKeys(kind: "RSA" | "P-256" | "P-384" = "RSA"): PartyKeys {
  const keys =
    kind === "RSA"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: kind });
  const certificate = Buffer.from(selfSignedCertificate({ keys }).certificate).toString("base64");
  return {
    ...keys,
    privatePem: keys.privateKey.export({ format: "pem", type: "pkcs8" }),
    certificatePem: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/(.{64})/g, "$1\n").trimEnd()}\n-----END CERTIFICATE-----\n`,
    certificate,
  };
}
