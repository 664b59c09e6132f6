/** Returns the text that the bytes are in UTF-8; undefined for bytes that are no text that can be shown. */
export function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return /\p{Cc}/u.test(text.replaceAll(/[\t\n]/g, "")) ? undefined : text;
  } catch {
    return undefined; // TextDecoder has no other error
  }
}

/** Returns the bytes of a text in UTF-8. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Returns the beginning of bytes in Base64. */
export function toShownBase64(bytes: Uint8Array): string {
  const shown = bytes.slice(0, maxShownBytes);
  const base64 = btoa(String.fromCharCode(...shown));
  return shown.length < bytes.length ? `${base64} …` : base64;
}

const maxShownBytes = 96;
