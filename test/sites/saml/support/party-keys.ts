import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { selfSignedCertificate } from "../../../support/attestation-certificate.ts";

/** A key of a service provider. */
export interface ScriptedKeys {
  readonly privateKey: KeyObject;
  readonly privatePem: string;
  /** As metadata has it: base64 of the DER. */
  readonly certificate: string;
}

/** Makes an RSA key with its certificate. */
export function makeScriptedKeys(): ScriptedKeys {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    privateKey: keys.privateKey,
    privatePem: keys.privateKey.export({ format: "pem", type: "pkcs8" }),
    certificate: Buffer.from(selfSignedCertificate({ keys }).certificate).toString("base64"),
  };
}
