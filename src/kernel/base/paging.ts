import { fromDigits, type Instant, toDigits } from "./clock.ts";
import type { Keyring, Sealed } from "./keyring.ts";
import { Problem } from "./problem.ts";

/** Which part of a list a caller asks for. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly countTotal: boolean;
}

/** A position in a list that is ordered by a date, the earliest first: the last object that was shown. */
export interface Cursor {
  /** When the object was made, or the end of a right in a list in the order of ends. */
  readonly date: number | Instant;
  readonly id: string;
}

/** What a repository needs to read one page. It reads `limit` rows after the cursor, ordered by the date and the id. */
export interface PageQuery {
  readonly after: Cursor | undefined;
  readonly limit: number;
}

/** A part of a list. `nextPageToken` is empty on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
  /** Objects in the whole list, counted up to `countLimit`; undefined unless asked for. */
  readonly totalResult: number | undefined;
  /** Whether there may be more than `totalResult`, which is not `countLimit`. Default: no. */
  readonly isLowerBound?: boolean;
}

/** How many objects a page has when the caller does not say. */
export const defaultPageSize = 50;
/** How many objects a page has at the most. */
export const maxPageSize = 1000;
/** A total beyond 10,000 is given as this number. */
export const countLimit = 10_001;

/**
 * Reads one page. `list` names rpc, organization and filters: a page token works for nothing else.
 * Raises PAGE_TOKEN_INVALID.
 */
export async function readPage<
  T extends { readonly id: string; readonly details: { readonly creationDate: number } },
>(
  keyring: Keyring,
  request: PageRequest,
  list: {
    readonly key: readonly string[];
    readonly read: (query: PageQuery) => Promise<readonly T[]>;
    readonly count: (limit: number) => Promise<number>;
    /** Returns the date that the list is ordered by; by default that of the creation. */
    readonly dateOf?: ((row: T) => Cursor["date"]) | undefined;
    /** Says how many of the rows fit on one page where they can be large: at least one. */
    readonly fit?: (rows: readonly T[]) => Promise<number>;
  },
): Promise<Page<T>> {
  const { dateOf = ({ details }: T) => details.creationDate } = list;
  return await readPart(keyring, request, {
    key: list.key,
    count: list.count,
    async read(position, size) {
      const rows = await list.read({
        after: position === undefined ? undefined : toCursor(position),
        limit: size + 1,
      });
      const items = rows.slice(0, list.fit === undefined ? size : Math.min(size, await list.fit(rows)));
      const last = rows.length > items.length ? items.at(-1) : undefined;
      return { items, next: last && toPosition({ date: dateOf(last), id: last.id }) };
    },
  });
}

/**
 * Reads one page of a list that is ordered by sequence. `read` returns up to `limit` items that come after the one
 * of the sequence `last`, fewer too where they are large, and whether there are more. Otherwise as `readPage`.
 */
export async function readSequencePage<T extends { readonly sequence: number }>(
  keyring: Keyring,
  request: PageRequest,
  list: {
    readonly key: readonly string[];
    readonly read: (query: {
      readonly last: number | undefined;
      readonly limit: number;
    }) => Promise<{ readonly items: readonly T[]; readonly hasMore: boolean }>;
    readonly count: (limit: number) => Promise<number>;
  },
): Promise<Page<T>> {
  return await readPart(keyring, request, {
    key: list.key,
    count: list.count,
    async read(position, size) {
      const last = position === undefined ? undefined : Number(position);
      const { items, hasMore } = await list.read({ last, limit: size });
      const next = hasMore ? items.at(-1) : undefined;
      return { items, next: next && String(next.sequence) };
    },
  });
}

/** Reads the part of a list behind a position: a text that only the list understands, of the characters of `openPageToken`. */
async function readPart<T>(
  keyring: Keyring,
  request: PageRequest,
  list: {
    readonly key: readonly string[];
    readonly read: (
      position: string | undefined,
      size: number,
    ) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>;
    readonly count: (limit: number) => Promise<number>;
  },
): Promise<Page<T>> {
  const size = sizeOf(request);
  const key = JSON.stringify(list.key);
  const position = request.pageToken === "" ? undefined : openPageToken(keyring, key, request.pageToken);
  const { items, next } = await list.read(position, size);
  return {
    items,
    nextPageToken: next === undefined ? "" : makePageToken(keyring, key, next),
    totalResult: request.countTotal ? await list.count(countLimit) : undefined,
  };
}

