/** Writes a certificate in DER as PEM (RFC 7468 §5.1). */
export function toPem(der: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...der)).match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** Writes a fingerprint in hexadecimal as tools print it: `abcd…` becomes `AB:CD:…`. */
export function splitFingerprint(hex: string): string {
  return (hex.toUpperCase().match(/../g) ?? []).join(":");
}
