import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { UserId } from "../../kernel/base/ids.ts";
import { hasLoginPasskey } from "../../identity/factors/passkeys/repository.ts";
import { type LoginState, type LoginUser, requireLoginUser } from "./login-state.ts";
import { findLoginUser } from "./login-users.ts";

/**
 * Says whether a passkey can be used at this point of a login: these pages have a relying party, and passkeys are allowed. Before the
 * first factor the organization that logs in decides that. After it the policy of the user alone decides: an application of somebody
 * else must not switch off what protects the user.
 */
export function isPasskeyOffered({
  user,
  policy,
  factorDomain,
}: Pick<LoginState, "user" | "policy" | "factorDomain">): boolean {
  return factorDomain !== undefined && (user?.policy ?? policy).allowPasskeys;
}

/** Says whether the user of a login has a passkey that can be used in it. */
export async function hasUsablePasskey(tx: ReadTransaction, state: LoginState): Promise<boolean> {
  const { factorDomain } = state;
  if (factorDomain === undefined || !isPasskeyOffered(state)) return false;
  return await hasLoginPasskey(tx, requireLoginUser(state).user.id, factorDomain);
}

/**
 * Finds the user whom a passkey names, if they may log in here with one: they are ACTIVE, of the organization that the application
 * asks for, the user who has proved a first factor already if there is one, and their policy allows passkeys too.
 */
export async function findPasskeyUser(
  tx: ReadTransaction,
  state: LoginState,
  userId: UserId,
): Promise<LoginUser | undefined> {
  if (!isPasskeyOffered(state) || (state.user !== undefined && state.user.user.id !== userId))
    return undefined;
  const { organizationId } = state.interaction.request;
  const found = await findLoginUser(tx, userId);
  if (found === undefined || !found.policy.allowPasskeys) return undefined;
  return organizationId === undefined || organizationId === found.organization.id ? found : undefined;
}
