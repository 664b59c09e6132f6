import { type DescMessage, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import type { StoredObject } from "./object-kind.ts";

/** How messages become settings: every field that is no oneof is there. */
export const settingsJson = { useProtoFieldName: true, alwaysEmitImplicit: true } as const;

/** Returns the settings of a message: all but its id, its details and its state. */
export function toStored<D extends DescMessage>(desc: D, message: MessageShape<D>): StoredObject {
  const { id, details, state, ...settings } = toJson(desc, message, settingsJson) as JsonObject; // no message of a resource is another JSON
  return {
    id: typeof id === "string" ? id : "",
    sequence: sequenceOf(details as JsonObject | undefined),
    settings,
    isActive: isActive(state),
  };
}

/** Returns the object with other settings. */
export function withSettings(stored: StoredObject, settings: JsonObject): StoredObject {
  return { ...stored, settings };
}

/** Returns settings whose member, a message, is taken apart: its fields stand beside the others. */
export function flatten(settings: JsonObject, member: string): JsonObject {
  const { [member]: inner, ...outer } = settings;
  return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? { ...outer, ...inner }
    : outer;
}

function sequenceOf(details: JsonObject | undefined): string | undefined {
  const { sequence } = details ?? {};
  return typeof sequence === "string" && sequence !== "0" ? sequence : undefined;
}

function isActive(state: unknown): boolean | undefined {
  if (typeof state !== "string" || /_(?:UNSPECIFIED|LOCKED)$/.test(state)) return undefined;
  return !state.endsWith("_INACTIVE");
}
