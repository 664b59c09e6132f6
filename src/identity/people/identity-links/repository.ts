import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { IdentityLinkId, IdentityProviderId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import { countUpTo, insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import { type IdentityLink, identityLinkNotFound, type LinkLineage } from "./identity-link.ts";

const columns = [
  "id",
  ...detailsColumns,
  "user_id",
  "idp_id",
  "issuer",
  "external_user_id",
  "external_username",
];
const select = `SELECT ${columns.join(", ")} FROM idp_links`;

const insertLink = insertSql("idp_links", [...columns, "creator", "made_with_token_id"]);

/** Number of links that are removed with their provider before other work gets a turn. */
const portion = 256;

/** Appliers of links; part of the projection of users. */
export const identityLinkAppliers: Appliers = {
  "user.idp_link.added": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    // The key of the user is destroyed: the removal of the user follows.
    if (payload.external_user_id === undefined) return;
    const names = [payload.external_user_id, payload.external_username ?? null];
    const values = [payload.link_id, date, date, resourceOwner, aggregateId, payload.idp_id, payload.issuer];
    await tx.run(insertLink, [...values, ...names, ...toOriginValues(event)]);
  },
  "user.idp_link.removed": async (tx, { payload }) => {
    await tx.run("DELETE FROM idp_links WHERE id = ?", [payload.link_id]);
  },
  // Neither changes anything that a list of links shows, so the date of the link stays.
  "user.idp_link.questioned": async (tx, { payload }) => {
    await tx.run("UPDATE idp_links SET is_questioned = 1 WHERE id = ?", [payload.link_id]);
  },
  "user.idp_link.kept": async (tx, { aggregateId, payload }) => {
    await tx.run(
      "UPDATE idp_links SET is_questioned = 0, creator = ?, made_with_token_id = NULL WHERE id = ?",
      [aggregateId, payload.link_id],
    );
  },
  "identity_provider.removed": (tx, { aggregateId }) => removeLinksOfProvider(tx, aggregateId),
};

/** Removes the links of the users that the query names by `id`. */
export async function removeIdentityLinks(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM idp_links WHERE user_id IN (${users.sql})`, users.parameters);
}

/** Finds the link of an identity of a provider, whatever the issuer of the provider was when it was made. */
export async function findIdentityLink(
  tx: ReadTransaction,
  providerId: IdentityProviderId,
  externalUserId: string,
): Promise<StoredIdentityLink | undefined> {
  const row = await tx.get<IdentityLinkRow & { readonly is_questioned: number }>(
    `SELECT ${columns.join(", ")}, is_questioned FROM idp_links WHERE idp_id = ? AND external_user_id = ?`,
    [providerId, externalUserId],
  );
  return row && { ...toIdentityLink(row), isQuestioned: row.is_questioned === 1 };
}

/** A link, and whether the user is still to decide about it. */
export interface StoredIdentityLink extends IdentityLink {
  readonly isQuestioned: boolean;
}

/** Returns the link of that user. Raises NOT_FOUND. */
export async function getIdentityLink(
  tx: ReadTransaction,
  userId: UserId,
  of: { readonly providerId: string; readonly externalUserId: string },
): Promise<IdentityLink> {
  const row = await tx.get<IdentityLinkRow>(
    `${select} WHERE idp_id = ? AND external_user_id = ? AND user_id = ?`,
    [of.providerId, of.externalUserId, userId],
  );
  if (row === undefined) throw identityLinkNotFound(of.externalUserId);
  return toIdentityLink(row);
}

/** Counts the links of the user, up to `limit`. */
export async function countIdentityLinks(
  tx: ReadTransaction,
  userId: UserId,
  limit: number,
): Promise<number> {
  const where = { sql: "user_id = ?", parameters: [userId] };
  return await countUpTo(tx, limit, { column: "id", from: "idp_links", where });
}

/** The links of a user. */
export const identityLinkList = defineList<object, IdentityLinkRow, NamedIdentityLink>({
  name: "ListIdpLinks",
  from: "idp_links",
  of: "user_id",
  columns,
  filters: {},
  toItems: async (rows, tx) => {
    const links: NamedIdentityLink[] = [];
    for (const row of rows) links.push(await toNamed(tx, row));
    return links;
  },
});

/** A link with the name of its provider. */
export interface NamedIdentityLink extends IdentityLink {
  readonly providerName: string;
}

/** Lists the users responsible for each link of the user, oldest first. */
export async function listLinkLineages(tx: ReadTransaction, userId: UserId): Promise<readonly LinkLineage[]> {
  const rows = await tx.all<LinkLineageRow>(
    `SELECT l.id, l.resource_owner, l.creator, l.made_with_token_id, p.user_id AS parent_user_id
     FROM idp_links l LEFT JOIN credentials p ON p.id = l.made_with_token_id
     WHERE l.user_id = ? ORDER BY l.creation_date, l.id`,
    [userId],
  );
  return rows.map((row) => ({
    id: row.id,
    userId,
    details: { resourceOwner: row.resource_owner },
    creator: row.creator,
    madeWithTokenId: row.made_with_token_id ?? undefined,
    parentUserId: row.parent_user_id ?? undefined,
  }));
}

/** Lists the links that the user is to keep or to remove, oldest first. */
export async function listQuestionedLinks(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly NamedIdentityLink[]> {
  const rows = await tx.all<IdentityLinkRow>(
    `${select} WHERE user_id = ? AND is_questioned = 1 ORDER BY creation_date, id`,
    [userId],
  );
  const links: NamedIdentityLink[] = [];
  for (const row of rows) links.push(await toNamed(tx, row));
  return links;
}

interface IdentityLinkRow extends DetailsRow {
  readonly id: IdentityLinkId;
  readonly user_id: UserId;
  readonly idp_id: IdentityProviderId;
  readonly issuer: string;
  readonly external_user_id: string;
  readonly external_username: string | null;
}

interface LinkLineageRow {
  readonly id: IdentityLinkId;
  readonly resource_owner: string;
  readonly creator: Editor;
  readonly made_with_token_id: TokenId | null;
  readonly parent_user_id: UserId | null;
}

function toIdentityLink(row: IdentityLinkRow): IdentityLink {
  return {
    id: row.id,
    details: toDetails(row),
    userId: row.user_id,
    providerId: row.idp_id,
    issuer: row.issuer,
    externalUserId: row.external_user_id,
    externalUsername: row.external_username ?? "",
  };
}

async function toNamed(tx: ReadTransaction, row: IdentityLinkRow): Promise<NamedIdentityLink> {
  const provider = await tx.get<{ name: string }>("SELECT name FROM identity_providers WHERE id = ?", [
    row.idp_id,
  ]);
  return { ...toIdentityLink(row), providerName: provider?.name ?? "" };
}

/** There may be as many as the organization has users. */
async function removeLinksOfProvider(tx: WriteTransaction, providerId: string): Promise<void> {
  const read = () =>
    tx.all<{ readonly id: string }>(`SELECT id FROM idp_links WHERE idp_id = ? LIMIT ${portion}`, [
      providerId,
    ]);
  for (let rows = await read(); rows.length > 0; rows = await read()) {
    for (const { id } of rows) await tx.run("DELETE FROM idp_links WHERE id = ?", [id]);
    if (rows.length < portion) return;
    await tx.pause();
  }
}
