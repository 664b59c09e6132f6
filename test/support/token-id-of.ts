import type { Caller } from "../../src/kernel/base/call.ts";
import type { TokenId } from "../../src/kernel/base/ids.ts";

/** Returns the token of a caller who called with one. */
export function tokenIdOf({ tokenId }: Caller): TokenId {
  if (tokenId === undefined) throw new Error("the caller has logged in instead of using a token");
  return tokenId;
}
