import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type ApplicationId, type InteractionId, toId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import {
  hashLogoutHolder,
  type LogoutOrigin,
  maxWaitingLogouts,
} from "../../../identity/logins/interactions/interaction.ts";
import {
  findInteraction,
  putInteraction,
  putNewLogout,
} from "../../../identity/logins/interactions/repository.ts";
import type { LogoutRequest } from "./logout-request.ts";

/** A request to log out that waits for the user, or for the cookie of the session. */
export interface PendingLogout {
  readonly id: InteractionId;
  /** Of the cookie that the browser has for it. */
  readonly cookieHash: string;
  readonly request: LogoutRequest;
  readonly expirationMs: number;
}

/**
 * Stores a request, encrypted: it holds values of the application. Where too many of its origin wait, the oldest goes: a logout is never
 * refused. Without an origin none is too many.
 */
export async function putPendingLogout(
  tx: WriteTransaction,
  keyring: Keyring,
  { request, origin, ...pending }: PendingLogout & { readonly origin: LogoutOrigin | undefined },
): Promise<void> {
  const text = Buffer.from(JSON.stringify(request));
  const content = keyring.encrypt("interaction", text, contextOf(pending.id));
  const clientId = request.target?.clientId;
  const applicationId = clientId === undefined ? undefined : toId<ApplicationId>(clientId);
  const stored = { ...pending, userId: undefined, applicationId, content };
  if (origin === undefined) return await putInteraction(tx, stored);
  const holderHash = hashLogoutHolder(keyring, origin);
  await putNewLogout(tx, stored, { holderHash, max: maxWaitingLogouts(origin) });
}

/** Finds the request of a cookie whose time is not over. */
export async function findPendingLogout(
  tx: ReadTransaction,
  keyring: Keyring,
  asked: { readonly id: string; readonly cookieHash: string; readonly nowMs: number },
): Promise<PendingLogout | undefined> {
  const stored = await findInteraction(tx, asked);
  if (stored === undefined) return undefined;
  const { id, cookieHash, expirationMs } = stored;
  const bytes = keyring.decrypt("interaction", stored.content, contextOf(id));
  const request = JSON.parse(Buffer.from(bytes).toString("utf8")) as LogoutRequest; // stored above
  return { id, cookieHash, expirationMs, request };
}

/** A login cannot be taken for a logout, nor the other way round. */
function contextOf(id: InteractionId): string {
  return `logout:${id}`;
}
