import { AndFilter, EqualityFilter, ExtensibleFilter, type Filter, FilterParser, OrFilter } from "ldapts";
import type { DirectoryFilter } from "../../base/directory/filter.ts";

/** Makes the filter of a request. */
export function toFilter(filter: DirectoryFilter): Filter {
  switch (filter.kind) {
    case "written":
      return FilterParser.parseString(filter.text);
    case "equals":
      return new EqualityFilter({ attribute: filter.attribute, value: filter.value });
    case "matches":
      return new ExtensibleFilter({ matchType: filter.attribute, rule: filter.rule, value: filter.value });
    case "all":
      return new AndFilter({ filters: toFilters(filter) });
    case "any":
      return new OrFilter({ filters: toFilters(filter) });
  }
}

function toFilters({ of }: { readonly of: readonly DirectoryFilter[] }): Filter[] {
  return of.map(toFilter);
}

/** Says whether the text is a filter (RFC 4515) that can be sent. */
export function isFilter(text: string): boolean {
  try {
    FilterParser.parseString(text);
    return true;
  } catch {
    return false;
  }
}
