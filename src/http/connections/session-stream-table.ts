import type { ServerHttp2Session } from "node:http2";
import { types } from "node:util";

/**
 * Gives a session tables of its streams that leave nothing behind. To be called before it has streams.
 *
 * Node 26 has a Map of the open ones and a Set of those without an id. These make themselves a new table every few streams,
 * and V8 lets each old table point to the next one. Each full collection puts one of them into the old generation; then all
 * that come after it, with the streams in them, outlive the collections of the young one until the next full one. They are
 * found by the name that Node gives them; a session of another form keeps its own. This can go as soon as calls leave nothing
 * without it: `test/http/connections/session-stream-table.test.ts`.
 */
export function keepStreamsYoung(session: ServerHttp2Session): void {
  const state = findState(session);
  if (state === undefined || state.streams.size > 0 || state.pendingStreams.size > 0) return;
  state.streams = new StreamTable();
  state.pendingStreams = new FewStreams();
}

/** Part of what Node knows of a session: what it calls of the Map and of the Set is all that there is in ours. */
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

/** Ids of streams follow on each other: so their last bits spread them evenly. */
const buckets = 64;

function bucketOf(id: number): number {
  return (id >> 1) % buckets;
}

/** Streams by their ids. What is taken out points to nothing. */
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

  /** `use` may delete what it gets, and others. */
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

/** Streams without an id: at a server one gets its id as soon as it is made. */
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
