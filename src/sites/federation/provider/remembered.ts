import type { Clock } from "../../../kernel/base/clock.ts";

/** Runs what waits for a provider, for example within a limit. */
export type Wait = <T>(work: () => Promise<T>) => Promise<T>;

/** What providers publish, remembered by this process. It decides nothing that another process could see otherwise for long. */
export interface Remembered<T> {
  /**
   * Returns the value of a key, and loads it if it is older than `maxAgeMs`. Several who ask for a key at once wait for one load. A
   * failure is remembered, too: within `failureMs` of it nothing is loaded, and it is thrown again. Only what is not known yet goes
   * through `wait`. Default: it is run at once.
   */
  get(
    key: string,
    how: {
      readonly maxAgeMs: number;
      readonly failureMs: number;
      readonly load: () => Promise<T>;
      readonly wait?: Wait | undefined;
    },
  ): Promise<T>;
  /**
   * Loads the value of a key whatever its age, because it has proved wrong, at most once within `everyMs`; else it returns what is known,
   * or throws why nothing is.
   */
  renew(
    key: string,
    how: {
      readonly everyMs: number;
      readonly load: () => Promise<T>;
      readonly wait?: Wait | undefined;
    },
  ): Promise<T>;
}

interface Entry<T> {
  readonly loaded?: { readonly value: T; readonly atMs: number } | undefined;
  readonly failed?: { readonly error: unknown; readonly atMs: number } | undefined;
  readonly loading?: Promise<T> | undefined;
  /** When it was last loaded because it had proved wrong. */
  readonly renewedMs?: number | undefined;
}

/** Creates a memory of so many keys: the one that was loaded first goes first. */
export function createRemembered<T>({
  clock,
  maxEntries,
}: {
  readonly clock: Clock;
  readonly maxEntries: number;
}): Remembered<T> {
  const entries = new Map<string, Entry<T>>();
  const put = (key: string, entry: Entry<T>): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) return;
      entries.delete(oldest);
    }
  };
  const load = async (key: string, work: () => Promise<T>): Promise<T> => {
    const { loaded } = entries.get(key) ?? {};
    const keep = () => ({ renewedMs: entries.get(key)?.renewedMs });
    try {
      const value = await work();
      put(key, { ...keep(), loaded: { value, atMs: clock.nowMs() } });
      return value;
    } catch (error) {
      put(key, { ...keep(), loaded, failed: { error, atMs: clock.nowMs() } });
      throw error;
    }
  };
  const join = async (key: string, failureMs: number, work: () => Promise<T>): Promise<T> => {
    const entry = entries.get(key) ?? {};
    const { failed, loading } = entry;
    if (loading !== undefined) return await loading;
    if (failed !== undefined && clock.nowMs() - failed.atMs < failureMs) throw failed.error;
    const begun = load(key, work);
    put(key, { ...entry, loading: begun });
    return await begun;
  };
  return {
    async get(key, { maxAgeMs, failureMs, load: work, wait = (waiting) => waiting() }) {
      const { loaded } = entries.get(key) ?? {};
      if (loaded !== undefined && clock.nowMs() - loaded.atMs < maxAgeMs) return loaded.value;
      return await wait(() => join(key, failureMs, work));
    },
    async renew(key, { everyMs, load: work, wait = (waiting) => waiting() }) {
      const { loaded, failed, loading, renewedMs } = entries.get(key) ?? {};
      const isDue =
        loading === undefined && (renewedMs === undefined || clock.nowMs() - renewedMs >= everyMs);
      if (!isDue && loading === undefined) {
        if (loaded !== undefined) return loaded.value;
        if (failed !== undefined) throw failed.error;
      }
      if (isDue) put(key, { loaded, failed, renewedMs: clock.nowMs() });
      return await wait(() => join(key, 0, work));
    },
  };
}
