import type { FeatureContext } from "../../features/context.ts";
import type { SigningKeyCommands } from "../../features/signing-keys/commands.ts";
import { jwsAlgorithms } from "../../features/signing-keys/jwt.ts";
import type { SigningKey } from "../../features/signing-keys/signing-key.ts";

/** What the keys are read with. */
export interface KeySetPorts {
  readonly context: Pick<FeatureContext, "database">;
  readonly signingKeys: Pick<SigningKeyCommands, "listPublished">;
}

/** Reads the set of the public keys that others may trust now (RFC 7517 §5). */
export async function readKeySet({ context, signingKeys }: KeySetPorts): Promise<object> {
  await context.database.refresh(); // another process may have rotated
  return { keys: (await signingKeys.listPublished()).map(toJwk) };
}

function toJwk({ id, algorithm, publicKey }: SigningKey): object {
  return { ...publicKey, kid: id, alg: jwsAlgorithms[algorithm], use: "sig" };
}
