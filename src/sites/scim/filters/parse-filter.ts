import { refusal } from "../errors/scim-error.ts";
import { findAttribute, findNamed, type ResourceType } from "../schemas/attribute.ts";
import type { FilterOperator, Filter, FilterAttribute } from "./filter.ts";
import { type FilterToken, tokenize } from "./tokens.ts";

const maxTerms = 50;
const maxLevels = 10;

const operators = new Set(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);

/** A filter in brackets behind the name of a list, and what follows it. */
export interface ElementPath {
  readonly of: FilterAttribute;
  readonly filter: Filter;
  /** The sub-attribute behind the brackets, without the dot; undefined: nothing follows. */
  readonly sub: string | undefined;
}

/**
 * Reads a filter (RFC 7644 §3.4.2.2): at most 50 terms and 10 levels. `and` binds closer than `or`. Attributes that neither the type
 * has nor one of the others are refused. Raises invalidFilter.
 */
export function parseFilter(type: ResourceType, text: string, others: readonly ResourceType[] = []): Filter {
  const reader = createReader(type, text, others);
  const filter = readOr(reader, 1);
  expect(reader, "end");
  return filter;
}

/** Reads a path with brackets, such as `emails[type eq "work"].value`. Raises invalidFilter. */
export function parseElementPath(type: ResourceType, text: string): ElementPath {
  const reader = createReader(type, text);
  const of = readAttribute(reader);
  expect(reader, "[");
  const filter = readOr({ ...reader, within: of }, 1);
  expect(reader, "]");
  const next = reader.next();
  const sub = next.kind === "word" && next.text.startsWith(".") ? next.text.slice(1) : undefined;
  if (next.kind !== "end" && sub === undefined) throw unexpected(next);
  if (sub !== undefined) expect(reader, "end");
  return { of, filter, sub };
}

interface Reader {
  readonly type: ResourceType;
  /** Types whose resources are looked for, too. */
  readonly others: readonly ResourceType[];
  /** The list whose elements are compared. */
  readonly within: FilterAttribute | undefined;
  readonly count: { terms: number };
  peek(): FilterToken;
  next(): FilterToken;
}

function createReader(type: ResourceType, text: string, others: readonly ResourceType[] = []): Reader {
  const tokens = tokenize(text);
  let at = 0;
  const peek = (): FilterToken => tokens[at] ?? { kind: "end" };
  const next = (): FilterToken => {
    const token = peek();
    at += 1;
    return token;
  };
  return { type, others, within: undefined, count: { terms: 0 }, peek, next };
}

function readOr(reader: Reader, level: number): Filter {
  return readJoined(reader, "or", () => readAnd(reader, level));
}

function readAnd(reader: Reader, level: number): Filter {
  return readJoined(reader, "and", () => readTerm(reader, level));
}

function readJoined(reader: Reader, kind: "and" | "or", readPart: () => Filter): Filter {
  const first = readPart();
  const parts = [first];
  while (isWord(reader.peek(), kind)) {
    reader.next();
    parts.push(readPart());
  }
  return parts.length === 1 ? first : { kind, parts };
}

function readTerm(reader: Reader, level: number): Filter {
  if (level > maxLevels) throw refusal("invalidFilter", `a filter has at most ${maxLevels} levels`);
  if (isWord(reader.peek(), "not")) {
    reader.next();
    expect(reader, "(");
    const part = readOr(reader, level + 1);
    expect(reader, ")");
    return { kind: "not", part };
  }
  if (reader.peek().kind === "(") {
    reader.next();
    const inner = readOr(reader, level + 1);
    expect(reader, ")");
    return inner;
  }
  reader.count.terms += 1;
  if (reader.count.terms > maxTerms) throw refusal("invalidFilter", `a filter has at most ${maxTerms} terms`);
  const of = readAttribute(reader);
  if (reader.peek().kind !== "[") return readComparison(reader, of);
  if (reader.within !== undefined || of.attribute.type !== "complex" || of.sub !== undefined)
    throw refusal("invalidFilter", "brackets stand behind an attribute with several parts");
  reader.next();
  const filter = readOr({ ...reader, within: of }, level + 1);
  expect(reader, "]");
  return { kind: "element", of, filter };
}

