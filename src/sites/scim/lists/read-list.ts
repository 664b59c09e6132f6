import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { readSealedPage } from "../../../kernel/base/paging.ts";
import { always, type Condition } from "../../../kernel/base/sql.ts";
import { narrow, type NarrowTerm } from "../filters/narrowing.ts";
import { matchesFilter, toComparable, valueOf } from "../filters/match-filter.ts";
import { comparedPartOf } from "../filters/parse-filter.ts";
import type { ScimRequest } from "../calls/rpc-calls.ts";
import { refusal } from "../errors/scim-error.ts";
import type { ResourceType } from "../schemas/attribute.ts";
import { elementsOf, isMembers, type ScimResource, subValueOf, plainTextOf } from "../schemas/resource.ts";
import { showResource } from "../schemas/shown-attributes.ts";
import type { ListQuery } from "./list-query.ts";
import { type ListPlace, type ScannedRows, scanRows } from "./scan-repository.ts";

/** A type of resources, as a list reads it. */
export interface Listed {
  readonly type: ResourceType;
  readonly rows: { readonly from: ScannedRows["from"]; readonly only: Condition };
  readonly narrowTerm: NarrowTerm;
  /** Reads resources to compare them: whatever filter and order may ask for. */
  look(tx: ReadTransaction, ids: readonly string[]): Promise<readonly ScimResource[]>;
  /** Reads resources in the order of their ids; those that are gone are missing, and the last ones if all together are large. */
  read(tx: ReadTransaction, ids: readonly string[]): Promise<readonly ScimResource[]>;
}

/** A page of resources. */
export interface ScimPage {
  readonly resources: readonly ScimResource[];
  /** Undefined on pages by cursors that are not the only one: nobody has counted. */
  readonly total: number | undefined;
  /** Undefined on the last page by cursors, and on pages by startIndex. */
  readonly nextCursor: string | undefined;
}

/** So many resources may be looked at, or put in order, for one request. */
const maxLookedAt = 20_000;

/** Reads a page of a list. Raises tooMany, invalidCursor. */
export async function readScimList(
  request: ScimRequest,
  listed: Listed,
  query: ListQuery,
): Promise<ScimPage> {
  if (query.cursor !== undefined) return await readByCursor(request, listed, query);
  const wanted = { from: query.startIndex - 1, size: query.count };
  const { places, total } = await find(request, listed, query, {
    ...wanted,
    mayStop: false,
    after: undefined,
  });
  return { resources: await readShownOf(request, listed, query, places), total, nextCursor: undefined };
}

/** A cursor is the place of the last resource, or how many there were before in a list with an order of its own. */
type Position = { readonly place: ListPlace } | { readonly skipped: number };

async function readByCursor(request: ScimRequest, listed: Listed, query: ListQuery): Promise<ScimPage> {
  const { filterText, sort, count } = query;
  if (count === 0) throw refusal("invalidCount", "with a cursor, count must be at least 1");
  const order =
    sort === undefined
      ? ""
      : `${sort.by.attribute.name}.${sort.by.sub?.name ?? ""}.${String(sort.isDescending)}`;
  const page = await readSealedPage<Position, ScimResource>(
    request.options.keyring,
    { pageSize: count, pageToken: query.cursor ?? "", countTotal: false },
    {
      key: ["scim", listed.type.name, request.organizationId, filterText, order],
      count: () => Promise.reject(new Error("a page by cursors is not counted")),
      async read(position, size) {
        const skipped = position !== undefined && "skipped" in position ? position.skipped : 0;
        const after = position !== undefined && "place" in position ? position.place : undefined;
        const found = await find(request, listed, query, {
          from: skipped,
          size: size + 1,
          mayStop: true,
          after,
        });
        const items = await readShownOf(request, listed, query, found.places.slice(0, size));
        const last = found.places[Math.min(items.length, size) - 1];
        const isLast = last === undefined || found.places.length <= items.length;
        if (isLast) return { items, next: undefined };
        return { items, next: sort === undefined ? { place: last } : { skipped: skipped + items.length } };
      },
    },
  );
  return { resources: page.items, total: undefined, nextCursor: page.nextPageToken || undefined };
}

