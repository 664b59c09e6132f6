import type { Editor } from "../../base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { OrganizationId, TokenId, UserId } from "../../base/ids.ts";
import type { RecordedPayload } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
import { removeSecret } from "../../events/secret-store.ts";
import { secondFactorAppliers } from "./second-factor-repository.ts";
import { tokenSecretId } from "./token.ts";
import { type User, type UserState, userNotFound } from "./user.ts";

export const userProjection: Projection = {
  tables: ["users", "second_factors", "personal_access_tokens"],
  on: {
    "user.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO users (id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name,
           family_name, display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?, ?)`,
        [aggregateId, date, date, resourceOwner, payload.kind, ...toColumns(payload)],
      );
    },
    "user.phone.set": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE users SET phone = ?, is_phone_verified = 0, sequence = ? WHERE id = ?", [
        payload.phone ?? null,
        date,
        aggregateId,
      ]);
    },
    "user.phone.code.added": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE users SET sequence = ? WHERE id = ?", [date, aggregateId]);
    },
    "user.phone.verified": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE users SET is_phone_verified = 1, sequence = ? WHERE id = ?", [date, aggregateId]);
    },
    ...secondFactorAppliers,
    "user.token.added": async (tx, { aggregateId, resourceOwner, date, editor, payload }) => {
      const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
      await tx.run(
        `INSERT INTO personal_access_tokens (id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator,
           made_with_token_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          payload.token_id,
          date,
          date,
          resourceOwner,
          aggregateId,
          expirationMs,
          editor,
          payload.made_with_token_id ?? null,
        ],
      );
    },
    "user.token.removed": (tx, { payload }) => removeTokenAndItsChildren(tx, payload.token_id),
  },
};

/** Returns the user of that organization, or undefined. */
export async function findUser(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<User | undefined> {
  const row = await tx.get<UserRow>("SELECT * FROM users WHERE id = ? AND resource_owner = ?", [
    id,
    organizationId,
  ]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the user, whatever his organization, or undefined. */
export async function findUserById(tx: ReadTransaction, id: string): Promise<User | undefined> {
  const row = await tx.get<UserRow>("SELECT * FROM users WHERE id = ?", [id]);
  return row === undefined ? undefined : toUser(row);
}

/** Returns the user of that organization. Raises NOT_FOUND. */
export async function getUser(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<User> {
  const user = await findUser(tx, organizationId, id);
  if (user === undefined) throw userNotFound(id);
  return user;
}

/** Says whether a user of the instance has a username that counts as the same. */
export async function isUsernameTaken(tx: ReadTransaction, username: string): Promise<boolean> {
  const row = await tx.get<{ id: string }>("SELECT id FROM users WHERE folded_username = ?", [
    foldName(username),
  ]);
  return row !== undefined;
}

/** A token with what decides whether it can be used. Its hash is the secret `token:<token id>`. */
export interface Token {
  readonly tokenId: TokenId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
  readonly userState: UserState;
  readonly organizationState: "ACTIVE" | "INACTIVE";
}

/** Returns the token, whatever its expiration and the states around it, or undefined. */
export async function findToken(tx: ReadTransaction, id: string): Promise<Token | undefined> {
  const row = await tx.get<TokenRow>(
    `SELECT t.id, t.user_id, t.expiration_ms, u.resource_owner, u.state AS user_state, o.state AS organization_state
     FROM personal_access_tokens t JOIN users u ON u.id = t.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE t.id = ?`,
    [id],
  );
  if (row === undefined) return undefined;
  return {
    tokenId: row.id,
    userId: row.user_id,
    organizationId: row.resource_owner,
    expirationMs: row.expiration_ms ?? undefined,
    userState: row.user_state,
    organizationState: row.organization_state,
  };
}

/** Counts the tokens of the user that have not expired, up to `limit`. */
export async function countTokens(
  tx: ReadTransaction,
  userId: UserId,
  asked: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT id FROM personal_access_tokens
     WHERE user_id = ? AND (expiration_ms IS NULL OR expiration_ms > ?) LIMIT ?) AS counted`,
    [userId, asked.nowMs, asked.limit],
  );
  return row?.total ?? 0;
}

/** A token that another user made. */
export interface TokenByAnother {
  readonly tokenId: TokenId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /** The user who made it. */
  readonly creator: string;
}

/**
 * Returns the tokens of the user that other users made for him, oldest first. Those that the service itself made (first
 * start, command line) are left out: they are nobody's. Those that were made with one of them go with it.
 */
export async function listTokensMadeByOthers(
  tx: ReadTransaction,
  userId: string,
): Promise<readonly TokenByAnother[]> {
  const system: Editor = "system";
  const rows = await tx.all<{
    id: TokenId;
    user_id: UserId;
    resource_owner: OrganizationId;
    creator: string;
  }>(
    `SELECT id, user_id, resource_owner, creator FROM personal_access_tokens
     WHERE user_id = ? AND creator <> user_id AND creator <> ? ORDER BY creation_date, id`,
    [userId, system],
  );
  return rows.map((row) => ({
    tokenId: row.id,
    userId: row.user_id,
    organizationId: row.resource_owner,
    creator: row.creator,
  }));
}

interface UserRow extends DetailsRow {
  readonly id: UserId;
  readonly state: UserState;
  readonly kind: User["kind"];
  readonly username: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly display_name: string | null;
  readonly preferred_language: string | null;
  readonly email: string | null;
  readonly is_email_verified: number;
  readonly phone: string | null;
  readonly is_phone_verified: number;
  readonly name: string | null;
  readonly description: string | null;
}

interface TokenRow {
  readonly id: TokenId;
  readonly user_id: UserId;
  readonly expiration_ms: number | null;
  readonly resource_owner: OrganizationId;
  readonly user_state: UserState;
  readonly organization_state: Token["organizationState"];
}

function toUser(row: UserRow): User {
  const base = { id: row.id, details: toDetails(row), state: row.state, username: row.username ?? "" };
  if (row.kind === "service") {
    return { ...base, kind: "service", name: row.name ?? "", description: row.description ?? "" };
  }
  return {
    ...base,
    kind: "human",
    givenName: row.given_name ?? "",
    familyName: row.family_name ?? "",
    displayName: row.display_name ?? "",
    preferredLanguage: row.preferred_language ?? "",
    email: row.email ?? "",
    isEmailVerified: row.is_email_verified === 1,
    phone: row.phone ?? "",
    isPhoneVerified: row.is_phone_verified === 1,
  };
}

function toColumns(payload: RecordedPayload<"user.added">) {
  return [
    payload.username ?? null,
    payload.username === undefined ? null : foldName(payload.username),
    payload.given_name ?? null,
    payload.family_name ?? null,
    payload.display_name ?? null,
    payload.preferred_language ?? null,
    payload.email ?? null,
    payload.phone ?? null,
    payload.name ?? null,
    payload.description ?? null,
  ];
}

async function removeTokenAndItsChildren(tx: WriteTransaction, id: string): Promise<void> {
  const family = `WITH RECURSIVE family (id) AS (
       SELECT id FROM personal_access_tokens WHERE id = ?
       UNION SELECT t.id FROM personal_access_tokens t JOIN family f ON t.made_with_token_id = f.id)`;
  const rows = await tx.all<{ id: string }>(`${family} SELECT id FROM family`, [id]);
  await tx.run(`${family} DELETE FROM personal_access_tokens WHERE id IN (SELECT id FROM family)`, [id]);
  for (const row of rows) await removeSecret(tx, tokenSecretId(row.id));
}
