import type { FeatureContext } from "../../../identity/context.ts";
import type { SigningKeyCommands } from "../../../identity/signing-keys/commands.ts";
import { jwsAlgorithms } from "../../../identity/signing-keys/jwt.ts";
import type { SigningKey } from "../../../identity/signing-keys/signing-key.ts";

/** What the keys are read with. */
export interface KeySetPorts {
  readonly context: Pick<FeatureContext, "database">;
  readonly signingKeys: Pick<SigningKeyCommands, "listPublished">;
}

/**
 * Reads the set of the public keys that others may trust now (RFC 7517 §5): those of RSA first, then EC, then OKP, of each kind the
 * newest first. The order means nothing by the standard, but some libraries take the first key whatever its kind, and RS256 is the
 * default.
 */
export async function readKeySet({ context, signingKeys }: KeySetPorts): Promise<object> {
  await context.database.refresh(); // another process may have rotated
  const newestFirst = (await signingKeys.listPublished()).toReversed();
  return { keys: newestFirst.toSorted((left, right) => placeOf(left) - placeOf(right)).map(toJwk) };
}

/** In the order in which the keys are shown. */
const kinds: readonly unknown[] = ["RSA", "EC", "OKP"];

function placeOf({ publicKey }: SigningKey): number {
  return kinds.indexOf(publicKey["kty"]);
}

function toJwk({ id, algorithm, publicKey }: SigningKey): object {
  return { ...publicKey, kid: id, alg: jwsAlgorithms[algorithm], use: "sig" };
}