function readComparison(reader: Reader, of: FilterAttribute): Filter {
  const operator = reader.next();
  const by = operator.kind === "word" ? operator.text.toLowerCase() : "";
  const compared = of.sub ?? of.attribute;
  if (compared.returned === "never") throw refusal("invalidFilter", `${compared.name} cannot be compared`);
  if (by === "pr") return { kind: "present", of };
  if (!operators.has(by))
    throw refusal("invalidFilter", "an operator is missing: eq, ne, co, sw, ew, gt, ge, lt, le or pr");
  const value = readOperand(reader.next());
  requireComparable(of, by as FilterOperator, value); // it is one of them
  return { kind: "compare", of, by: by as FilterOperator, value };
}

function readOperand(token: FilterToken): string | number | boolean | null {
  if (token.kind === "value") return token.value;
  const word = token.kind === "word" ? token.text.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  throw unexpected(token);
}

/** RFC 7644 §3.4.2.2: booleans and references to nothing have no order. */
function requireComparable(
  of: FilterAttribute,
  by: FilterOperator,
  value: string | number | boolean | null,
): void {
  const target = comparedPartOf(of);
  const isEquality = by === "eq" || by === "ne";
  if (value === null && isEquality) return;
  const fits = target.type === "boolean" ? isBooleanText(value) && isEquality : typeof value === "string";
  if (!fits || target.type === "complex")
    throw refusal("invalidFilter", `${target.name} cannot be compared by ${by} with that value`);
  if (
    target.type === "dateTime" &&
    (Number.isNaN(Date.parse(String(value))) || !/^(?:eq|ne|gt|ge|lt|le)$/.test(by))
  )
    throw refusal(
      "invalidFilter",
      `${target.name} is compared with a time such as "2026-01-31T08:00:00Z", by order`,
    );
}

/** Some clients write `active eq "True"`. */
function isBooleanText(value: string | number | boolean | null): boolean {
  return typeof value === "boolean" || (typeof value === "string" && /^(?:true|false)$/i.test(value));
}

/** Returns the attribute whose values are compared: of a complex one without a part, its `value`. */
export function comparedPartOf({ attribute, sub }: FilterAttribute) {
  if (sub !== undefined) return sub;
  return findNamed(attribute.subAttributes ?? [], "value") ?? attribute;
}

function readAttribute({ type, others, within, next }: Reader): FilterAttribute {
  const token = next();
  if (token.kind !== "word") throw unexpected(token);
  if (within !== undefined) {
    const sub = findNamed(within.attribute.subAttributes ?? [], token.text);
    if (sub === undefined) throw unknownAttribute(token.text);
    return { ...within, sub };
  }
  const found = findAttribute(type, token.text);
  if (found?.attribute !== undefined) return { ...found, attribute: found.attribute };
  for (const other of others) {
    const foreign = findAttribute(other, token.text);
    if (foreign?.attribute !== undefined)
      return { ...foreign, attribute: foreign.attribute, isForeign: true };
  }
  throw unknownAttribute(token.text);
}

function unknownAttribute(name: string) {
  return refusal("invalidFilter", `there is no attribute ${JSON.stringify(name)} to filter by`);
}

function isWord(token: FilterToken, word: string): boolean {
  return token.kind === "word" && token.text.toLowerCase() === word;
}

function expect({ next }: Reader, kind: FilterToken["kind"]): void {
  const token = next();
  if (token.kind !== kind) throw unexpected(token, kind);
}

function unexpected(token: FilterToken, expected?: FilterToken["kind"]) {
  const found =
    token.kind === "end" ? "the filter ends too early" : "the filter has something at a wrong place";
  return refusal("invalidFilter", expected === undefined ? found : `${found}; expected: ${expected}`);
}
