/**
 * Decodes base64Binary of XML Schema Part 2 §3.2.16. White space does not count. Returns undefined for anything but the one
 * spelling that encoders make of the bytes: with padding, and in the one alphabet.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replaceAll(/[ \t\r\n]+/g, "");
  const bytes = Buffer.from(compact, "base64"); // it passes over what is no base64
  return bytes.toString("base64") === compact ? bytes : undefined;
}
