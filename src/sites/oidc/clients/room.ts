import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import { networkOf } from "../../../kernel/base/network.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OidcClient } from "./client.ts";

/** The requests of clients that wait here for a browser. */
export type WaitingThing = "device" | "pushed request";

/**
 * How many of a kind may wait at the same time, for an application and from an address: nobody fills the tables. Anybody can
 * pretend to be a public client, so its limit is low. It is counted for each address, so that one address cannot block others.
 * Servers ask for all of their users from one address.
 */
export const maxWaiting = { ofPublicClient: 100, ofAuthenticatedClient: 1000 } as const;

/** Whose waiting things are counted together. */
export interface Holder {
  readonly applicationId: ApplicationId;
  /** Of which the network counts; undefined when it is unknown. */
  readonly remoteAddress: string | undefined;
}

/** Hashes the holder, so that no address is stored. */
export function hashHolder(keyring: Pick<Keyring, "mac">, thing: WaitingThing, holder: Holder): string {
  const { applicationId, remoteAddress } = holder;
  const name = `${thing} ${applicationId} ${networkOf(remoteAddress) ?? ""}`;
  return Buffer.from(keyring.mac("holder", name).value).toString("base64url");
}

/** Raises temporarily_unavailable (429) when so many wait for a holder that one more may not. */
export function requireRoom(
  { method }: Pick<OidcClient, "method">,
  thing: WaitingThing,
  waiting: {
    readonly count: number;
    /** When the first of them ends; undefined: none waits. */
    readonly firstEndMs: number | undefined;
    readonly nowMs: number;
  },
): void {
  const { count, firstEndMs, nowMs } = waiting;
  const most = method === "NONE" ? maxWaiting.ofPublicClient : maxWaiting.ofAuthenticatedClient;
  if (firstEndMs === undefined || count < most) return;
  const description = `too many ${thing}s of this client wait at this address; try again later`;
  throw new OAuthError("temporarily_unavailable", description, {
    status: 429,
    retryAfterMs: firstEndMs - nowMs,
  });
}
