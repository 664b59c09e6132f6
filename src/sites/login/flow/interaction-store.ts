import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import {
  hashInteractionHolder,
  type StoredInteraction,
} from "../../../identity/logins/interactions/interaction.ts";
import {
  findInteraction,
  putInteraction,
  putNewInteraction,
} from "../../../identity/logins/interactions/repository.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { hashCookie } from "../cookies/cookies.ts";
import type { Interaction } from "../interaction.ts";
import { requireVisit } from "../page-refusal.ts";

type Keys = Pick<FeatureContext, "keyring">;

/** An interaction with the cookie of its browser. */
export interface HeldInteraction {
  readonly interaction: Interaction;
  readonly cookie: Secret;
}

/** Stores an interaction that was stored before. Its content is encrypted: it holds values that only the application may read. */
export async function storeInteraction(
  { keyring }: Keys,
  tx: WriteTransaction,
  held: HeldInteraction,
): Promise<void> {
  await putInteraction(tx, seal(keyring, held));
}

/**
 * Stores a new interaction. Raises the refusal of a request that is no visit, and LIMIT_REACHED if too many wait already in the network
 * that it has come from.
 */
export async function storeNewInteraction(
  { keyring, clock }: Pick<FeatureContext, "keyring" | "clock">,
  tx: WriteTransaction,
  { exchange, ...held }: HeldInteraction & { readonly exchange: Exchange },
): Promise<void> {
  requireVisit(exchange);
  const holderHash = hashInteractionHolder(keyring, exchange.remoteAddress);
  await putNewInteraction(tx, seal(keyring, held), { holderHash, nowMs: clock.nowMs() });
}

function seal(keyring: Keys["keyring"], { interaction, cookie }: HeldInteraction): StoredInteraction {
  const { id, user, expirationMs, ...content } = interaction;
  const text = Buffer.from(JSON.stringify({ user, ...content }));
  return {
    id,
    cookieHash: hashCookie(cookie),
    userId: user?.id,
    applicationId: interaction.request.applicationId,
    content: keyring.encrypt("interaction", text, id),
    expirationMs,
  };
}

/** Finds the interaction of a cookie; undefined when there is none, or when the key that it was encrypted with is gone. */
export async function loadInteraction(
  { keyring }: Keys,
  tx: ReadTransaction,
  asked: { readonly id: string; readonly cookie: Secret; readonly nowMs: number },
): Promise<Interaction | undefined> {
  const { id, cookie, nowMs } = asked;
  const stored = await findInteraction(tx, { id, cookieHash: hashCookie(cookie), nowMs });
  if (stored === undefined || !keyring.keyIds.includes(stored.content.keyId)) return undefined;
  const text = Buffer.from(keyring.decrypt("interaction", stored.content, stored.id)).toString();
  const { isEnded, ...content } = JSON.parse(text) as StoredContent; // written above
  const ended = content.ended ?? (isEnded === true ? "signed-in" : undefined);
  return { ...content, ended, id: stored.id, expirationMs: stored.expirationMs };
}

/** The stored form of an interaction, also that of releases without the end of the login. */
interface StoredContent extends Omit<Interaction, "id" | "expirationMs" | "ended"> {
  readonly ended?: Interaction["ended"];
  readonly isEnded?: boolean;
}
