import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import type { Authenticator } from "../authenticators/authenticator.ts";
import {
  authenticatorColumns,
  type AuthenticatorRow,
  completeAuthenticator,
  getAuthenticator,
  insertAuthenticator,
  keepAuthenticator,
  lineageColumns,
  type LineageRow,
  lineagesFrom,
  loginColumns,
  type LoginRow,
  questionAuthenticator,
  questionedFrom,
  removeAuthenticators,
  toAuthenticator,
  toLineage,
  toLoginAuthenticator,
} from "../authenticators/repository.ts";
import { type LoginPolicy, type StrongFactorKind, strongFactorKinds } from "../../policies/login-policy.ts";
import type { LoginFactor } from "./login.ts";
import { type FactorLineage, type SecondFactor, u2fKind } from "./u2f.ts";

const { table } = u2fKind;

/** Appliers of u2f tokens; part of the projection of users. */
export const secondFactorAppliers: Appliers = {
  "user.u2f.added": (tx, event) => insertAuthenticator(tx, table, { event, id: event.payload.u2f_id }),
  "user.u2f.removed": (tx, { payload }) =>
    removeAuthenticators(tx, u2fKind, {
      sql: "SELECT id FROM second_factors WHERE id = ?",
      parameters: [payload.u2f_id],
    }),
  "user.u2f.verified": (tx, event) => completeAuthenticator(tx, table, { event, id: event.payload.u2f_id }),
  "user.u2f.questioned": (tx, { payload }) => questionAuthenticator(tx, table, payload.u2f_id),
  "user.u2f.kept": (tx, { aggregateId, payload }) =>
    keepAuthenticator(tx, table, { id: payload.u2f_id, userId: aggregateId }),
  /** Nothing comes of it but the record. */
  "user.u2f.counter.regressed": async () => {},
};

const columns = [...authenticatorColumns, "type"];

/** The second factors of a user, those that are not ready too. */
export const secondFactorList = defineList<object, SecondFactorRow, SecondFactor>({
  name: "ListSecondFactors",
  from: table,
  of: "user_id",
  columns,
  filters: {},
  toItems: (rows) => rows.map(toSecondFactor),
});

/** Returns the u2f token of that user. Raises NOT_FOUND. */
export async function getSecondFactor(
  tx: ReadTransaction,
  userId: UserId,
  id: string,
): Promise<Authenticator<SecondFactorId>> {
  return await getAuthenticator(tx, u2fKind, { userId, id });
}

/** Returns the authenticator app of the user, ready or not; undefined without one. A user has one at most. */
export async function findTotp(tx: ReadTransaction, userId: UserId): Promise<SecondFactor | undefined> {
  const row = await tx.get<SecondFactorRow>(
    `SELECT ${columns.join(", ")} FROM second_factors WHERE user_id = ? AND type = 'TOTP'`,
    [userId],
  );
  return row && toSecondFactor(row);
}

/** Returns the READY tokens of the user that were registered for the relying party id, oldest first. */
export async function listLoginFactors(
  tx: ReadTransaction,
  userId: UserId,
  domain: string,
): Promise<readonly LoginFactor[]> {
  const rows = await tx.all<LoginRow<SecondFactorId>>(
    `SELECT ${loginColumns} FROM second_factors
     WHERE user_id = ? AND domain = ? AND state = 'READY' AND credential_id IS NOT NULL ORDER BY creation_date, id`,
    [userId, domain],
  );
  return rows.map(toLoginAuthenticator);
}

/** Says whether the user has a READY token for the relying party id. */
async function hasLoginFactor(tx: ReadTransaction, userId: UserId, domain: string): Promise<boolean> {
  return (await listLoginFactors(tx, userId, domain)).length > 0;
}

/** Says whether a factor that was used in a login is still one of the user. */
export async function isFactorInForce(tx: ReadTransaction, userId: UserId, id: string): Promise<boolean> {
  const sql = `SELECT 1 FROM second_factors f JOIN users u ON u.id = f.user_id
    WHERE f.id = ? AND f.user_id = ? AND f.state = 'READY' AND (f.type IN ('U2F', 'TOTP')
      OR f.type = 'EMAIL_CODE' AND u.is_email_verified = 1 OR f.type = 'SMS_CODE' AND u.is_phone_verified = 1)`;
  return (await tx.get(sql, [id, userId])) !== undefined;
}

/**
 * Lists the kinds of factors that the login pages ask the user for, but for codes that are sent: what is READY and allowed by the
 * policy of the user's organization, tokens only for the relying party id of the pages.
 */
export async function listLoginFactorKinds(
  tx: ReadTransaction,
  of: {
    readonly userId: UserId;
    readonly policy: Pick<LoginPolicy, "secondFactors">;
    /** Undefined: the pages have none. */
    readonly domain: string | undefined;
  },
): Promise<readonly StrongFactorKind[]> {
  const { userId, policy, domain } = of;
  const kinds: StrongFactorKind[] = [];
  if (domain !== undefined && (await hasLoginFactor(tx, userId, domain))) kinds.push("U2F");
  if ((await findTotp(tx, userId))?.state === "READY") kinds.push("TOTP");
  return kinds.filter((kind) => policy.secondFactors.includes(kind));
}

/** Lists the READY factors of the user with the users responsible for them, oldest first. */
export async function listFactorLineages(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly FactorLineage[]> {
  const rows = await tx.all<FactorLineageRow>(`SELECT f.type, ${lineageColumns} ${lineagesFrom(table)}`, [
    userId,
  ]);
  return rows.flatMap(toFactorLineage);
}

/** Lists the factors that the user is to keep or to remove, oldest first. */
export async function listQuestionedFactors(
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly (SecondFactor & Pick<FactorLineage, "type">)[]> {
  const rows = await tx.all<SecondFactorRow>(`SELECT ${columns.join(", ")} ${questionedFrom(table)}`, [
    userId,
  ]);
  return rows.map(toSecondFactor).flatMap((factor) => {
    const type = strongFactorKinds.find((kind) => kind === factor.type);
    return type === undefined ? [] : [{ ...factor, type }];
  });
}

interface SecondFactorRow extends AuthenticatorRow<SecondFactorId> {
  readonly type: SecondFactor["type"];
}

interface FactorLineageRow extends LineageRow<SecondFactorId> {
  readonly type: SecondFactor["type"];
}

/** Nobody sets codes for others: only their user adds them, and they last as long as the address. */
function toFactorLineage(row: FactorLineageRow): readonly FactorLineage[] {
  const type = strongFactorKinds.find((kind) => kind === row.type);
  return type === undefined ? [] : [{ ...toLineage(row), type }];
}

function toSecondFactor(row: SecondFactorRow): SecondFactor {
  return { ...toAuthenticator(row), type: row.type };
}

/** Says whether the user has a second factor that is ready; codes that are sent are none. */
export async function hasReadyFactor(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  const row = await tx.get(
    "SELECT 1 FROM second_factors WHERE user_id = ? AND state = 'READY' AND type IN ('U2F', 'TOTP') LIMIT 1",
    [userId],
  );
  return row !== undefined;
}
