import type { DescMessage } from "@bufbuild/protobuf";
import { bounds } from "../../../gen/console/bounds.ts";

/** The rules of a field, as the proto has them. Lengths are in characters. */
export interface FieldBounds {
  readonly isRequired?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** A regular expression for the flag `u`. */
  readonly pattern?: string;
  readonly isEmail?: boolean;
  readonly isUrl?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isNotBlank?: boolean;
  readonly hasNoControl?: boolean;
  readonly isRoleKey?: boolean;
  readonly isHeaderName?: boolean;
  /** The rules of each item of a repeated field. */
  readonly items?: FieldBounds;
}

/** The rules that a value can break. */
export type BrokenRule =
  | "required"
  | "tooShort"
  | "tooLong"
  | "tooFew"
  | "tooMany"
  | "malformed"
  | "blank"
  | "control";

/** A broken rule, with the number that the text about it names. */
export interface Breach {
  readonly rule: BrokenRule;
  readonly bound?: number;
}

/** Returns the rules of the fields of a request, by the names that scripts use. Fields without rules are absent. */
export function boundsOf(request: DescMessage): Readonly<Record<string, FieldBounds>> {
  return bounds[request.typeName] ?? {};
}

/** Says which rule of the field the value breaks, if any. Values that are neither texts nor lists of texts break none. */
export function findBreach(value: unknown, field: FieldBounds): Breach | undefined {
  if (Array.isArray(value)) return findBreachOfList(value, field);
  return typeof value === "string" ? findBreachOfText(value, field) : undefined;
}

function findBreachOfList(values: readonly unknown[], field: FieldBounds): Breach | undefined {
  const { minItems = 0, maxItems, items = {} } = field;
  if (values.length < minItems)
    return minItems === 1 ? { rule: "required" } : { rule: "tooFew", bound: minItems };
  if (maxItems !== undefined && values.length > maxItems) return { rule: "tooMany", bound: maxItems };
  return values.map((value) => findBreach(value, items)).find((breach) => breach !== undefined);
}

// The same expressions as in proto/gatehouse/v1/rules.proto.
const blank = /^[\t-\r\u0085\p{Z}]+$/u;
const control = /\p{Cc}/u;
const unfitForKey = /[\u0085\p{Z}\p{Cc}]/u;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/;
const email = /^[^\s@]+@[^\s@]+$/;

function findBreachOfText(value: string, field: FieldBounds): Breach | undefined {
  const { minLength = 0, maxLength } = field;
  const { length } = Array.from(value); // characters, as the service counts them
  if (length === 0) return minLength > 0 || field.isRequired === true ? { rule: "required" } : undefined;
  if (length < minLength) return { rule: "tooShort", bound: minLength };
  if (maxLength !== undefined && length > maxLength) return { rule: "tooLong", bound: maxLength };
  if (field.isNotBlank === true && blank.test(value)) return { rule: "blank" };
  if (field.hasNoControl === true && control.test(value)) return { rule: "control" };
  return isMalformed(value, field) ? { rule: "malformed" } : undefined;
}

function isMalformed(value: string, field: FieldBounds): boolean {
  if (field.isRoleKey === true && (unfitForKey.test(value) || value === "." || value === "..")) return true;
  if (field.isHeaderName === true && !headerName.test(value)) return true;
  if (field.isEmail === true && !email.test(value)) return true;
  if (field.isUrl === true && !URL.canParse(value)) return true;
  return field.pattern !== undefined && !new RegExp(field.pattern, "u").test(value);
}
