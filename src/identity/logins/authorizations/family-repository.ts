import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { ApplicationId, AuthorizationId, UserId } from "../../../kernel/base/ids.ts";
import { defineListOfParts } from "../../../kernel/base/list.ts";
import { equals } from "../../../kernel/base/sql.ts";
import { type RefreshFamily, refreshTokenNotFound } from "./authorization.ts";
import { toScopes } from "./repository.ts";

/** Returns the refresh token of that user if it can still be used. Raises NOT_FOUND. */
export async function getRefreshFamily(
  tx: ReadTransaction,
  { userId, nowMs }: AskedFamilies,
  id: string,
): Promise<RefreshFamily> {
  const row = await tx.get<RefreshFamilyRow>(
    `SELECT ${familyColumns.join(", ")} FROM authorizations
     WHERE id = ? AND user_id = ? AND has_refresh = 1 AND is_ended = 0 AND expiration_ms > ?`,
    [id, userId, nowMs],
  );
  if (row === undefined) throw refreshTokenNotFound(id);
  return toRefreshFamily(row);
}

/** Whose refresh tokens a list is of, and when. */
export interface AskedFamilies {
  readonly userId: UserId;
  readonly nowMs: number;
}

const familyColumns = ["id", ...detailsColumns, "application_id", "auth_time_ms", "expiration_ms", "scope"];

/** The refresh tokens of a user that can still be used. */
export const refreshFamilyList = defineListOfParts<AskedFamilies, RefreshFamilyRow, RefreshFamily>({
  name: "ListRefreshTokens",
  from: "authorizations",
  columns: familyColumns,
  indexes: [
    {
      table: "authorizations",
      columns: ["user_id", "has_refresh", "is_ended", "creation_date", "id"],
      isUnique: false,
    },
  ],
  keyOf: ({ userId }) => [userId],
  partsOf: ({ userId, nowMs }) => [
    {
      where: [
        equals("user_id", userId),
        equals("has_refresh", 1),
        equals("is_ended", 0),
        // As `unindexed` does it for a text: the index of the user leads to fewer rows.
        { sql: "expiration_ms + 0 > ?", parameters: [nowMs] },
      ],
    },
  ],
  toItems: (rows) => rows.map(toRefreshFamily),
});

interface RefreshFamilyRow extends DetailsRow {
  readonly id: AuthorizationId;
  readonly application_id: ApplicationId;
  readonly auth_time_ms: number;
  readonly expiration_ms: number;
  readonly scope: string;
}

function toRefreshFamily(row: RefreshFamilyRow): RefreshFamily {
  return {
    id: row.id,
    details: toDetails(row),
    applicationId: row.application_id,
    authTimeMs: row.auth_time_ms,
    expirationMs: row.expiration_ms,
    scopes: toScopes(row.scope),
  };
}