interface Wanted {
  readonly from: number;
  readonly size: number;
  /** Whether nobody asks how many there are in all. */
  readonly mayStop: boolean;
  readonly after: ListPlace | undefined;
}

/** Finds the places of a page, and counts all. */
async function find(
  { options, organizationId }: ScimRequest,
  listed: Listed,
  { filter, sort }: ListQuery,
  wanted: Wanted,
): Promise<{ readonly places: readonly ListPlace[]; readonly total: number }> {
  const narrowed = filter === undefined ? undefined : narrow(filter, listed.narrowTerm);
  const condition = narrowed?.condition ?? always;
  const rows = { ...listed.rows, organizationId, condition, isLead: narrowed?.isLead === true };
  const isLookedAt = sort !== undefined || narrowed?.isExact === false;
  const keyed: { readonly place: ListPlace; readonly key: string | undefined }[] = [];
  const places: ListPlace[] = [];
  let total = 0;
  let lookedAt = 0;
  const take = (place: ListPlace): void => {
    if (total >= wanted.from && places.length < wanted.size) places.push(place);
    total += 1;
  };
  for await (const portion of scanRows(options.database, rows, wanted.after)) {
    if (!isLookedAt) for (const place of portion) take(place);
    else {
      lookedAt += portion.length;
      if (lookedAt > maxLookedAt) throw tooMany();
      for (let at = 0; at < portion.length; at += resourcesPerTurn) {
        const some = portion.slice(at, at + resourcesPerTurn);
        const resources = await options.database.read((tx) =>
          listed.look(
            tx,
            some.map(({ id }) => id),
          ),
        );
        const byId = new Map(resources.map((each) => [plainTextOf(each["id"]) ?? "", each]));
        for (const place of some) {
          const resource = byId.get(place.id);
          if (resource === undefined || (filter !== undefined && !matchesFilter(filter, resource))) continue;
          if (sort === undefined) take(place);
          else keyed.push({ place, key: sortKeyOf(sort, resource) });
        }
      }
    }
    if (wanted.mayStop && sort === undefined && places.length >= wanted.size) break;
  }
  for (const { place } of inOrder(keyed, sort?.isDescending === true)) take(place);
  return { places, total };
}

const resourcesPerTurn = 200;

/** RFC 7644 §3.4.2.3: what has no value comes last, or first if the order is descending; of a list the primary value counts. */
function inOrder<T extends { readonly key: string | undefined }>(
  keyed: readonly T[],
  isDescending: boolean,
): readonly T[] {
  const isBefore = (one: T, other: T): number => {
    if (one.key === other.key) return 0;
    if (one.key === undefined || other.key === undefined) return one.key === undefined ? 1 : -1;
    return one.key < other.key ? -1 : 1;
  };
  const ascending = keyed.toSorted(isBefore);
  return isDescending ? ascending.toReversed() : ascending;
}

function sortKeyOf({ by }: NonNullable<ListQuery["sort"]>, resource: ScimResource): string | undefined {
  const elements = elementsOf(valueOf(by, resource));
  const element = elements.find((each) => isMembers(each) && each["primary"] === true) ?? elements[0];
  const part = comparedPartOf(by);
  const value =
    element === undefined ? undefined : subValueOf(element, part === by.attribute ? undefined : part);
  return value === undefined ? undefined : toComparable(part, value);
}

async function readShownOf(
  { options }: ScimRequest,
  listed: Listed,
  { shown }: ListQuery,
  places: readonly ListPlace[],
): Promise<readonly ScimResource[]> {
  const resources = await options.database.read((tx) =>
    listed.read(
      tx,
      places.map(({ id }) => id),
    ),
  );
  return resources.map((each) => showResource(listed.type, shown, each));
}

function tooMany() {
  return refusal(
    "tooMany",
    `more than ${maxLookedAt} resources would have to be looked at; filter by userName, externalId, emails or displayName`,
  );
}
