import { generateKeyPairSync } from "node:crypto";

/** Makes a key pair of RSA with 2,048 bits. */
export function makeRsaKeys() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}

/** Makes a key pair of an elliptic curve. */
export function makeEcKeys(namedCurve: "P-256" | "P-384" = "P-256") {
  return generateKeyPairSync("ec", { namedCurve });
}
