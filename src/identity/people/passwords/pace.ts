/** How long comparisons with hashes take here, by the headers of the hashes. */
export interface Pace {
  /** Measures a comparison. */
  measure<T>(header: string, work: () => Promise<T>): Promise<T>;
  /** The median of the last comparisons, in milliseconds; undefined before the first. */
  usualMs(header: string): number | undefined;
}

/** So many of the last comparisons count. */
const remembered = 9;
/** So many headers are known: more than are asked about, however many there are. */
const maxHeaders = 32;

/** Creates the pace of a process. `nowMs`: a clock that only goes forward. */
export function createPace(nowMs: () => number): Pace {
  const seen = new Map<string, number[]>();
  const note = (header: string, tookMs: number) => {
    const last = seen.get(header) ?? [];
    last.push(tookMs);
    if (last.length > remembered) last.shift();
    seen.delete(header); // the one that was used last is the last to go
    seen.set(header, last);
    const [oldest] = seen.keys();
    if (seen.size > maxHeaders && oldest !== undefined) seen.delete(oldest);
  };
  return {
    async measure(header, work) {
      const startMs = nowMs();
      const result = await work();
      note(header, nowMs() - startMs);
      return result;
    },
    usualMs(header) {
      const last = seen.get(header)?.toSorted((one, other) => one - other);
      return last?.[Math.floor(last.length / 2)];
    },
  };
}
