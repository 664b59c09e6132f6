import { permissionDenied, Problem } from "../../../kernel/base/problem.ts";
import { toProblem } from "../../../kernel/http/errors/problem-status.ts";
import { ScimError, toErrorBody, toScimError } from "../errors/scim-error.ts";
import type { ScimRequest } from "../calls/rpc-calls.ts";
import type { ScimEndpoint } from "../lists/endpoint.ts";
import {
  isMembers,
  type Json,
  type JsonMembers,
  plainTextOf,
  type ScimResource,
} from "../schemas/resource.ts";
import { metaTextOf, requireVersionAmong } from "./conditions.ts";

const responseUri = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";

/** The limits of bulk requests (RFC 7644 §3.7). */
export const bulkLimits = { maxOperations: 1000, maxPayloadSize: 1_048_576 } as const;

/** One operation, and what came of it. */
interface BulkStep {
  readonly method: string;
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly data: Json | undefined;
  result: JsonMembers | undefined;
}

/**
 * Does the operations of a bulk request, each as a request of its own: one that fails takes nothing back of the others. An operation waits
 * for those whose `bulkId` it names. Stops after `failOnErrors` failures; the answer has what was done till then. Raises 413,
 * invalidSyntax.
 */
export async function doBulk(
  request: ScimRequest,
  endpoints: readonly ScimEndpoint[],
  body: JsonMembers,
): Promise<JsonMembers> {
  const steps = readSteps(body);
  const maxErrors = readMaxErrors(body["failOnErrors"]);
  const ids = new Map<string, string>();
  const open = new Set(steps);
  let errors = 0;
  while (open.size > 0 && errors < maxErrors) {
    const ready = [...open].find((step) => isReady(step, open)) ?? [...open][0];
    if (ready === undefined) break;
    open.delete(ready);
    const isStuck = referencesOf(ready).some((name) => !ids.has(name));
    const done = isStuck
      ? { result: toFailure(unresolved()), isError: true }
      : await perform(request, endpoints, { ready, ids });
    ready.result = {
      method: ready.method,
      ...(ready.bulkId === undefined ? {} : { bulkId: ready.bulkId }),
      ...done.result,
    };
    if (done.isError) errors += 1;
  }
  return { schemas: [responseUri], Operations: steps.flatMap(({ result }) => result ?? []) };
}

/** An operation is ready when no operation is left that makes what it names. */
function isReady(step: BulkStep, open: ReadonlySet<BulkStep>): boolean {
  const names = new Set(referencesOf(step));
  return names.size === 0 || ![...open].some(({ bulkId }) => bulkId !== undefined && names.has(bulkId));
}

interface Doing {
  readonly ready: BulkStep;
  readonly ids: Map<string, string>;
}

async function perform(
  request: ScimRequest,
  endpoints: readonly ScimEndpoint[],
  { ready, ids }: Doing,
): Promise<{ readonly result: JsonMembers; readonly isError: boolean }> {
  try {
    const { status, resource, location } = await performOne(request, endpoints, { ready, ids });
    const id = plainTextOf(resource?.["id"]);
    if (ready.bulkId !== undefined && id !== undefined) ids.set(ready.bulkId, id);
    const version = resource === undefined ? undefined : metaTextOf(resource, "version");
    const result = { location, status: String(status), ...(version === undefined ? {} : { version }) };
    return { result, isError: false };
  } catch (error) {
    if (error instanceof ScimError) return { result: toFailure(error), isError: true };
    const problem = toProblem(error, request.exchange.requestId);
    if (problem.kind === "internal" || !(error instanceof Problem)) throw error;
    return { result: toFailure(toScimError(problem)), isError: true };
  }
}

