import type { ServerHttp2Session } from "node:http2";
import { types } from "node:util";

/**
 * Replaces the tables in which a session keeps its streams by tables that leave no garbage behind. Call it before the session has
 * streams.
 *
 * Node 26 has a Map of the open streams and a Set of those without an id. Both make a new table every few streams, and V8 lets
 * each old table point to the next one. A full collection moves one of them into the old generation; all tables after it, with
 * the streams in them, then survive the collections of the young generation until the next full one. The tables are found by
 * the name that Node gives them; a session of another form keeps its own. Delete this as soon as calls leave nothing behind
 * without it: `test/kernel/http/connections/session-stream-table.test.ts` tells.
 */
export function replaceStreamTables(session: ServerHttp2Session): void {
  const state = findState(session);
  if (state === undefined || state.streams.size > 0 || state.pendingStreams.size > 0) return;
  state.streams = new StreamTable();
  state.pendingStreams = new FewStreams();
}

/** Part of what Node knows about a session. Our tables have only the methods of Map and Set that Node calls. */
interface SessionState {
  streams: Map<number, unknown> | StreamTable;
  pendingStreams: Set<unknown> | FewStreams;
}

function findState(session: ServerHttp2Session): SessionState | undefined {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === "state");
  const state: unknown = key === undefined ? undefined : Reflect.get(session, key);
  return isSessionState(state) ? state : undefined;
}

function isSessionState(value: unknown): value is SessionState {
  if (typeof value !== "object" || value === null) return false;
  const { streams, pendingStreams } = value as Partial<SessionState>;
  return types.isMap(streams) && types.isSet(pendingStreams); // no instances of Map and Set: they are Node's own classes
}

interface Entry {
  readonly id: number;
  stream: unknown;
  next: Entry | undefined;
}

/** The ids of streams are consecutive, so their last bits spread them evenly. */
const buckets = 64;

function bucketOf(id: number): number {
  return (id >> 1) % buckets;
}

/** Streams by their ids. A removed entry points to nothing. */
export class StreamTable {
  size = 0;
  readonly #heads: (Entry | undefined)[] = Array.from({ length: buckets }, () => undefined);

  get(id: number): unknown {
    return this.#find(id)?.stream;
  }

  has(id: number): boolean {
    return this.#find(id) !== undefined;
  }

  set(id: number, stream: unknown): this {
    const known = this.#find(id);
    if (known === undefined) {
      const bucket = bucketOf(id);
      this.#heads[bucket] = { id, stream, next: this.#heads[bucket] };
      this.size++;
    } else known.stream = stream;
    return this;
  }

  delete(id: number): boolean {
    const bucket = bucketOf(id);
    let before: Entry | undefined;
    let entry = this.#heads[bucket];
    while (entry !== undefined && entry.id !== id) {
      before = entry;
      entry = entry.next;
    }
    if (entry === undefined) return false;
    if (before === undefined) this.#heads[bucket] = entry.next;
    else before.next = entry.next;
    entry.next = undefined;
    entry.stream = undefined;
    this.size--;
    return true;
  }

  /** `use` may delete the stream that it gets, and others. */
  forEach(use: (stream: unknown, id: number) => void): void {
    const all: Entry[] = [];
    for (let entry of this.#heads) for (; entry !== undefined; entry = entry.next) all.push(entry);
    for (const { id } of all) if (this.has(id)) use(this.get(id), id);
  }

  #find(id: number): Entry | undefined {
    let entry = this.#heads[bucketOf(id)];
    while (entry !== undefined && entry.id !== id) entry = entry.next;
    return entry;
  }
}

/** Streams without an id. There are few: at a server a stream gets its id as soon as it is made. */
export class FewStreams {
  readonly #streams: unknown[] = [];

  get size(): number {
    return this.#streams.length;
  }

  add(stream: unknown): this {
    if (!this.#streams.includes(stream)) this.#streams.push(stream);
    return this;
  }

  delete(stream: unknown): boolean {
    const index = this.#streams.indexOf(stream);
    if (index < 0) return false;
    this.#streams.splice(index, 1);
    return true;
  }

  forEach(use: (stream: unknown) => void): void {
    for (const stream of this.#streams.slice()) if (this.#streams.includes(stream)) use(stream);
  }
}
