import type { Editor } from "../../base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { type Details, type DetailsRow, toDetails } from "../../base/details.ts";
import type { OrganizationId, TokenId, UserId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { Appliers } from "../../events/event.ts";
import { removeSecretsOf } from "../../events/secret-store.ts";
import { tokenSecretId } from "./token.ts";
import type { UserState } from "./user.ts";

/** How events fill the table of tokens; part of the projection of users. */
export const tokenAppliers: Appliers = {
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
  "user.token.removed": (tx, { payload }) =>
    removeTokens(tx, {
      sql: "SELECT id FROM personal_access_tokens WHERE id = ?",
      parameters: [payload.token_id],
    }),
};

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

/** A token as its owner sees it. */
export interface ListedToken {
  readonly id: TokenId;
  readonly details: Details;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** Returns the token of that user, or undefined. */
export async function findTokenOfUser(
  tx: ReadTransaction,
  userId: UserId,
  id: string,
): Promise<ListedToken | undefined> {
  const row = await tx.get<ListedRow>("SELECT * FROM personal_access_tokens WHERE id = ? AND user_id = ?", [
    id,
    userId,
  ]);
  return row === undefined ? undefined : toListedToken(row);
}

/** Returns tokens of the user, oldest first, those that have expired too. */
export async function listTokens(
  tx: ReadTransaction,
  userId: UserId,
  page: PageQuery,
): Promise<readonly ListedToken[]> {
  const position = behind(page);
  const rows = await tx.all<ListedRow>(
    `SELECT * FROM personal_access_tokens WHERE user_id = ? AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [userId, ...position.parameters, page.limit],
  );
  return rows.map(toListedToken);
}

/** Counts all tokens of the user, up to `limit`. */
export async function countAllTokens(tx: ReadTransaction, userId: UserId, limit: number): Promise<number> {
  const row = await tx.get<{ total: number }>(
    "SELECT COUNT(*) AS total FROM (SELECT id FROM personal_access_tokens WHERE user_id = ? LIMIT ?) AS counted",
    [userId, limit],
  );
  return row?.total ?? 0;
}

/** Removes the tokens that the query names by `id`, those that were made with them, of whomever, and what is stored of each. */
export async function removeTokens(
  tx: WriteTransaction,
  first: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  const family = {
    sql: `WITH RECURSIVE family (id) AS (
       ${first.sql}
       UNION SELECT t.id FROM personal_access_tokens t JOIN family f ON t.made_with_token_id = f.id)
     SELECT id FROM family`,
    parameters: first.parameters,
  };
  await removeSecretsOf(tx, tokenSecretId(""), family);
  await tx.run(`DELETE FROM personal_access_tokens WHERE id IN (${family.sql})`, family.parameters);
}

interface TokenRow {
  readonly id: TokenId;
  readonly user_id: UserId;
  readonly expiration_ms: number | null;
  readonly resource_owner: OrganizationId;
  readonly user_state: UserState;
  readonly organization_state: Token["organizationState"];
}

interface ListedRow extends DetailsRow {
  readonly id: TokenId;
  readonly expiration_ms: number | null;
}

function toListedToken(row: ListedRow): ListedToken {
  return { id: row.id, details: toDetails(row), expirationMs: row.expiration_ms ?? undefined };
}
