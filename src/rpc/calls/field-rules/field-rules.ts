import type { DescFile, DescMessage, Message } from "@bufbuild/protobuf";
import { create, createRegistry } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import type { Violation } from "@bufbuild/protovalidate";
import { createValidator } from "@bufbuild/protovalidate";
import type { FieldViolation } from "../../../base/problem.ts";
import { createShortenOversized } from "./shorten-oversized.ts";
import { createFastRules } from "./fast-rules.ts";

/** Checks messages against the rules in the protos. */
export interface FieldRules {
  /** Returns all broken rules. */
  check(schema: DescMessage, message: Message): readonly FieldViolation[];
}

/**
 * Creates the rules of the given request types. Checks every type once here: the first check of a type costs
 * milliseconds, and a rule that does not compile must fail the start, not a call.
 */
export function createFieldRules(requestTypes: readonly DescMessage[]): FieldRules {
  const regexMatch = createRegexMatch();
  const validator = createValidator({ registry: createRegistry(...filesOf(requestTypes)), regexMatch });
  const shortenOversized = createShortenOversized();
  const judge = (schema: DescMessage, message: Message): readonly FieldViolation[] => {
    shortenOversized(schema, message);
    const result = validator.validate(schema, message);
    if (result.kind === "valid") return [];
    if (result.kind === "error") throw result.error;
    return result.violations.map((violation) => ({
      field: fieldOf(violation),
      description: describe(violation),
    }));
  };
  for (const type of requestTypes) judge(type, create(type));
  const keepsFastRules = createFastRules(regexMatch);
  return { check: (schema, message) => (keepsFastRules(schema, message) ? [] : judge(schema, message)) };
}

/**
 * Matches by RegExp, which compiles each pattern once. All patterns are ours, mean the same to both engines and take
 * linear time (`rules.proto`); RE2 in JavaScript would scan all of Unicode for each \p{…}, a fifth of the start.
 */
function createRegexMatch(): (pattern: string, against: string) => boolean {
  const compiled = new Map<string, RegExp>();
  return (pattern, against) => {
    const known = compiled.get(pattern) ?? new RegExp(pattern, "u");
    compiled.set(pattern, known);
    return known.test(against);
  };
}

/**
 * Returns the path of the field that a rule is about. A rule of a whole message has it in its id, which is
 * `<request>.<path of the field>`.
 */
function fieldOf({ field, ruleId }: Violation): string {
  const path = pathToString(field);
  const named = ruleId.slice(ruleId.indexOf(".") + 1);
  return path === "" || named.startsWith(`${path}.`) ? named : path;
}

/** Replaces messages of protovalidate that read badly. */
function describe({ ruleId, message }: Violation): string {
  switch (ruleId) {
    case "required":
      return "must be set";
    case "string.min_len":
    case "bytes.min_len":
      return message.includes(" 1 ") ? "must not be empty" : message;
    case "string.email_empty":
      return "must not be empty";
    case "repeated.min_items":
      return "must not be empty";
    case "repeated.max_items":
      return message.replace("must contain no more than", "must have at most").replace("item(s)", "entries");
    case "enum.defined_only":
      return "must be one of the defined values";
    default:
      return message.replace(/^value /, "");
  }
}

/** Returns the files of the types, with all their imports. */
export function filesOf(types: readonly { readonly file: DescFile }[]): readonly DescFile[] {
  const files = new Map<string, DescFile>();
  const visit = (file: DescFile): void => {
    if (files.has(file.name)) return;
    files.set(file.name, file);
    file.dependencies.forEach(visit);
  };
  for (const { file } of types) visit(file);
  return [...files.values()];
}
