import { allOf, type Condition } from "../../../kernel/base/sql.ts";
import type { FilterOperator, Filter, FilterAttribute } from "./filter.ts";

/** What SQL can say of a filter. */
export interface Narrowing {
  /** Every resource that meets the filter meets it; undefined: nothing can be said. */
  readonly condition: Condition | undefined;
  /** Whether it is the other way round, too. */
  readonly isExact: boolean;
  /** Whether it leads to few rows, on an index. */
  readonly isLead: boolean;
}

/** A comparison of one attribute, or the question whether it has a value. */
export interface Term {
  readonly of: FilterAttribute;
  readonly by: FilterOperator | "pr";
  readonly value: string | number | boolean | null;
}

/** Says what the table of a type of resources knows about a term. */
export type NarrowTerm = (term: Term) => Narrowing;

/** SQL can say nothing: the resources have to be looked at. */
export const unknownToSql: Narrowing = { condition: undefined, isExact: false, isLead: false };

/** Translates a filter to SQL, as far as SQL can say the same. The rest is left to `matchesFilter`. */
export function narrow(filter: Filter, term: NarrowTerm): Narrowing {
  switch (filter.kind) {
    case "and":
      return narrowAll(filter.parts.map((part) => narrow(part, term)));
    case "or":
      return narrowAny(filter.parts.map((part) => narrow(part, term)));
    case "not":
      return negate(narrow(filter.part, term));
    case "present":
      return term({ of: filter.of, by: "pr", value: null });
    case "compare":
      return narrowComparison(filter, term);
    case "element":
      // Terms that different elements meet must be met by one: SQL narrows, but does not decide.
      return {
        ...narrow(filter.filter, term),
        isExact: isSingle(filter.filter) && narrow(filter.filter, term).isExact,
      };
  }
}

function isSingle({ kind }: Filter): boolean {
  return kind === "compare" || kind === "present";
}

function narrowComparison(
  { of, by, value }: Filter & { readonly kind: "compare" },
  term: NarrowTerm,
): Narrowing {
  if (value === null) {
    const present = term({ of, by: "pr", value });
    return by === "ne" ? present : negate(present);
  }
  return by === "ne" ? negate(term({ of, by: "eq", value })) : term({ of, by, value });
}

function narrowAll(parts: readonly Narrowing[]): Narrowing {
  const conditions = parts.flatMap(({ condition }) => condition ?? []);
  return {
    condition: conditions.length === 0 ? undefined : inBrackets(allOf(conditions)),
    isExact: parts.every(({ isExact }) => isExact),
    isLead: parts.some(({ isLead }) => isLead),
  };
}

function narrowAny(parts: readonly Narrowing[]): Narrowing {
  const conditions = parts.flatMap(({ condition }) => condition ?? []);
  if (conditions.length < parts.length) return unknownToSql;
  return {
    condition: {
      sql: `(${conditions.map(({ sql }) => sql).join(" OR ")})`,
      parameters: conditions.flatMap(({ parameters }) => parameters),
    },
    isExact: parts.every(({ isExact }) => isExact),
    isLead: parts.every(({ isLead }) => isLead),
  };
}

function negate({ condition, isExact }: Narrowing): Narrowing {
  if (condition === undefined || !isExact) return unknownToSql;
  const { sql, parameters } = condition;
  return { condition: { sql: `NOT COALESCE(${sql}, FALSE)`, parameters }, isExact: true, isLead: false };
}

function inBrackets({ sql, parameters }: Condition): Condition {
  return { sql: `(${sql})`, parameters };
}
