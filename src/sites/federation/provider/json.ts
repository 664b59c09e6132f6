/**
 * Parses a JSON object (RFC 8259 §4) in UTF-8; undefined for anything else, and without bytes. Its members that are null are absent, as
 * those providers mean it that write all members whether they have them or not.
 */
export function parseObject(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> | undefined {
  return asObject(parseJson(bytes));
}

/** Parses JSON in UTF-8; undefined for anything else, and without bytes. */
export function parseJson(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns a value of JSON as an object, without its members that are null; undefined for any other value. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? withoutNulls(value as Readonly<Record<string, unknown>>) : undefined;
}

/** Leaves the members out that are null. */
export function withoutNulls(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
