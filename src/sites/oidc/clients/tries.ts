import { networkOf } from "../../../kernel/base/network.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { findTries, putTries } from "./repository.ts";

/** How many wrong tries a client may make from an address within the time below. */
export const maxTries = 100;
const windowMs = 60_000;

/** The same for clients that do not exist. */
const credentialsWrong = "the client is unknown, or its credentials are wrong";
const assertionUnsigned =
  "the client is unknown, or none of its keys in force has signed the assertion; kid, if sent, must name that key";

/** The client that tries, and its address. All clients that do not exist are counted as one, or anybody could fill the table. */
export interface Trying {
  /** Undefined: there is no such client. */
  readonly clientId: string | undefined;
  readonly remoteAddress: string | undefined;
  /** Whether an assertion was sent, so that the refusal says which rule it broke. Default: false. */
  readonly isByAssertion?: boolean;
}

/**
 * Counts a wrong authentication, and returns its refusal: invalid_client, and from the 101st within a minute on 429. Right ones
 * are never counted or refused, so that nobody can shut a service out by wrong ones.
 */
export async function refuseWrongTry(
  { database, keyring, clock }: Pick<FeatureContext, "database" | "keyring" | "clock">,
  { clientId = "", remoteAddress, isByAssertion = false }: Trying,
): Promise<OAuthError> {
  const nowMs = clock.nowMs();
  const hash = counterOf(keyring, { clientId, remoteAddress });
  const before = await database.read((tx) => findTries(tx, hash, nowMs));
  if (before !== undefined && before.count >= maxTries) return tooManyTries(before.expirationMs - nowMs);
  await database.write(async (tx) => {
    const tries = (await findTries(tx, hash, nowMs)) ?? { count: 0, expirationMs: nowMs + windowMs };
    await putTries(tx, hash, { ...tries, count: tries.count + 1 });
  });
  return new OAuthError("invalid_client", isByAssertion ? assertionUnsigned : credentialsWrong);
}

/**
 * Refuses clients from an address with too many wrong tries before anything is compared, for a secret that takes time and memory to
 * compare with: 429.
 */
export async function requireTriesLeft(
  { database, keyring, clock }: Pick<FeatureContext, "database" | "keyring" | "clock">,
  trying: Pick<Trying, "clientId" | "remoteAddress">,
): Promise<void> {
  const nowMs = clock.nowMs();
  const before = await database.read((tx) => findTries(tx, counterOf(keyring, trying), nowMs));
  if ((before?.count ?? 0) >= maxTries) throw tooManyTries((before?.expirationMs ?? nowMs) - nowMs);
}

function counterOf(
  keyring: FeatureContext["keyring"],
  { clientId = "", remoteAddress }: Pick<Trying, "clientId" | "remoteAddress">,
): string {
  const name = `${networkOf(remoteAddress) ?? ""} ${clientId}`;
  return Buffer.from(keyring.mac("client-try", name).value).toString("base64url");
}

function tooManyTries(retryAfterMs: number): OAuthError {
  const description = "the credentials are wrong, as were too many before them; try again later";
  return new OAuthError("invalid_client", description, { status: 429, retryAfterMs });
}
