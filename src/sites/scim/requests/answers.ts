import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { ListQuery } from "../lists/list-query.ts";
import type { ScimPage } from "../lists/read-list.ts";
import type { ResourceType } from "../schemas/attribute.ts";
import type { Json, ScimResource } from "../schemas/resource.ts";
import { type Shown, showResource } from "../schemas/shown-attributes.ts";
import { scimContentType } from "../errors/scim-error.ts";
import { metaTextOf } from "./conditions.ts";

const listUri = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** Makes an answer of JSON. */
export function answerJson(body: Json, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { "content-type": scimContentType, ...headers }, body: JSON.stringify(body) };
}

/** Makes the answer with a resource: as much of it as the client wants, and its version. */
export function answerResource(
  type: ResourceType,
  resource: ScimResource,
  { shown, status = 200 }: { readonly shown: Shown; readonly status?: number },
): Reply {
  const location = metaTextOf(resource, "location") ?? "";
  return answerJson(showResource(type, shown, resource), status, {
    etag: metaTextOf(resource, "version") ?? "",
    ...(status === 201 ? { location } : {}),
  });
}

/** Makes the answer with a page (RFC 7644 §3.4.2, RFC 9865 §2). */
export function answerPage({ resources, total, nextCursor }: ScimPage, query: ListQuery): Reply {
  return answerJson({
    schemas: [listUri],
    ...(total === undefined ? {} : { totalResults: total }),
    itemsPerPage: resources.length,
    ...(query.cursor === undefined ? { startIndex: query.startIndex } : {}),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    Resources: [...resources],
  });
}

/** Makes the answer with all of a few resources. */
export function answerAll(resources: readonly ScimResource[]): Reply {
  const all = {
    schemas: [listUri],
    totalResults: resources.length,
    itemsPerPage: resources.length,
    startIndex: 1,
  };
  return answerJson({ ...all, Resources: [...resources] });
}