async function performOne(
  request: ScimRequest,
  endpoints: readonly ScimEndpoint[],
  { ready, ids }: Doing,
): Promise<{
  readonly status: number;
  readonly resource: ScimResource | undefined;
  readonly location: string;
}> {
  const path = ready.path
    .split("/")
    .map((each) => idFor(each, ids))
    .join("/");
  const [noun = "", id, ...rest] = path.replace(/^\//, "").split("/");
  const endpoint = endpoints.find(({ type }) => type.endpoint === noun);
  if (endpoint === undefined || rest.length > 0)
    throw new ScimError(404, undefined, "there is nothing at this path");
  if (noun === "Groups" && !request.hasGroups) throw permissionDenied("group.read", request.organizationId);
  const body = resolve(ready.data ?? {}, ids);
  if (!isMembers(body)) throw new ScimError(400, "invalidSyntax", "data must be an object");
  const require = (before: ScimResource) => requireVersionAmong(ready.version, before);
  const location = `${request.baseUrl}/${noun}/${id ?? ""}`;
  if (ready.method === "POST" && id === undefined) {
    const resource = await endpoint.create(request, body);
    return { status: 201, resource, location: metaTextOf(resource, "location") ?? location };
  }
  if (id === undefined || id === "") throw new ScimError(400, "invalidSyntax", "the path needs an id");
  switch (ready.method) {
    case "PUT":
      return { status: 200, resource: await endpoint.replace(request, id, { body, require }), location };
    case "PATCH": {
      const resource = await endpoint.patch(request, id, { body, require });
      return { status: resource === undefined ? 204 : 200, resource, location };
    }
    case "DELETE":
      await endpoint.remove(request, id, require);
      return { status: 204, resource: undefined, location };
    default:
      throw new ScimError(
        400,
        "invalidSyntax",
        "method must be POST for a type, and PUT, PATCH or DELETE for a resource",
      );
  }
}

function readSteps(body: JsonMembers): readonly BulkStep[] {
  const key = Object.keys(body).find((name) => name.toLowerCase() === "operations");
  const listed = key === undefined ? undefined : body[key];
  if (!Array.isArray(listed)) throw new ScimError(400, "invalidSyntax", "Operations must be a list");
  if (listed.length > bulkLimits.maxOperations)
    throw new ScimError(413, undefined, `a bulk request has at most ${bulkLimits.maxOperations} operations`);
  const steps = listed.map((each): BulkStep => {
    if (!isMembers(each)) throw new ScimError(400, "invalidSyntax", "an operation must be an object");
    const [method, path] = [plainTextOf(each["method"])?.toUpperCase(), plainTextOf(each["path"])];
    if (method === undefined || path === undefined)
      throw new ScimError(400, "invalidSyntax", "an operation needs method and path");
    const [bulkId, version] = [plainTextOf(each["bulkId"]), plainTextOf(each["version"])];
    return { method, path, bulkId, version, data: each["data"], result: undefined };
  });
  const bulkIds = steps.flatMap(({ bulkId }) => bulkId ?? []);
  if (new Set(bulkIds).size < bulkIds.length)
    throw new ScimError(400, "invalidSyntax", "a bulkId must not be used twice");
  return steps;
}

function readMaxErrors(given: Json | undefined): number {
  if (given === undefined || given === null) return Number.POSITIVE_INFINITY;
  if (typeof given === "number" && Number.isSafeInteger(given) && given > 0) return given;
  throw new ScimError(400, "invalidValue", "failOnErrors must be a positive integer");
}

const reference = /^bulkId:(.+)$/;

/** Lists the operations that an operation names, in its path and its data (RFC 7644 §3.7.2). */
function referencesOf({ path, data }: BulkStep): readonly string[] {
  const found: string[] = [];
  const look = (value: Json | undefined): void => {
    if (typeof value === "string") found.push(...(reference.exec(value)?.slice(1) ?? []));
    else if (Array.isArray(value)) for (const each of value) look(each);
    else if (isMembers(value)) for (const each of Object.values(value)) look(each);
  };
  for (const segment of path.split("/")) look(segment);
  look(data);
  return found;
}

/** Puts ids in the place of the names of operations. */
function resolve(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return idFor(value, ids);
  if (Array.isArray(value)) return value.map((each) => resolve(each, ids));
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each, ids)]));
}

function idFor(text: string, ids: ReadonlyMap<string, string>): string {
  const name = reference.exec(text)?.[1];
  return name === undefined ? text : (ids.get(name) ?? text);
}

function unresolved(): ScimError {
  return new ScimError(
    409,
    undefined,
    "the operation names a bulkId that made nothing, or that waits for this operation",
  );
}

function toFailure(error: ScimError): JsonMembers {
  return { status: String(error.status), response: toErrorBody(error) };
}
