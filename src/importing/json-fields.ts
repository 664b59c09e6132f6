import type { JsonFields } from "./json-members.ts";

// Reads what stands in an export. Whatever is of another type than expected counts as absent.

/** Returns a text; empty: it is absent. */
export function textIn(fields: JsonFields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Returns whether a member is true; texts count, too, as configurations have them. */
export function flagIn(fields: JsonFields, name: string): boolean {
  return fields[name] === true || fields[name] === "true";
}

/** Returns an object; empty: it is absent. */
export function objectIn(fields: JsonFields, name: string): JsonFields {
  return toObject(fields[name]) ?? {};
}

/** Returns the objects of an array. */
export function objectsIn(fields: JsonFields, name: string): readonly JsonFields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(toObject).filter((each) => each !== undefined) : [];
}

/** Returns the texts of an array. */
export function textsIn(fields: JsonFields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Returns a value as an object; undefined if it is none. */
export function toObject(value: unknown): JsonFields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Reads a text that is JSON of an object; empty if it is none. */
export function parseFields(text: string): JsonFields {
  try {
    return toObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}
