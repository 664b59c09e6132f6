import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { requestInvalid } from "../../../../kernel/base/problem.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import { fieldsByKey, shown } from "../json/check.ts";

/**
 * Adds the variables of the path to a request in JSON. A field that the body has as well must have the same value there. Raises
 * INVALID_REQUEST.
 */
export function bindVariables(
  body: JsonObject,
  variables: readonly (readonly [DescField, string])[],
): JsonObject {
  for (const [field, text] of variables) {
    for (const key of new Set([field.name, field.jsonName])) {
      const sent = Object.hasOwn(body, key) ? body[key] : undefined;
      if (sent !== undefined && sent !== null && sent !== text) {
        throw fieldUndecodable(field.name, "the path and the body have different values");
      }
      delete body[key];
    }
    body[field.name] = toJsonValue(field, text);
  }
  return body;
}

/**
 * Parses a query into a request in JSON. Parameters are named like the fields, in snake_case or lowerCamelCase. Raises
 * INVALID_REQUEST for unknown parameters, for repeated ones of fields that are not repeated, and for broken encoding.
 */
export function parseQuery(desc: DescMessage, query: string | undefined): JsonObject {
  const json: JsonObject = {};
  const fields = fieldsByKey(desc);
  for (const part of (query ?? "").split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const text = decode(equals < 0 ? "" : part.slice(equals + 1), name);
    const field = fields.get(name);
    if (field === undefined)
      throw fieldUndecodable(shown(name), "is not a query parameter of this operation");
    const value = toJsonValue(field, text);
    const known = json[field.name];
    if (field.fieldKind === "list") {
      json[field.name] = Array.isArray(known) ? [...known, value] : [value];
    } else {
      if (known !== undefined) throw fieldUndecodable(field.name, "must not be sent twice");
      json[field.name] = value;
    }
  }
  return json;
}

/** Refuses a query where the body is the request. Raises INVALID_REQUEST. */
export function refuseQuery(query: string | undefined): void {
  if (query === undefined || query === "") return;
  const name = shown(query.split(/[=&]/)[0] ?? "");
  throw fieldUndecodable(name, "this operation takes no query parameters");
}

function toJsonValue(field: DescField, text: string): JsonValue {
  if (field.enum !== undefined) return /^-?\d{1,10}$/.test(text) ? Number(text) : text;
  if (field.scalar === ScalarType.BOOL) return text === "true" ? true : text === "false" ? false : text;
  if (field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT)
    return text === "" ? text : Number(text);
  if (field.fieldKind === "map" || (field.message !== undefined && !hasTextForm(field.message))) {
    throw fieldUndecodable(field.name, "cannot be sent as a query parameter");
  }
  return text;
}

function hasTextForm(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || /^google\.protobuf\.(?:Timestamp|Duration|FieldMask)$/.test(desc.typeName);
}

/** Decodes the value of `field`, or the name of a parameter when `field` is undefined. */
function decode(text: string, field?: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    if (field !== undefined) throw fieldUndecodable(shown(field), "is not valid percent-encoded UTF-8");
    throw requestInvalid("the query is not valid percent-encoded UTF-8");
  }
}
