import { type DescField, type DescMessage, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { field as fieldOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { FieldViolation } from "../base/problem.ts";

/** Beyond so many times its bound a text or a list is not looked into any more. */
const factor = 2;

/**
 * Returns a violation for each text and list that is far over its bound. Protovalidate looks at every entry of a list that
 * is too long, and runs patterns over a text of megabytes: seconds for one request.
 */
export function findOversized(schema: DescMessage, message: Message): readonly FieldViolation[] {
  return findIn(reflect(schema, message), "");
}

function findIn(message: ReflectMessage, prefix: string): readonly FieldViolation[] {
  return message.fields.flatMap((field) => {
    if (!message.isSet(field)) return [];
    const path = `${prefix}${field.name}`;
    const bound = boundOf(field);
    if (field.fieldKind === "list") {
      const list = message.get(field);
      return list.size > factor * bound
        ? [{ field: path, description: `must have at most ${bound} entries` }]
        : [];
    }
    if (field.fieldKind === "message" && field.message.typeName.startsWith("gatehouse.")) {
      return findIn(message.get(field), `${path}.`);
    }
    const value = field.fieldKind === "scalar" ? message.get(field) : undefined;
    // A character outside of the BMP counts once and has two units, so twice the bound is over it for certain.
    const isOver = typeof value === "string" && value.length > factor * bound;
    return isOver ? [{ field: path, description: `must be at most ${bound} characters` }] : [];
  });
}

/** Returns the most entries or characters that the rule of the field allows; infinity without such a rule. */
function boundOf(field: DescField): number {
  if (!hasOption(field, fieldOption)) return Number.POSITIVE_INFINITY;
  const { type } = getOption(field, fieldOption);
  if (type.case === "repeated") return Number(type.value.maxItems || Number.POSITIVE_INFINITY);
  if (type.case === "string") return Number(type.value.maxLen || Number.POSITIVE_INFINITY);
  return Number.POSITIVE_INFINITY;
}
