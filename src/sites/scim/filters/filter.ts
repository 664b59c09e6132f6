import type { FoundAttribute } from "../schemas/attribute.ts";

/** The comparisons of RFC 7644 §3.4.2.2 but `pr`. */
export type FilterOperator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

/** An attribute that a filter names. */
export type FilterAttribute = FoundAttribute & {
  readonly attribute: NonNullable<FoundAttribute["attribute"]>;
  /** True: only another type of resources has it, so that no resource has a value. */
  readonly isForeign?: true;
};

/** A filter as a tree. Inside of `element` the attributes are those of one value of a list, as `sub`. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] }
  | { readonly kind: "not"; readonly part: Filter }
  | { readonly kind: "present"; readonly of: FilterAttribute }
  | {
      readonly kind: "compare";
      readonly of: FilterAttribute;
      readonly by: FilterOperator;
      readonly value: string | number | boolean | null;
    }
  /** One value of a list meets all of it (RFC 7644 §3.4.2.2: complex attribute filter grouping). */
  | { readonly kind: "element"; readonly of: FilterAttribute; readonly filter: Filter };
