import { foldName, lowerAscii } from "../../../kernel/base/names/folding.ts";
import type { Attribute } from "../schemas/attribute.ts";
import { elementsOf, isMembers, type Json, type ScimResource, subValueOf } from "../schemas/resource.ts";
import type { FilterOperator, Filter, FilterAttribute } from "./filter.ts";
import { comparedPartOf } from "./parse-filter.ts";

/** Says whether a resource meets a filter. */
export function matchesFilter(filter: Filter, resource: ScimResource): boolean {
  return matches(filter, (of) => elementsOf(valueOf(of, resource)));
}

/** Says whether one value of a list meets a filter in brackets. */
export function matchesElement(filter: Filter, element: Json): boolean {
  return matches(filter, () => [element]);
}

/** Makes a text by which values of an attribute are compared and put in order. */
export function toComparable({ caseExact, type, uniqueness }: Attribute, value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (type === "dateTime") return new Date(text).toISOString();
  if (caseExact === true) return text;
  return uniqueness === "server" ? foldName(text) : lowerAscii(text); // as unique names are compared
}

/** Returns the value of an attribute in a resource, with all of its parts. */
export function valueOf({ extension, attribute }: FilterAttribute, resource: ScimResource): Json | undefined {
  const from = extension === undefined ? resource : resource[extension.id];
  return isMembers(from) ? from[attribute.name] : undefined;
}

function matches(filter: Filter, elementsFor: (of: FilterAttribute) => readonly Json[]): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => matches(part, elementsFor));
    case "or":
      return filter.parts.some((part) => matches(part, elementsFor));
    case "not":
      return !matches(filter.part, elementsFor);
    case "element":
      return elementsFor(filter.of).some((element) => matchesElement(filter.filter, element));
    case "present":
      return elementsFor(filter.of).some((element) =>
        filter.of.sub === undefined ? true : subValueOf(element, filter.of.sub) !== undefined,
      );
    case "compare": {
      const { of, by, value } = filter;
      const part = comparedPartOf(of);
      const values = elementsFor(of).flatMap(
        (element) => subValueOf(element, part === of.attribute ? undefined : part) ?? [],
      );
      return isMet(part, by, { values, value });
    }
  }
}

/** What has no value is different from every value. */
function isMet(
  part: Attribute,
  by: FilterOperator,
  { values, value }: { readonly values: readonly Json[]; readonly value: string | number | boolean | null },
): boolean {
  if (by === "ne") return !isMet(part, "eq", { values, value });
  if (value === null) return values.length === 0;
  const asked = toComparable(part, part.type === "boolean" ? String(value).toLowerCase() : value);
  return values.some((each) => fits(by, toComparable(part, each), asked));
}

function fits(by: Exclude<FilterOperator, "ne">, value: string, asked: string): boolean {
  switch (by) {
    case "eq":
      return value === asked;
    case "co":
      return value.includes(asked);
    case "sw":
      return value.startsWith(asked);
    case "ew":
      return value.endsWith(asked);
    case "gt":
      return value > asked;
    case "ge":
      return value >= asked;
    case "lt":
      return value < asked;
    case "le":
      return value <= asked;
  }
}
