import { findUserById } from "../../../identity/people/user/repository.ts";
import { toId, type OrganizationId } from "../../../kernel/base/ids.ts";
import { holdsOnOrganization } from "../../../kernel/base/permission.ts";
import { permissionDenied } from "../../../kernel/base/problem.ts";
import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { readQuery, toListQuery } from "../lists/list-query.ts";
import { readScimList } from "../lists/read-list.ts";
import { searchAll } from "../lists/search-all.ts";
import type { KnownRequest, ScimOptions, ScimRequest } from "../calls/rpc-calls.ts";
import { refusal, resourceNotFound, ScimError } from "../errors/scim-error.ts";
import { describeSchema, describeType, toServiceProviderConfig } from "./discovery.ts";
import type { ScimResource } from "../schemas/resource.ts";
import { readShown, type Shown } from "../schemas/shown-attributes.ts";
import { groupsEndpoint } from "../groups/endpoint.ts";
import { usersEndpoint } from "../users/endpoint.ts";
import { answerAll, answerJson, answerPage, answerResource } from "./answers.ts";
import { bulkLimits, doBulk } from "./bulk.ts";
import { readBody } from "./body.ts";
import { isKnownVersion, requireVersionAmong } from "./conditions.ts";
import type { ScimEndpoint } from "../lists/endpoint.ts";

/** The path below which an organization's resources are. */
const scimPath = "/scim/v2";

const endpoints: readonly ScimEndpoint[] = [usersEndpoint, groupsEndpoint];

/** Answers a request. Raises ScimError, and the problems of calls. */
export async function answerScim(options: ScimOptions, exchange: Exchange): Promise<Reply> {
  const [organizationId = "", noun = "", id, ...rest] = segmentsOf(exchange.path);
  const endpoint = endpoints.find(({ type }) => type.endpoint === noun);
  if (organizationId === "" || rest.length > 0) throw unknownPath();
  if (endpoint !== undefined)
    return await answerEndpoint(options, exchange, { organizationId, endpoint, id });
  switch (noun) {
    case "ServiceProviderConfig":
    case "ResourceTypes":
    case "Schemas":
      return await answerDiscovery(options, exchange, { organizationId, noun, id });
    case "Bulk":
      if (exchange.verb !== "POST" || id !== undefined) throw methodNotAllowed(["POST"]);
      return await answerBulk(options, exchange, { organizationId, endpoint: usersEndpoint, id });
    case ".search":
      if (exchange.verb !== "POST" || id !== undefined) throw methodNotAllowed(["POST"]);
      return await answerSearch(options, exchange, { organizationId, endpoint: usersEndpoint, id });
    case "Me":
      throw new ScimError(501, undefined, "a service user is no user of SCIM; name a user");
    default:
      throw unknownPath();
  }
}

interface ListPlace {
  readonly organizationId: string;
  readonly endpoint: ScimEndpoint;
  readonly id: string | undefined;
}

async function answerEndpoint(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  const { endpoint, id } = place;
  const { verb } = exchange;
  if (id === undefined) {
    if (verb === "GET") return await list(options, exchange, place);
    if (verb === "POST") return await create(options, exchange, place);
    throw methodNotAllowed(["GET", "POST"]);
  }
  if (id === ".search") {
    if (verb !== "POST") throw methodNotAllowed(["POST"]);
    return await search(options, exchange, place);
  }
  switch (verb) {
    case "GET":
      return await begin(options, exchange, place, async (request) => {
        const shown = shownOf(exchange);
        const resource = await endpoint.read(request, id, shown);
        if (isKnownVersion(exchange, resource)) return { status: 304 };
        return answerResource(endpoint.type, resource, { shown });
      });
    case "PUT":
    case "PATCH":
      return await changeOne(options, exchange, { ...place, id });
    case "DELETE": {
      const request = await known(options, exchange, place);
      await endpoint.remove(request, id, (before) =>
        requireVersionAmong(exchange.header("if-match"), before),
      );
      return { status: 204 };
    }
    default:
      throw methodNotAllowed(["DELETE", "GET", "PATCH", "PUT"]);
  }
}

async function list(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  return await begin(options, exchange, place, async (request) => {
    const query = readQuery(place.endpoint.type, exchange.query);
    return answerPage(await readScimList(request, place.endpoint.list(request, query), query), query);
  });
}

async function search(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  const request = await known(options, exchange, place);
  const query = toListQuery(place.endpoint.type, await readBody(options, exchange));
  return answerPage(await readScimList(request, place.endpoint.list(request, query), query), query);
}

/** Searches what the caller may read: without `group.read` that is users alone. */
async function answerSearch(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  const request = await known(options, exchange, place);
  const readable = request.hasGroups ? endpoints : [usersEndpoint];
  const { page, query } = await searchAll(request, readable, await readBody(options, exchange));
  return answerPage(page, query);
}

