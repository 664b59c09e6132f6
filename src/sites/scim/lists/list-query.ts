import type { ResourceType } from "../schemas/attribute.ts";
import { findAttribute } from "../schemas/attribute.ts";
import { isMembers, type Json, type JsonMembers } from "../schemas/resource.ts";
import { readShown, type Shown } from "../schemas/shown-attributes.ts";
import type { Filter, FilterAttribute } from "../filters/filter.ts";
import { comparedPartOf, parseFilter } from "../filters/parse-filter.ts";
import { refusal } from "../errors/scim-error.ts";

/** So many resources a page has when the client does not say. */
export const defaultCount = 100;
/** So many resources a page has at the most. */
export const maxCount = 1000;

/** Which resources a client asks for (RFC 7644 §3.4.2, RFC 9865). */
export interface ListQuery {
  readonly filter: Filter | undefined;
  /** The filter as it was sent, for the cursors, which are for one query. */
  readonly filterText: string;
  readonly sort: { readonly by: FilterAttribute; readonly isDescending: boolean } | undefined;
  /** From 1 on. */
  readonly startIndex: number;
  /** 0 to 1,000. */
  readonly count: number;
  /** Empty: the first page by cursors. Undefined: pages by startIndex. */
  readonly cursor: string | undefined;
  readonly shown: Shown;
}

/** Reads the query of a GET. Raises invalidValue for a parameter that is sent twice, and what `toListQuery` raises. */
export function readQuery(type: ResourceType, query: string | undefined): ListQuery {
  const parameters = new URLSearchParams(query ?? "");
  const given: JsonMembers = {};
  for (const name of [
    "filter",
    "sortBy",
    "sortOrder",
    "startIndex",
    "count",
    "cursor",
    "attributes",
    "excludedAttributes",
  ]) {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) throw refusal("invalidValue", `${name} must not be sent twice`);
    if (value !== undefined) given[name] = value;
  }
  return toListQuery(type, given);
}

/**
 * Reads the body of a search (RFC 7644 §3.4.3), or what a GET has said. A filter may also name attributes of the other types that are
 * searched. Raises invalidFilter, invalidPath, invalidValue, invalidCount.
 */
export function toListQuery(
  type: ResourceType,
  given: JsonMembers,
  others: readonly ResourceType[] = [],
): ListQuery {
  const text = (name: string) => {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return value.map(String).join(",");
    if (isMembers(value)) throw refusal("invalidValue", `${name} must be a text`);
    return String(value);
  };
  const filterText = text("filter") ?? "";
  return {
    filter: filterText === "" ? undefined : parseFilter(type, filterText, others),
    filterText,
    sort: toSort(type, text("sortBy"), text("sortOrder")),
    // RFC 7644 §3.4.2.4: less than 1 counts as 1, a negative count as 0.
    startIndex: Math.max(1, toInteger("startIndex", given["startIndex"]) ?? 1),
    count: Math.min(maxCount, Math.max(0, toInteger("count", given["count"]) ?? defaultCount)),
    cursor: text("cursor"),
    shown: readShown(text("attributes"), text("excludedAttributes")),
  };
}

function toInteger(name: string, value: Json | undefined): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    throw refusal(name === "count" ? "invalidCount" : "invalidValue", `${name} must be an integer`);
  return number;
}

function toSort(type: ResourceType, by: string | undefined, order: string | undefined): ListQuery["sort"] {
  if (by === undefined || by === "") return undefined;
  const found = findAttribute(type, by);
  if (found?.attribute === undefined)
    throw refusal("invalidPath", `there is no attribute ${JSON.stringify(by)} to sort by`);
  const attribute = { ...found, attribute: found.attribute };
  if (comparedPartOf(attribute).type === "complex" || attribute.attribute.returned === "never")
    throw refusal("invalidPath", `${found.attribute.name} cannot be sorted by`);
  return { by: attribute, isDescending: order?.toLowerCase() === "descending" };
}
