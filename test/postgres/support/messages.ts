// As much of PostgreSQL's protocol as is needed to find the answer to a COMMIT ("Message Formats" of its documentation).

/** Reads what passes on one connection. */
export interface MessageReader {
  /** Looks at what the client sends. */
  sent(chunk: Buffer): void;
  /**
   * Looks at what the server answers. Returns where in the chunk the answer to a COMMIT begins that succeeded, of a transaction
   * that has changed rows.
   */
  findCommit(chunk: Buffer): number | undefined;
}

const headerBytes = 5;
/** The code of a request for TLS, which the server answers with a single letter without a header. */
const tlsRequest = 80_877_103;
const commandComplete = "C".charCodeAt(0);
/** What the server says of a statement that has changed rows. */
const changed = /^(?:INSERT 0|UPDATE|DELETE) [1-9]/;

/** Returns a reader for a connection that begins now, without TLS. */
export function createMessageReader(): MessageReader {
  let unframed = 0;
  let isFirst = true;
  /** The beginning of a message whose rest has not come yet. */
  let started = Buffer.alloc(0);
  /** What is still to come of a message that is not looked at. */
  let toSkip = 0;
  let hasChanged = false;
  return {
    sent(chunk) {
      if (isFirst && chunk.length === 8 && chunk.readInt32BE(4) === tlsRequest) unframed += 1;
      else isFirst = false;
    },
    findCommit(chunk) {
      const skipped = Math.min(unframed + toSkip, chunk.length);
      toSkip = unframed + toSkip - skipped;
      unframed = 0;
      const carried = started.length;
      const bytes = Buffer.concat([started, chunk.subarray(skipped)]);
      started = Buffer.alloc(0);
      let at = 0;
      while (at < bytes.length) {
        if (bytes.length - at < headerBytes) {
          started = bytes.subarray(at);
          return undefined;
        }
        const end = at + 1 + bytes.readInt32BE(at + 1);
        const isCommand = bytes[at] === commandComplete;
        if (end > bytes.length && isCommand) {
          started = bytes.subarray(at);
          return undefined;
        }
        const command = isCommand ? bytes.toString("latin1", at + headerBytes, end - 1) : "";
        if (command === "COMMIT" && hasChanged) return Math.max(0, skipped + at - carried);
        if (changed.test(command)) hasChanged = true;
        if (command === "BEGIN") hasChanged = false;
        at = end;
      }
      toSkip += at - bytes.length;
      return undefined;
    },
  };
}
