import type { DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { Schema } from "./schema.ts";

/** Returns the schema of a scalar as protobuf JSON writes it. */
export function scalarSchema(scalar: ScalarType | undefined): Schema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 1 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    default:
      return { type: "string" };
  }
}

/** Returns the schema of a type with a JSON form of its own; undefined for any other. */
export function wellKnownSchema(desc: DescMessage): Schema | undefined {
  if (isWrapperDesc(desc)) return scalarSchema(desc.fields[0]?.scalar);
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return { type: "string", format: "date-time" };
    case "google.protobuf.Duration":
      return { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" };
    case "google.protobuf.FieldMask":
      return { type: "string" };
    case "google.protobuf.Struct":
      return { type: "object", additionalProperties: true };
    case "google.protobuf.Any":
      return {
        type: "object",
        properties: { "@type": { type: "string" } },
        required: ["@type"],
        additionalProperties: true,
      };
    case "google.protobuf.ListValue":
      return { type: "array", items: {} };
    case "google.protobuf.Value":
      return {};
    default:
      return undefined;
  }
}
