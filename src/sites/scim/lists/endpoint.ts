import type { ListQuery } from "./list-query.ts";
import type { Listed } from "./read-list.ts";
import type { RpcCall, ScimRequest } from "../calls/rpc-calls.ts";
import type { ResourceType } from "../schemas/attribute.ts";
import type { JsonMembers, ScimResource } from "../schemas/resource.ts";
import type { Shown } from "../schemas/shown-attributes.ts";

/** A change of one resource. */
export interface ResourceChange {
  readonly body: JsonMembers;
  /** Sees the resource as it is, in the transaction that changes it, before anything is changed. Raises 412. */
  readonly require: (before: ScimResource) => void;
}

/** A type of resources, and what requests do with it. All raise 404 for a resource that is not in the organization. */
export interface ScimEndpoint {
  readonly type: ResourceType;
  /** The call that a caller must be allowed to make to read anything here. */
  readonly like: RpcCall;
  readonly list: (request: ScimRequest, query: ListQuery) => Listed;
  readonly read: (request: ScimRequest, id: string, shown: Shown) => Promise<ScimResource>;
  readonly create: (request: ScimRequest, body: JsonMembers) => Promise<ScimResource>;
  /** RFC 7644 §3.5.1. */
  readonly replace: (request: ScimRequest, id: string, change: ResourceChange) => Promise<ScimResource>;
  /** RFC 7644 §3.5.2. Undefined: the answer is 204. */
  readonly patch: (
    request: ScimRequest,
    id: string,
    change: ResourceChange,
  ) => Promise<ScimResource | undefined>;
  readonly remove: (request: ScimRequest, id: string, require: ResourceChange["require"]) => Promise<void>;
}