async function create(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  const { endpoint } = place;
  const request = await known(options, exchange, place);
  const resource = await endpoint.create(request, await readBody(options, exchange));
  return answerResource(endpoint.type, resource, { shown: shownOf(exchange), status: 201 });
}

async function answerBulk(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<Reply> {
  const request = await known(options, exchange, place);
  return answerJson(
    await doBulk(request, endpoints, await readBody(options, exchange, bulkLimits.maxPayloadSize)),
  );
}

async function changeOne(
  options: ScimOptions,
  exchange: Exchange,
  place: ListPlace & { readonly id: string },
): Promise<Reply> {
  const { endpoint, id } = place;
  const request = await known(options, exchange, place);
  const body = await readBody(options, exchange);
  const require = (before: ScimResource) => requireVersionAmong(exchange.header("if-match"), before);
  const change = exchange.verb === "PUT" ? endpoint.replace : endpoint.patch;
  const resource = await change(request, id, { body, require });
  if (resource === undefined) return { status: 204 };
  return answerResource(endpoint.type, resource, { shown: shownOf(exchange) });
}

function shownOf(exchange: Exchange): Shown {
  const parameters = new URLSearchParams(exchange.query ?? "");
  return readShown(
    parameters.get("attributes") ?? undefined,
    parameters.get("excludedAttributes") ?? undefined,
  );
}

async function answerDiscovery(
  options: ScimOptions,
  exchange: Exchange,
  {
    organizationId,
    noun,
    id,
  }: { readonly organizationId: string; readonly noun: string; readonly id: string | undefined },
): Promise<Reply> {
  if (exchange.verb !== "GET") throw methodNotAllowed(["GET"]);
  // RFC 7644 §4: a filter is refused, so that nobody takes what it would have left out for what there is.
  if (new URLSearchParams(exchange.query ?? "").has("filter"))
    throw new ScimError(403, undefined, "there is no filter here");
  const place = { organizationId, endpoint: usersEndpoint, id };
  return await begin(options, exchange, place, ({ baseUrl }) => {
    if (noun === "ServiceProviderConfig") {
      if (id !== undefined) throw unknownPath();
      return Promise.resolve(answerJson(toServiceProviderConfig(baseUrl)));
    }
    const schemas = endpoints.flatMap(({ type }) => [type.schema].concat(type.extensions));
    const all =
      noun === "ResourceTypes"
        ? endpoints.map(({ type }) => describeType(type, baseUrl))
        : schemas.map((each) => describeSchema(each, baseUrl));
    if (id === undefined) return Promise.resolve(answerAll(all));
    const one = all.find((each) => each["id"] === id);
    if (one === undefined) throw resourceNotFound(id);
    return Promise.resolve(answerJson(one));
  });
}

/** Reads for a caller that may read the resources of the type. */
async function begin(
  options: ScimOptions,
  exchange: Exchange,
  { organizationId, endpoint }: ListPlace,
  work: (request: ScimRequest) => Promise<Reply>,
): Promise<Reply> {
  return await options.calls.read({ exchange, organizationId, like: endpoint.like }, async (found) =>
    work(await toScimRequest(options, found)),
  );
}

async function known(options: ScimOptions, exchange: Exchange, place: ListPlace): Promise<ScimRequest> {
  const { organizationId, endpoint } = place;
  return await options.calls.read({ exchange, organizationId, like: endpoint.like }, (found) =>
    toScimRequest(options, found),
  );
}

/** Raises PERMISSION_DENIED for a caller that is not a service user: ids of other systems are kept for each of these. */
async function toScimRequest(options: ScimOptions, found: KnownRequest): Promise<ScimRequest> {
  const { caller, organizationId } = found;
  const user = await options.database.read((tx) => findUserById(tx, caller.userId));
  if (user?.kind !== "service")
    throw permissionDenied("user.write", organizationId, "SCIM is for tokens of service users");
  const hasGroups = holdsOnOrganization(caller.held, "group.read", toId<OrganizationId>(organizationId));
  const baseUrl = `${options.issuer() ?? ""}${scimPath}/${organizationId}`;
  return { ...found, options, hasGroups, trustsMail: user.trustMail, baseUrl };
}

function segmentsOf(path: string): readonly string[] {
  try {
    return path
      .slice(scimPath.length + 1)
      .split("/")
      .map(decodeURIComponent);
  } catch {
    throw refusal("invalidSyntax", "the path is not valid UTF-8 in percent-encoding");
  }
}

function unknownPath(): ScimError {
  return new ScimError(404, undefined, "there is nothing at this path");
}
