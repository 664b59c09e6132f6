import type { DescEnum, DescField, DescMessage, DescOneof, Message } from "@bufbuild/protobuf";
import { getOption, hasOption } from "@bufbuild/protobuf";
import type { FieldRules, StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { no_control, not_blank, role_key } from "../../../../../gen/gatehouse/v1/rules_pb.ts";
import {
  field as fieldOption,
  Ignore,
  message as messageOption,
  oneof as oneofOption,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/**
 * Says whether a message certainly keeps all its rules; false means that protovalidate must decide. Most types only have rules
 * about texts, lengths of lists and values of enums. Checking those here costs a tenth of what protovalidate takes.
 */
export type FastRules = (schema: DescMessage, message: Message) => boolean;

type Test = (value: unknown) => boolean;

/** Creates the check, compiled once for each type. `matches` tests a text against a pattern. */
export function createFastRules(matches: (pattern: string, against: string) => boolean): FastRules {
  const known = new Map<DescMessage, Test | undefined>();
  const testOf = (schema: DescMessage): Test | undefined => {
    if (known.has(schema)) return known.get(schema);
    known.set(schema, undefined); // a type that holds itself is left to protovalidate
    const test = compile(schema, { matches, testOf });
    known.set(schema, test);
    return test;
  };
  return (schema, message) => testOf(schema)?.(message) ?? false;
}

interface Tools {
  readonly matches: (pattern: string, against: string) => boolean;
  readonly testOf: (schema: DescMessage) => Test | undefined;
}

/** Compiles the test of a type; undefined for a type with any other rule. */
function compile(schema: DescMessage, tools: Tools): Test | undefined {
  if (hasOption(schema, messageOption)) return undefined;
  const tests: Test[] = [];
  for (const member of schema.members) {
    const test = member.kind === "oneof" ? compileOneof(member, tools) : compileField(member, tools);
    if (test === undefined) return undefined;
    if (test === always) continue;
    const { localName } = member;
    tests.push((message) => test((message as Readonly<Record<string, unknown>>)[localName])); // every field is a property
  }
  return (message) => tests.every((test) => test(message));
}

const always: Test = () => true;
/** Rules of a message, such as the bounds of an instant, hold for one that is not there. */
const isAbsent: Test = (value) => value === undefined;

function compileOneof(oneof: DescOneof, tools: Tools): Test | undefined {
  const isRequired = hasOption(oneof, oneofOption) && getOption(oneof, oneofOption).required;
  const tests = new Map<string, Test>();
  for (const field of oneof.fields) {
    const test = compileField(field, tools);
    if (test === undefined) return undefined;
    tests.set(field.localName, test);
  }
  return (value) => {
    const chosen = value as { readonly case?: string; readonly value?: unknown }; // as protobuf-es has oneofs
    if (chosen.case === undefined) return !isRequired;
    return tests.get(chosen.case)?.(chosen.value) ?? false;
  };
}

function compileField(field: DescField, tools: Tools): Test | undefined {
  const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
  if (rules?.ignore === Ignore.ALWAYS) return always;
  if (rules !== undefined && !isPlain(rules)) return undefined;
  switch (field.fieldKind) {
    case "scalar":
      return rules === undefined ? always : optional(compileScalar(rules, tools));
    case "enum":
      return rules === undefined ? always : optional(compileEnum(field.enum, rules));
    case "message":
      return rules === undefined ? optional(compileMessage(field.message, tools)) : isAbsent;
    case "list":
      return compileList(field, rules, tools);
    case "map":
      return undefined;
  }
}

/** Says whether the rules of a field are all of its own kind: not `required`, no expressions, no conditions. */
function isPlain({ required, cel, celExpression, ignore }: FieldRules): boolean {
  return !required && ignore === Ignore.UNSPECIFIED && cel.length === 0 && celExpression.length === 0;
}

function compileMessage(schema: DescMessage, { testOf }: Tools): Test | undefined {
  return schema.typeName.startsWith("google.protobuf.") ? always : testOf(schema);
}

function optional(test: Test | undefined): Test | undefined {
  return test && ((value) => value === undefined || test(value));
}

function compileList(
  field: DescField & { fieldKind: "list" },
  rules: FieldRules | undefined,
  tools: Tools,
): Test | undefined {
  const ofList = rules?.type.case === "repeated" ? rules.type.value : undefined;
  if (rules !== undefined && ofList === undefined) return undefined;
  if (ofList !== undefined && (ofList.unique || isExtended(ofList))) return undefined;
  if (ofList?.items !== undefined && !isPlain(ofList.items)) return undefined;
  const ofItem = compileItem(field, ofList?.items, tools);
  if (ofItem === undefined) return undefined;
  const least = Number(ofList?.minItems ?? 0n);
  const most = Number(ofList?.maxItems || Number.POSITIVE_INFINITY);
  return (value) => {
    const list = value as readonly unknown[]; // as protobuf-es has lists
    return list.length >= least && list.length <= most && (ofItem === always || list.every(ofItem));
  };
}

function compileItem(
  field: DescField & { fieldKind: "list" },
  rules: FieldRules | undefined,
  tools: Tools,
): Test | undefined {
  switch (field.listKind) {
    case "message":
      return rules === undefined ? compileMessage(field.message, tools) : undefined;
    case "enum":
      return rules === undefined ? always : compileEnum(field.enum, rules);
    case "scalar":
      return rules === undefined ? always : compileScalar(rules, tools);
  }
}

function compileEnum({ value: values }: DescEnum, { type }: FieldRules): Test | undefined {
  if (type.case !== "enum" || isExtended(type.value) || !hasOnly(type.value, ["definedOnly"]))
    return undefined;
  return (value) => Object.hasOwn(values, value as number); // as protobuf-es has enums
}

function compileScalar({ type }: FieldRules, tools: Tools): Test | undefined {
  switch (type.case) {
    case "string":
      return compileText(type.value, tools);
    case "bool":
      return hasOnly(type.value, ["const"]) && !isExtended(type.value)
        ? (value) => value === type.value.const
        : undefined;
    default:
      return undefined;
  }
}

function compileText(rules: StringRules, { matches }: Tools): Test | undefined {
  const { minLen, maxLen, pattern, wellKnown } = rules;
  const isEmail = wellKnown.case === "email" && wellKnown.value;
  if (!hasOnly(rules, ["minLen", "maxLen", "pattern", ...(isEmail ? ["wellKnown"] : [])])) return undefined;
  const own = (rules.$unknown ?? []).map(({ no }) => ownRules.get(no));
  if (own.includes(undefined)) return undefined;
  const least = Number(minLen);
  const most = Number(maxLen || Number.POSITIVE_INFINITY);
  // Rules count characters. A text has at most as many of them as UTF-16 units, and at least half as many.
  const unitsForLeast = least <= 1 ? least : 2 * least;
  const tests: readonly ((text: string) => boolean)[] = [
    ({ length }) => length >= unitsForLeast && length <= most,
    ...(pattern === "" ? [] : [(text: string) => matches(pattern, text)]),
    ...(isEmail ? [(text: string) => plainEmail.test(text)] : []),
    ...own.filter((test) => test !== undefined),
  ];
  return (value) => tests.every((test) => test(value as string)); // a field with rules for texts is one
}

/** Our own rules for texts (`rules.proto`) by their numbers; where one is set it is true. */
const ownRules: ReadonlyMap<number, (text: string) => boolean> = new Map([
  [not_blank.number, (text) => text === "" || /[^\t-\r\u0085\p{Z}]/u.test(text)],
  [no_control.number, (text) => !/\p{Cc}/u.test(text)],
  [role_key.number, (text) => text !== "." && text !== ".." && !/[\u0085\p{Z}\p{Cc}]/u.test(text)],
]);

/** What most email addresses look like, with labels of at most 63 characters. Others may be addresses, too. */
const plainEmail = /^[\w.+-]+@(?=.{1,63}$)[a-z\d]+(?:-[a-z\d]+)*(?:\.[a-z\d]+(?:-[a-z\d]+)*)*$/i;

/** Says whether no other members of the rules are set than these; extensions do not count. */
function hasOnly(rules: Message, names: readonly string[]): boolean {
  return Object.entries(rules).every(
    ([name, value]) => name.startsWith("$") || name === "example" || names.includes(name) || isUnset(value),
  );
}

/** Says whether there are extensions. */
function isExtended(rules: Message): boolean {
  return (rules.$unknown?.length ?? 0) > 0;
}

function isUnset(value: unknown): boolean {
  return (
    value === undefined ||
    value === "" ||
    value === 0n ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Object && "case" in value && value.case === undefined) // a oneof
  );
}
