import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import type { Draw } from "./draw.ts";

/** Draws a value for each field of a request but its name, so that a field which is added to the proto is in every sequence. */
export function drawSettings(draw: Draw, request: DescMessage): JsonObject {
  return toSettings(request, (field) => {
    if (field.scalar === ScalarType.BOOL) return draw.chance(0.5);
    if (field.scalar === ScalarType.STRING) return draw.pick(["", `some ${field.name}`]);
    return draw.pick(namesOf(field));
  });
}

/** The same fields as they are while nobody has set them. */
export function emptySettings(request: DescMessage): JsonObject {
  return toSettings(request, (field) => {
    if (field.scalar === ScalarType.BOOL) return false;
    return field.scalar === ScalarType.STRING ? "" : (namesOf(field)[0] ?? "");
  });
}

function toSettings(request: DescMessage, valueOf: (field: DescField) => JsonValue): JsonObject {
  const settings = request.fields.filter(({ name }) => name !== "name");
  return Object.fromEntries(settings.map((field) => [field.jsonName, valueOf(field)]));
}

/** The first two values of an enum. */
function namesOf(field: DescField): readonly string[] {
  const values = field.enum?.values.slice(0, 2).map(({ name }) => name) ?? [];
  if (values.length === 0)
    throw new Error(`${field.name} is neither a yes or no, a text nor an enum: write how to draw it`);
  return values;
}
