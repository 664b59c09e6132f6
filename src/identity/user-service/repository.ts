import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { TokenRemovalPayload } from "../../kernel/events/payloads.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { organizationKeyId, userKeyPrefix } from "../../kernel/events/personal-data.ts";
import { removeSecret, removeSecretsOf } from "../../kernel/events/secret-store.ts";
import { removeTriesOf } from "../logins/tries/repository.ts";
import { removeCodesOf } from "../people/codes/repository.ts";
import { invitationAppliers } from "../people/invitations/repository.ts";
import { emailAppliers } from "../people/emails/repository.ts";
import { passwordAppliers, removePasswordHashesOf } from "../people/passwords/repository.ts";
import { removeMessageCountersOf, removeOrganizationCounters } from "../people/messages/repository.ts";
import { phoneAppliers } from "../people/phones/repository.ts";
import { raiseCounter, removeAuthenticators } from "../factors/authenticators/repository.ts";
import { codeFactorAppliers } from "../factors/code-factors/repository.ts";
import { passkeyKind } from "../factors/passkeys/passkey.ts";
import { passkeyAppliers } from "../factors/passkeys/repository.ts";
import { recoveryCodeAppliers, removeRecoveryCodesOf } from "../factors/recovery-codes/repository.ts";
import { secondFactorAppliers } from "../factors/second-factors/repository.ts";
import { u2fKind } from "../factors/second-factors/u2f.ts";
import { identityLinkAppliers, removeIdentityLinks } from "../people/identity-links/repository.ts";
import { keyAppliers } from "../programs/keys/repository.ts";
import { secretAppliers } from "../programs/secrets/repository.ts";
import { takenOfUsers } from "./taken-repository.ts";
import { removeTokens, tokenAppliers } from "../programs/tokens/repository.ts";
import { removeTimeStepsOf, removeTotpSecretsOf, totpAppliers } from "../factors/totp/repository.ts";
import { userAppliers } from "../people/user/repository.ts";

/**
 * The users with their phones, second factors, passkeys, links, tokens, keys and secrets: one projection, because all of it is removed
 * with the user.
 */
export const userProjection: Projection = {
  tables: [
    "stored_users",
    "imported_ids",
    "second_factors",
    "passkeys",
    "recovery_codes",
    "idp_links",
    "credentials",
  ],
  on: {
    ...userAppliers,
    ...phoneAppliers,
    ...emailAppliers,
    ...passwordAppliers,
    ...invitationAppliers,
    ...secondFactorAppliers,
    ...passkeyAppliers,
    ...totpAppliers,
    ...codeFactorAppliers,
    ...recoveryCodeAppliers,
    "session.checked": raiseCounter,
    ...tokenAppliers,
    ...identityLinkAppliers,
    ...keyAppliers,
    ...secretAppliers,
    "user.removed": (tx, { aggregateId, payload }) =>
      removeUsers(
        tx,
        { sql: "SELECT id FROM stored_users WHERE id = ?", parameters: [aggregateId] },
        payload,
      ),
    "organization.removed": async (tx, { aggregateId, payload }) => {
      if (payload.takes_tokens_for_others === true) await removeTokensOf(tx, usersOf(aggregateId), payload);
      await removeSecret(tx, organizationKeyId(aggregateId)); // without it, nothing opens the keys of its users
      await removeOrganizationCounters(tx, aggregateId);
    },
  },
  owned: [{ ids: "SELECT id FROM stored_users WHERE resource_owner = ?", removal: "user.removed" }],
  takenAlong: takenOfUsers,
};

/** Names users by `id`. */
interface UserQuery {
  readonly sql: string;
  readonly parameters: readonly string[];
}

/**
 * Removes the users that the query names by `id`, with their tokens, second factors, passkeys, codes and keys. The secrets that it
 * destroys have the id of a user, factor, passkey or token, which is never used again.
 */
async function removeUsers(
  tx: WriteTransaction,
  users: UserQuery,
  removal: TokenRemovalPayload,
): Promise<void> {
  const { sql, parameters } = users;
  await removeTokensOf(tx, users, removal);
  await removeTotpSecretsOf(tx, {
    sql: `SELECT id FROM second_factors WHERE user_id IN (${sql})`,
    parameters,
  });
  for (const kind of [u2fKind, passkeyKind])
    await removeAuthenticators(tx, kind, {
      sql: `SELECT id FROM ${kind.table} WHERE user_id IN (${sql})`,
      parameters,
    });
  await removeTimeStepsOf(tx, users);
  await removeRecoveryCodesOf(tx, users);
  await removeIdentityLinks(tx, users);
  await removeCodesOf(tx, users);
  await removeMessageCountersOf(tx, users);
  await removePasswordHashesOf(tx, users);
  await removeTriesOf(tx, users);
  await removeSecretsOf(tx, userKeyPrefix, users);
  await tx.run(`DELETE FROM stored_users WHERE id IN (${sql})`, parameters);
}

async function removeTokensOf(
  tx: WriteTransaction,
  { sql, parameters }: UserQuery,
  removal: TokenRemovalPayload,
): Promise<void> {
  const first = `SELECT id, user_id FROM credentials WHERE user_id IN (${sql})`;
  await removeTokens(tx, { sql: first, parameters }, removal);
}

function usersOf(organizationId: string): UserQuery {
  return { sql: "SELECT id FROM stored_users WHERE resource_owner = ?", parameters: [organizationId] };
}
