import type { UserRecord } from "./records.ts";

/** Makes metadata of the members of an object: texts as they are, anything else as JSON. */
export function toMetadataItems(values: object): UserRecord["metadata"] {
  return Object.entries(values).map(([key, value]: [string, unknown]) => ({
    key,
    value: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  }));
}
