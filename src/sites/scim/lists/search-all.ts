import type { ScimRequest } from "../calls/rpc-calls.ts";
import { refusal } from "../errors/scim-error.ts";
import { type Narrowing, type NarrowTerm, unknownToSql } from "../filters/narrowing.ts";
import type { JsonMembers, ScimResource } from "../schemas/resource.ts";
import type { ScimEndpoint } from "./endpoint.ts";
import { type ListQuery, toListQuery } from "./list-query.ts";
import { type Listed, readScimList, type ScimPage } from "./read-list.ts";

/**
 * Searches several types of resources (RFC 7644 §3.4.3), one after the other, each oldest first. An attribute that a type does not have has
 * no value in its resources (§3.4.2.1). There is neither an order of all types nor a cursor. Raises invalidPath, invalidCursor, and what a
 * list of one type raises.
 */
export async function searchAll(
  request: ScimRequest,
  endpoints: readonly ScimEndpoint[],
  body: JsonMembers,
): Promise<{ readonly page: ScimPage; readonly query: ListQuery }> {
  const types = endpoints.map(({ type }) => type);
  const { sortBy, ...given } = body;
  if (sortBy !== undefined && sortBy !== null && sortBy !== "")
    throw refusal("invalidPath", "resources of several types have no order; search below Users or Groups");
  const queries = endpoints.map((endpoint) => ({
    endpoint,
    query: toListQuery(endpoint.type, given, types),
  }));
  const [first] = queries;
  if (first === undefined) throw new Error("there are no types");
  if (first.query.cursor !== undefined)
    throw refusal("invalidCursor", "use startIndex, or search below Users or Groups");
  const resources: ScimResource[] = [];
  let total = 0;
  for (const { endpoint, query } of queries) {
    const listed = endpoint.list(request, query);
    const page = await readScimList(
      request,
      { ...listed, narrowTerm: narrowTypes(listed) },
      {
        ...query,
        startIndex: Math.max(1, query.startIndex - total),
        count: query.count - resources.length,
      },
    );
    resources.push(...page.resources);
    total += page.total ?? 0;
  }
  return { page: { resources, total, nextCursor: undefined }, query: first.query };
}

/** Says of a type what every type can: what it does not have, and what it is. */
function narrowTypes({ type, narrowTerm }: Listed): NarrowTerm {
  return (term) => {
    const { of, by, value } = term;
    if (of.isForeign === true) return always(false);
    if (of.attribute.name !== "meta" || of.sub?.name !== "resourceType") return narrowTerm(term);
    if (by === "pr") return always(true);
    return by === "eq" ? always(value === type.name) : unknownToSql;
  };
}

function always(isMet: boolean): Narrowing {
  return { condition: { sql: isMet ? "TRUE" : "FALSE", parameters: [] }, isExact: true, isLead: !isMet };
}
