import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { detailsColumns, type DetailsRow, toDetails } from "../../../kernel/base/details.ts";
import type { OrganizationId, SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { holdsOutside } from "../../held-roles/outside.ts";
import { listHeldRoles } from "../../held-roles/repository.ts";
import { type CodeFactorKind, codeFactorKinds, type LoginPolicy } from "../../policies/login-policy.ts";
import type { CodeFactor } from "./code-factor.ts";

const insertFactor = insertSql("second_factors", [
  "id",
  ...detailsColumns,
  "user_id",
  "type",
  "state",
  "domain",
]);

/** How events fill the table of second factors with codes that are sent; part of the projection of users. */
export const codeFactorAppliers: Appliers = {
  "user.code_factor.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
    const details = [payload.code_factor_id, date, date, resourceOwner];
    await tx.run(insertFactor, [...details, aggregateId, payload.type, "READY", ""]);
  },
  "user.code_factor.removed": async (tx, { payload }) => {
    await tx.run("DELETE FROM second_factors WHERE id = ?", [payload.code_factor_id]);
  },
  /** Nothing comes of it but the record. */
  "user.code_factor.check.failed": async () => {},
};

/** Returns the factor of the user, also while its address is not verified; undefined without one. A user has one of each kind at most. */
export async function findCodeFactor(
  tx: ReadTransaction,
  userId: UserId,
  type: CodeFactorKind,
): Promise<CodeFactor | undefined> {
  const row = await tx.get<DetailsRow & { readonly id: SecondFactorId }>(
    `SELECT id, ${detailsColumns.join(", ")} FROM second_factors WHERE user_id = ? AND type = ?`,
    [userId, type],
  );
  return row && { id: row.id, userId, details: toDetails(row), type };
}

/** Returns the factor of the user with that id; undefined without one. */
export async function findCodeFactorById(
  tx: ReadTransaction,
  userId: UserId,
  id: string,
): Promise<CodeFactor | undefined> {
  for (const kind of codeFactorKinds) {
    const factor = await findCodeFactor(tx, userId, kind);
    if (factor?.id === id) return factor;
  }
  return undefined;
}

/** Lists the kinds of codes that the login pages ask the user for, if the user has no stronger factor. */
export async function listCodeKinds(
  tx: ReadTransaction,
  { userId, policy }: { readonly userId: UserId; readonly policy: Pick<LoginPolicy, "secondFactors"> },
): Promise<readonly CodeFactorKind[]> {
  const allowed = codeFactorKinds.filter((kind) => policy.secondFactors.includes(kind));
  if (allowed.length === 0) return [];
  const rows = await tx.all<{ type: CodeFactorKind }>(
    `SELECT f.type FROM second_factors f JOIN users u ON u.id = f.user_id
     WHERE f.user_id = ? AND f.state = 'READY' AND (f.type = 'EMAIL_CODE' AND u.is_email_verified = 1
       OR f.type = 'SMS_CODE' AND u.is_phone_verified = 1)`,
    [userId],
  );
  return allowed.filter((kind) => rows.some(({ type }) => type === kind));
}

/** A login in which a code may stand for a second factor. */
export interface CodeLogin {
  readonly userId: UserId;
  /** Of the user. */
  readonly organizationId: OrganizationId;
  /** What was proved. */
  readonly methods: readonly string[];
}

/**
 * Says whether a login has proved as much as its user can with these kinds of codes: one that is enough, or any of them for a user with
 * a role outside, for whom none is a second factor.
 */
export async function isCodeProved(
  tx: ReadTransaction,
  login: CodeLogin,
  kinds: readonly CodeFactorKind[],
): Promise<boolean> {
  const proved = kinds.filter((kind) => login.methods.includes(kind));
  if (holdsOutside(await listHeldRoles(tx, login.userId), login.organizationId)) return proved.length > 0;
  const enough = await listEnoughKinds(tx, login);
  return proved.some((kind) => enough.includes(kind));
}

/**
 * Lists the kinds of codes that are enough besides the first factor of a login: none for a user with a role outside, and not a code to
 * the address that the code went to which set the password: somebody who reads it would need nothing else.
 */
export async function listEnoughKinds(
  tx: ReadTransaction,
  { userId, organizationId, methods }: CodeLogin,
): Promise<readonly CodeFactorKind[]> {
  if (holdsOutside(await listHeldRoles(tx, userId), organizationId)) return [];
  const sql = "SELECT 1 FROM users WHERE id = ? AND lower(email) = password_code_email";
  const isByMail = methods.includes("PASSWORD") && (await tx.get(sql, [userId])) !== undefined;
  return codeFactorKinds.filter((kind) => kind !== "EMAIL_CODE" || !isByMail);
}
