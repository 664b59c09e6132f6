/** Collects chunks in one growing buffer, so that a body in pieces of one byte costs no more than its length. */
export interface ByteSink {
  readonly length: number;
  append(chunk: Uint8Array): void;
  bytes(): Uint8Array;
  /** Takes the first `count` bytes out. */
  take(count: number): Uint8Array;
}

/** Creates an empty sink. A first chunk is taken over without a copy, and belongs to the sink from then on. */
export function createByteSink(): ByteSink {
  let buffer: Uint8Array = new Uint8Array(0);
  let start = 0;
  let end = 0;
  return {
    get length() {
      return end - start;
    },
    append(chunk) {
      if (start === end) {
        buffer = chunk;
        start = 0;
        end = chunk.length;
        return;
      }
      // A chunk that is used as it came is never written to: it is full, so the first append makes a new buffer.
      if (end + chunk.length > buffer.length) {
        const length = end - start;
        const grown = new Uint8Array(Math.max(1024, 2 * (length + chunk.length)));
        grown.set(buffer.subarray(start, end));
        [buffer, start, end] = [grown, 0, length];
      }
      buffer.set(chunk, end);
      end += chunk.length;
    },
    bytes: () => buffer.subarray(start, end),
    take(count) {
      const taken = buffer.slice(start, start + count);
      start += count;
      return taken;
    },
  };
}