/** A part of a list, and where the next one begins. */
export interface Slice<Position, T> {
  readonly items: readonly T[];
  /** Undefined: nothing is left. */
  readonly next: Position | undefined;
}

/**
 * Reads one page of a list whose positions hold what is stored of people: its page tokens are encrypted. Otherwise as `readPage`.
 */
export async function readSealedPage<Position, T>(
  keyring: Keyring,
  request: PageRequest,
  list: {
    readonly key: readonly string[];
    readonly read: (position: Position | undefined, size: number) => Promise<Slice<Position, T>>;
    readonly count: () => Promise<{ readonly total: number; readonly isLowerBound: boolean }>;
  },
): Promise<Page<T>> {
  const key = JSON.stringify(list.key);
  const position =
    request.pageToken === "" ? undefined : openSealedToken<Position>(keyring, key, request.pageToken);
  const { items, next } = await list.read(position, sizeOf(request));
  const counted = request.countTotal ? await list.count() : undefined;
  return {
    items,
    nextPageToken: next === undefined ? "" : sealToken(keyring, key, next),
    totalResult: counted?.total,
    isLowerBound: counted?.isLowerBound ?? false,
  };
}

function sealToken(keyring: Keyring, key: string, position: unknown): string {
  return writeSealed(keyring.encrypt("search-token", Buffer.from(JSON.stringify(position)), key));
}

function openSealedToken<Position>(keyring: Keyring, key: string, token: string): Position {
  const [keyId = "", value = ""] = token.split(".");
  const sealed = {
    keyId: Buffer.from(keyId, "base64url").toString(),
    value: Buffer.from(value, "base64url"),
  };
  if (writeSealed(sealed) !== token) throw pageTokenInvalid();
  try {
    return JSON.parse(Buffer.from(keyring.decrypt("search-token", sealed, key)).toString()) as Position; // made by us
  } catch {
    throw pageTokenInvalid();
  }
}

function writeSealed({ keyId, value }: Sealed): string {
  return `${Buffer.from(keyId).toString("base64url")}.${Buffer.from(value).toString("base64url")}`;
}

function makePageToken(keyring: Keyring, key: string, position: string): string {
  const sealed = keyring.mac("page-token", `${key}${position}`);
  return Buffer.from(
    `${sealed.keyId}.${position}.${Buffer.from(sealed.value).toString("base64url")}`,
  ).toString("base64url");
}

function openPageToken(keyring: Keyring, key: string, token: string): string {
  const text = Buffer.from(token, "base64url").toString("latin1");
  const match = /^([A-Za-z0-9_-]+)\.(\d+(?:\.[A-Za-z0-9_-]+)?)\.([A-Za-z0-9_-]{43})$/.exec(text);
  const [, keyId = "", position = "", mac = ""] = match ?? [];
  const sealed = { keyId, value: new Uint8Array(Buffer.from(mac, "base64url")) };
  const isCanonical =
    Buffer.from(text, "latin1").toString("base64url") === token &&
    Buffer.from(sealed.value).toString("base64url") === mac;
  if (match === null || !isCanonical || !keyring.isMacOf("page-token", sealed, `${key}${position}`)) {
    throw pageTokenInvalid();
  }
  return position;
}

function sizeOf({ pageSize }: PageRequest): number {
  return Math.min(pageSize === 0 ? defaultPageSize : pageSize, maxPageSize);
}

function pageTokenInvalid(): Problem {
  return new Problem({
    kind: "invalid",
    reason: "PAGE_TOKEN_INVALID",
    message: "page_token does not come from this list; start again without it",
    violations: [{ field: "page_token", description: "must be the next_page_token of the same list" }],
  });
}

/** A date is written as digits: an instant of a right has 20 of them, and that of a creation has fewer. */
function toPosition({ date, id }: Cursor): string {
  const digits = typeof date === "number" ? String(date) : toDigits(date);
  return `${digits}.${Buffer.from(id).toString("base64url")}`;
}

function toCursor(position: string): Cursor {
  const [digits = "", id = ""] = position.split(".");
  const date = digits.length === 20 ? fromDigits(digits) : Number(digits);
  return { date, id: Buffer.from(id, "base64url").toString() };
}
