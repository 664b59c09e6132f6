import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type Details, type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { OrganizationId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { defineListOfParts, type List } from "../../../kernel/base/list.ts";
import { countUpTo, equals, insertSql } from "../../../kernel/base/sql.ts";
import type { TokenRemovalPayload } from "../../../kernel/events/payloads.ts";
import type { Appliers, RecordedEvent } from "../../../kernel/events/event.ts";
import { removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import type { TargetTokenPayload } from "../../../kernel/events/delivery-payloads.ts";
import { clientSecretHashId, tokenNotFound, tokenSecretId } from "./token.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import { removeAccessTokensOf } from "../../logins/access-tokens/repository.ts";
import type { UserState } from "../../people/user/user.ts";

const columns = ["id", ...detailsColumns, "expiration_ms", "was_limited"];

const table = "credentials"; // which keys and secrets are in, too

const insertToken = insertSql(table, [
  "id",
  ...detailsColumns,
  "user_id",
  "expiration_ms",
  "creator",
  "made_with_token_id",
  "kind",
]);

/** How events fill the table of tokens; part of the projection of users. */
export const tokenAppliers: Appliers = {
  "user.token.added": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
    await tx.run(insertToken, [
      payload.token_id,
      date,
      date,
      resourceOwner,
      aggregateId,
      expirationMs,
      ...toOriginValues(event),
      "token",
    ]);
  },
  "user.token.removed": (tx, { payload }) =>
    removeTokens(
      tx,
      { sql: "SELECT id, user_id FROM credentials WHERE id = ?", parameters: [payload.token_id] },
      payload,
    ),
};

/**
 * Stores the token that a target is checked as, which nobody can make a call with. It is one of the editor; nothing is stored if that
 * user is gone.
 */
export async function addTargetToken(
  tx: WriteTransaction,
  event: Pick<RecordedEvent, "date" | "editor"> & { readonly payload: TargetTokenPayload },
): Promise<void> {
  const { date, editor, payload } = event;
  const expirationMs = payload.expiration_date === undefined ? null : Date.parse(payload.expiration_date);
  await tx.run(
    `INSERT INTO credentials
       (id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator, made_with_token_id, kind)
     SELECT ?, ?, ?, resource_owner, id, ?, ?, ?, 'target' FROM stored_users WHERE id = ?`,
    [payload.token_id, date, date, expirationMs, ...toOriginValues(event), editor],
  );
}

/**
 * A personal access token, or a key or a secret of a service user, with what decides whether it can be used. The hash of a token
 * is the secret `token:<token id>`.
 */
export interface Token {
  readonly tokenId: TokenId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly username: string;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
  readonly userState: UserState;
  readonly organizationState: "ACTIVE" | "INACTIVE";
  /** How often its user was locked. */
  readonly lockCount: number;
  /** Whether it does not carry all roles of its user. */
  readonly isLimited: boolean;
}

/** Returns the token, whatever its expiration and the states around it, or undefined. */
export async function findToken(tx: ReadTransaction, id: string): Promise<Token | undefined> {
  const row = await tx.get<TokenRow>(
    `SELECT t.id, t.user_id, t.expiration_ms, t.was_limited, u.resource_owner, u.username, u.state AS user_state,
       u.lock_count, o.state AS organization_state
     FROM credentials t JOIN users u ON u.id = t.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE t.id = ?`,
    [id],
  );
  if (row === undefined) return undefined;
  return {
    tokenId: row.id,
    userId: row.user_id,
    organizationId: row.resource_owner,
    username: row.username,
    expirationMs: row.expiration_ms ?? undefined,
    userState: row.user_state,
    organizationState: row.organization_state,
    lockCount: row.lock_count,
    isLimited: row.was_limited === 1 && (await isLimited(tx, row.id)),
  };
}

/** Returns the user of the token, key or secret; undefined when it is gone. */
export async function findTokenUser(tx: ReadTransaction, id: TokenId): Promise<UserId | undefined> {
  const row = await tx.get<{ user_id: UserId }>("SELECT user_id FROM credentials WHERE id = ?", [id]);
  return row?.user_id;
}

async function isLimited(tx: ReadTransaction, tokenId: TokenId): Promise<boolean> {
  const row = await tx.get(
    "SELECT 1 FROM left_out_roles l JOIN memberships m ON m.id = l.membership_id WHERE l.token_id = ? LIMIT 1",
    [tokenId],
  );
  return row !== undefined;
}

/** Counts the tokens of the user that have not expired, up to `limit`. */
export async function countTokens(
  tx: ReadTransaction,
  userId: UserId,
  asked: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const sql = "user_id = ? AND kind = 'token' AND (expiration_ms IS NULL OR expiration_ms > ?)";
  const where = { sql, parameters: [userId, asked.nowMs] };
  return await countUpTo(tx, asked.limit, { column: "id", from: table, where });
}

/** The maker of a token, and the token that it was made with. */
export interface TokenLineage {
  readonly id: TokenId;
  /** The maker, or another person that could have made it as the user. */
  readonly creator: Editor;
  /** Undefined for those that were made without one. */
  readonly madeWithTokenId: TokenId | undefined;
  /** The user of that token; undefined when there is none, or it is gone. */
  readonly parentUserId: UserId | undefined;
  readonly isParentLimited: boolean;
}

/** Returns where the tokens, keys and secrets of the user come from, oldest first, those that have expired too. */
export async function listLineages(tx: ReadTransaction, userId: UserId): Promise<readonly TokenLineage[]> {
  const rows = await tx.all<LineageRow>(
    `SELECT t.id, t.creator, t.made_with_token_id, p.user_id AS parent_user_id,
       EXISTS (SELECT 1 FROM left_out_roles l WHERE l.token_id = p.id) AS is_parent_limited
     FROM credentials t LEFT JOIN credentials p ON p.id = t.made_with_token_id
     WHERE t.user_id = ? ORDER BY t.creation_date, t.id`,
    [userId],
  );
  return rows.map((row) => ({
    id: row.id,
    creator: row.creator,
    madeWithTokenId: row.made_with_token_id ?? undefined,
    parentUserId: row.parent_user_id ?? undefined,
    isParentLimited: row.is_parent_limited === 1,
  }));
}

/** A token as its owner sees it, without the list of roles that it does not carry. */
export interface ListedToken {
  readonly id: TokenId;
  readonly details: Details;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
  /** Whether roles were left out for it, which may be gone by now. */
  readonly wasLimited: boolean;
}

/** Returns the token of that user. Raises NOT_FOUND. */
export async function getTokenOfUser(tx: ReadTransaction, userId: UserId, id: string): Promise<ListedToken> {
  const row = await tx.get<ListedRow>(
    `SELECT ${columns.join(", ")} FROM credentials WHERE id = ? AND user_id = ? AND kind = 'token'`,
    [id, userId],
  );
  if (row === undefined) throw tokenNotFound(id);
  return toListedToken(row);
}

/** The tokens of a user, those that have expired too. */
export const tokenList = defineCredentialList<ListedRow, ListedToken>({
  name: "ListPersonalAccessTokens",
  kind: "token",
  columns,
  toItems: (rows) => rows.map(toListedToken),
});

/** Defines the list of the credentials of one kind that a user has. */
export function defineCredentialList<Row extends object, T>({
  kind,
  ...source
}: {
  readonly name: string;
  readonly kind: "token" | "key";
  readonly columns: readonly string[];
  readonly toItems: (rows: readonly Row[]) => readonly T[];
}): List<AskedCredentials, T> {
  return defineListOfParts<AskedCredentials, Row, T>({
    ...source,
    from: table,
    indexes: [{ table, columns: ["user_id", "kind", "creation_date", "id"], isUnique: false }],
    keyOf: ({ userId }) => [userId],
    partsOf: ({ userId }) => [{ where: [equals("user_id", userId), equals("kind", kind)] }],
  });
}

/** Whose credentials a list is of. */
interface AskedCredentials {
  readonly userId: UserId;
}

/**
 * Removes the tokens, keys or secrets that the query names by `id` and `user_id`, those that their users made with them for
 * themselves, and what is stored of each.
 */
export async function removeTokens(
  tx: WriteTransaction,
  first: { readonly sql: string; readonly parameters: readonly string[] },
  { takes_tokens_for_others: takesAll }: TokenRemovalPayload,
): Promise<void> {
  const family = {
    sql: `WITH RECURSIVE family (id, user_id) AS (
       ${first.sql}
       UNION SELECT t.id, t.user_id FROM credentials t JOIN family f ON t.made_with_token_id = f.id
         ${takesAll === true ? "" : "AND t.user_id = f.user_id"})
     SELECT id FROM family`,
    parameters: first.parameters,
  };
  await removeSecretsOf(tx, tokenSecretId(""), family);
  await removeSecretsOf(tx, clientSecretHashId(""), family);
  await removeAccessTokensOf(tx, family);
  await tx.run(`DELETE FROM credentials WHERE id IN (${family.sql})`, family.parameters);
}

interface LineageRow {
  readonly id: TokenId;
  readonly creator: Editor;
  readonly made_with_token_id: TokenId | null;
  readonly parent_user_id: UserId | null;
  readonly is_parent_limited: number;
}

interface TokenRow {
  readonly id: TokenId;
  readonly user_id: UserId;
  readonly expiration_ms: number | null;
  readonly resource_owner: OrganizationId;
  readonly username: string;
  readonly user_state: UserState;
  readonly organization_state: Token["organizationState"];
  readonly lock_count: number;
  readonly was_limited: number;
}

interface ListedRow extends DetailsRow {
  readonly id: TokenId;
  readonly expiration_ms: number | null;
  readonly was_limited: number;
}

function toListedToken(row: ListedRow): ListedToken {
  return {
    id: row.id,
    details: toDetails(row),
    expirationMs: row.expiration_ms ?? undefined,
    wasLimited: row.was_limited === 1,
  };
}
