import type { FieldViolation } from "../../../kernel/base/problem.ts";
import { checkVisible } from "../../../kernel/base/names/visible-name.ts";

/** A scope of an API: what a client may do there. */
export interface ApiScope {
  /** Unique among the scopes of the API. */
  readonly name: string;
  /** Empty: a page says the name. */
  readonly description: string;
  /** Whether requests without `scope` ask for it. */
  readonly isDefault: boolean;
  /** Only users who hold one of these roles of the project get it; empty = all. */
  readonly roleKeys: readonly string[];
}

/** The scopes that mean something already. */
const ownScopes: ReadonlySet<string> = new Set([
  "openid",
  "profile",
  "email",
  "phone",
  "groups",
  "offline_access",
]);

/** Returns a violation for each name that is no scope (RFC 6749 §3.3), is one of ours, or comes twice. */
export function checkApiScopes(
  scopes: readonly Pick<ApiScope, "name" | "description">[],
): readonly FieldViolation[] {
  const seen = new Set<string>();
  return scopes.flatMap(({ name, description }, at) => {
    const fault = seen.has(name) ? "is the name of another scope of the list" : nameViolation(name);
    seen.add(name);
    return [
      ...(fault === undefined ? [] : [{ field: `scopes[${at}].name`, description: fault }]),
      ...checkVisible({ [`scopes[${at}].description`]: description }),
    ];
  });
}

/** The rules of the proto report an empty name. */
function nameViolation(name: string): string | undefined {
  if (name !== "" && !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    return 'must have printable ASCII characters only, without space, " and \\';
  return ownScopes.has(name) || /^urn:(?:zitadel|gatehouse):/i.test(name)
    ? "must not be a scope of ours"
    : undefined;
}
