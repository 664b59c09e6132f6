import { hash } from "node:crypto";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, InteractionId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { putSamlLogout } from "../../../identity/protocol-state/saml-logouts/repository.ts";
import {
  samlLogoutMs,
  type StoredSamlLogout,
} from "../../../identity/protocol-state/saml-logouts/saml-logout.ts";
import { hashCookie, newCookieValue, type PageCookie } from "../../login/cookies/cookies.ts";
import type { LogoutChain } from "./chain.ts";

/** A logout that goes on in a browser. */
export interface SamlLogout {
  readonly id: InteractionId;
  readonly cookieHash: string;
  readonly userId: UserId;
  readonly applicationId: ApplicationId | undefined;
  readonly chain: LogoutChain;
  readonly expirationMs: number;
}

/** Names the cookie by which a browser goes on with its logout. It has one: a later logout replaces an earlier one. */
export function logoutCookie(issuer: string): PageCookie {
  return { name: "gh_saml_logout", issuer };
}

/** Begins a logout. Nothing is stored yet. */
export function createLogout(
  { clock, random }: Pick<FeatureContext, "clock" | "random">,
  tx: Pick<WriteTransaction, "nextId">,
  { userId, chain }: Pick<SamlLogout, "userId" | "chain">,
): { readonly logout: SamlLogout; readonly cookie: Secret } {
  const cookie = newCookieValue(random);
  const logout = {
    id: tx.nextId<InteractionId>(),
    cookieHash: hashCookie(cookie),
    userId,
    applicationId: chain.asker.kind === "service-provider" ? chain.asker.applicationId : undefined,
    chain,
    expirationMs: clock.nowMs() + samlLogoutMs,
  };
  return { logout, cookie };
}

/** Stores a logout, encrypted: it holds the names of the user at applications. */
export async function storeLogout(
  tx: WriteTransaction,
  keyring: Keyring,
  { chain, ...logout }: SamlLogout,
): Promise<void> {
  const requestHash = chain.asked && hashRequestId(chain.asked.requestId);
  const content = keyring.encrypt("saml-logout", Buffer.from(JSON.stringify(chain)), contextOf(logout.id));
  await putSamlLogout(tx, { ...logout, requestHash, content });
}

/** Opens a stored logout; undefined when the key that it was encrypted with is gone. */
export function openLogout(keyring: Keyring, stored: StoredSamlLogout | undefined): SamlLogout | undefined {
  if (stored === undefined || !keyring.keyIds.includes(stored.content.keyId)) return undefined;
  const { id, cookieHash, userId, applicationId, expirationMs, content } = stored;
  const text = Buffer.from(keyring.decrypt("saml-logout", content, contextOf(id))).toString();
  const chain = JSON.parse(text) as LogoutChain; // written above
  return { id, cookieHash, userId, applicationId, chain, expirationMs };
}

/** Returns the hash by which the logout is found in which a LogoutRequest waits for its answer. */
export function hashRequestId(id: string): string {
  return hash("sha256", id, "base64url");
}

function contextOf(id: InteractionId): string {
  return `saml-logout:${id}`;
}
