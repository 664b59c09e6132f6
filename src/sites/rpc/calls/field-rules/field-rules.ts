import type { DescMessage, Message } from "@bufbuild/protobuf";
import { create, createRegistry } from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import type { Violation } from "@bufbuild/protovalidate";
import { createValidator } from "@bufbuild/protovalidate";
import type { FieldViolation } from "../../../../kernel/base/problem.ts";
import { createShortenOversized } from "./shorten-oversized.ts";
import { filesOf } from "./proto-files.ts";
import { createFastRules } from "./fast-rules.ts";

/** Checks messages against the rules in the protos. */
export interface FieldRules {
  /** Lists all broken rules; none for a valid message. */
  check(schema: DescMessage, message: Message): readonly FieldViolation[];
  /**
   * Checks each request type once, one in each turn of the event loop: the first check of a type costs milliseconds. Fails for a rule
   * that does not compile.
   */
  warmUp(): Promise<void>;
}

/** Creates the rules of the given request types. The rules of a type are compiled when it is first checked. */
export function createFieldRules(requestTypes: readonly DescMessage[]): FieldRules {
  const regexMatch = createRegexMatch();
  const validator = createValidator({ registry: createRegistry(...filesOf(requestTypes)), regexMatch });
  const shortenOversized = createShortenOversized();
  const findViolations = (schema: DescMessage, message: Message): readonly FieldViolation[] => {
    shortenOversized(schema, message);
    const result = validator.validate(schema, message);
    if (result.kind === "valid") return [];
    if (result.kind === "error") throw result.error;
    return result.violations.map((violation) => ({
      field: fieldOf(violation),
      description: describe(violation),
    }));
  };
  const keepsFastRules = createFastRules(regexMatch);
  return {
    check: (schema, message) => (keepsFastRules(schema, message) ? [] : findViolations(schema, message)),
    async warmUp() {
      for (const type of requestTypes) {
        findViolations(type, create(type));
        await new Promise(setImmediate);
      }
    },
  };
}

/**
 * Matches by RegExp, with each pattern compiled once. All patterns are our own, mean the same to RE2 and to RegExp, and take linear
 * time (`rules.proto`). RE2 in JavaScript goes through all of Unicode for each \p{…}, which took a fifth of the start.
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
 * Finds the path of the field that a rule is about. A rule of a whole message names the field in its id:
 * `<request>.<path of the field>`.
 */
function fieldOf({ field, ruleId }: Violation): string {
  const path = pathToString(field);
  const named = ruleId.slice(ruleId.indexOf(".") + 1);
  return path === "" || named.startsWith(`${path}.`) ? named : path;
}

/** Describes the broken rule, in our own words where the words of protovalidate read badly. */
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
