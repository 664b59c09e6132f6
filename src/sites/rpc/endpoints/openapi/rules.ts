import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import type {
  FieldRules,
  RepeatedRules,
  Rule,
  StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  field as fieldOption,
  Ignore,
  message as messageOption,
  oneof as oneofOption,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { formatOf } from "./formats.ts";
import { patternOf } from "./patterns.ts";
import type { Schema } from "./schema.ts";

/** Returns the rules of a field; undefined when it has none. */
export function rulesOf(field: DescField): FieldRules | undefined {
  return hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
}

/** Returns the rules of a list; undefined when the field is none, or has none. */
export function listRulesOf(field: DescField): RepeatedRules | undefined {
  const { type } = rulesOf(field) ?? {};
  return type?.case === "repeated" ? type.value : undefined;
}

/** A field of a request is required if its rules refuse the value of an absent field. */
export function isRequired(field: DescField): boolean {
  const rules = rulesOf(field);
  if (rules === undefined || field.oneof !== undefined) return false;
  if (rules.required) return true;
  if (rules.ignore === Ignore.IF_ZERO_VALUE) return false;
  switch (rules.type.case) {
    case "string":
      return rules.type.value.minLen > 0n || isEmail(rules.type.value);
    case "bytes":
      return rules.type.value.minLen > 0n;
    case "repeated":
      return rules.type.value.minItems > 0n;
    case "enum":
      return rules.type.value.notIn.includes(0);
    default:
      return false;
  }
}

/** Returns the schemas that a value of an enum must fulfil besides being one of the enum. */
export function leavingOut(field: DescField): readonly Schema[] {
  const { type } = rulesOf(field) ?? {};
  const refused = type?.case === "enum" ? type.value.notIn : [];
  const names = field.enum?.values.filter(({ number }) => refused.includes(number)).map(({ name }) => name);
  return names === undefined || names.length === 0 ? [] : [{ not: { enum: names } }];
}

/**
 * Returns the bounds of a value of the field, or of an entry of its list, as far as JSON Schema can express them.
 * Lengths of bytes are left out, because base64 has other lengths. Answers have no bounds: a later version may change
 * them.
 */
export function boundsOf(field: DescField, side: "request" | "item" | "answer"): Schema {
  const rules = rulesOf(field);
  const { type } = (rules?.type.case === "repeated" ? rules.type.value.items : rules) ?? {};
  if (type?.case === "bool") return side === "answer" || !type.value.const ? {} : { const: true };
  if (type?.case !== "string") return {};
  const { minLen, maxLen } = type.value;
  const mayBeEmpty = minLen === 0n && !isEmail(type.value);
  const format = formatOf(field, { mayBeEmpty, isInBatch: side === "item" });
  if (side === "answer")
    return mayBeEmpty || format?.["format"] === undefined ? {} : { format: format["format"] };
  const pattern = patternOf(type.value);
  return {
    ...(isEmail(type.value) ? toEmail(rules?.ignore === Ignore.IF_ZERO_VALUE) : {}),
    ...(minLen === 0n ? {} : { minLength: Number(minLen) }),
    ...(maxLen === 0n ? {} : { maxLength: Number(maxLen) }),
    ...(pattern === undefined ? {} : { pattern }),
    ...format,
  };
}

function toEmail(mayBeEmpty: boolean): Schema {
  return mayBeEmpty ? { anyOf: [{ format: "email" }, { maxLength: 0 }] } : { format: "email", minLength: 1 };
}

/** The rule also refuses the empty string. */
function isEmail({ wellKnown }: StringRules): boolean {
  return wellKnown.case === "email" && wellKnown.value;
}

/** Expresses that exactly one of the fields of a oneof is sent, or at most one if its rules do not require it. */
export function choiceOf(oneof: DescOneof): Schema {
  const members = oneof.fields.map(({ jsonName }) => ({ required: [jsonName] }));
  const isRequiredChoice = hasOption(oneof, oneofOption) && getOption(oneof, oneofOption).required;
  return { oneOf: isRequiredChoice ? members : [...members, { not: { anyOf: members } }] };
}

/** Converts the expressions of a message about several fields. Throws for an unknown expression. */
export function combinationsOf(desc: DescMessage): readonly Schema[] {
  if (!hasOption(desc, messageOption)) return [];
  return getOption(desc, messageOption).cel.map(({ expression }) => {
    const { left, right } = eitherOf.exec(expression)?.groups ?? {};
    const fields = desc.fields.filter(({ name }) => name === left || name === right);
    if (fields.length !== 2) throw new Error(`no schema says ${expression}`);
    return {
      oneOf: fields.map(({ jsonName }) => ({
        required: [jsonName],
        properties: { [jsonName]: { minLength: 1 } },
      })),
    };
  });
}

/** Exactly one of two fields is set: a text and another one, or bytes. */
const eitherOf = /^\((?:size\()?this\.(?<left>\w+)(?:\) > 0| != '')\) != \(this\.(?<right>\w+) != ''\)$/;

/** Converts the expressions of a field about the message in it. Throws for an unknown expression. */
export function toBeFilled(desc: DescMessage, rules: FieldRules | undefined): readonly Schema[] {
  return (rules?.cel ?? []).map(({ expression }: Rule) => {
    const name = /^this\.(?<name>\w+) != ''$/.exec(expression)?.groups?.["name"];
    const field = desc.fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`no schema says ${expression}`);
    return { required: [field.jsonName], properties: { [field.jsonName]: { minLength: 1 } } };
  });
}
