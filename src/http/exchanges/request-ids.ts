import type { Random } from "../../base/random.ts";

const idBytes = 16;
const idsPerDraw = 256;

/**
 * Returns what makes the ids of requests: 32 hexadecimal digits each. They are no secret, so many are drawn at a time: to
 * ask for random bytes costs more than the bytes.
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
