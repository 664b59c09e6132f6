import { measureBer } from "./ber.ts";

/** Collects bytes until they are whole messages. */
export interface MessageBuffer {
  /** Returns the messages that are whole with these bytes, oldest first. Raises a BerError. */
  take(data: Buffer): readonly Buffer[];
}

/** Creates a buffer. */
export function createMessageBuffer(): MessageBuffer {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = 2;
  return {
    take(data) {
      chunks.push(data);
      buffered += data.length;
      if (buffered < needed) return [];
      const messages: Buffer[] = [];
      let bytes = Buffer.concat(chunks);
      for (;;) {
        const length = measureBer(bytes);
        if (length === undefined || length > bytes.length) {
          chunks = [bytes];
          buffered = bytes.length;
          needed = length ?? bytes.length + 1;
          return messages;
        }
        messages.push(bytes.subarray(0, length));
        bytes = bytes.subarray(length);
      }
    },
  };
}
