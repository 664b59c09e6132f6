import type { Attribute } from "./attribute.ts";

/** A value of JSON. */
export type Json = string | number | boolean | null | Json[] | JsonMembers;

/** An object of JSON. */
export interface JsonMembers {
  [name: string]: Json;
}

/**
 * A resource as JSON, with the names of its attributes in their usual case. Attributes of an extension are below its URI. What has no
 * value is absent: never null, never an empty list.
 */
export type ScimResource = JsonMembers;

/** Says whether a value is an object of JSON. */
export function isMembers(value: Json | undefined): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists the elements of a value: those of a list, or the value itself. */
export function elementsOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Reads a text; undefined if the value is something else. */
export function plainTextOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads a sub-attribute of an element; a plain value is its own `value`. */
export function subValueOf(element: Json, sub: Pick<Attribute, "name"> | undefined): Json | undefined {
  if (!isMembers(element)) return sub === undefined || sub.name === "value" ? element : undefined;
  return element[sub?.name ?? "value"];
}
