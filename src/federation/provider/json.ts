/** Parses a JSON object (RFC 8259 §4) in UTF-8; undefined for anything else, and without bytes. */
export function parseObject(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
