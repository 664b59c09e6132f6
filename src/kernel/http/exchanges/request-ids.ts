import type { Random } from "../../base/random.ts";

const idBytes = 16;
const idsPerDraw = 256;

/**
 * Creates the ids of requests: 32 hexadecimal digits each. Many are drawn at a time, because asking for random bytes costs more
 * than the bytes, and the ids are not secret.
 */
export function createRequestIds(random: Random): () => string {
  let drawn = "";
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = Buffer.from(random.bytes(idBytes * idsPerDraw)).toString("hex");
      at = 0;
    }
    at += 2 * idBytes;
    return drawn.slice(at - 2 * idBytes, at);
  };
}
