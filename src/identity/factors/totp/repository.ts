import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { detailsColumns } from "../../../kernel/base/details.ts";
import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import type { PersonalData } from "../../../kernel/events/personal-data.ts";
import { findSecret, putSecret, removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import { toOriginValues } from "../../logins/login-origins/repository.ts";
import { totpSecretContext, totpSecretId } from "./totp.ts";

const insertTotp = insertSql("second_factors", [
  "id",
  ...detailsColumns,
  "user_id",
  "type",
  "state",
  "domain",
  "creator",
  "made_with_token_id",
]);

/** How events fill the table of second factors with authenticator apps; part of the projection of users. */
export const totpAppliers: Appliers = {
  // The user who began the registration has seen the secret, even if another one completes it.
  "user.totp.added": async (tx, event) => {
    const { aggregateId, resourceOwner, date, payload } = event;
    const details = [payload.totp_id, date, date, resourceOwner];
    const origin = toOriginValues(event);
    await tx.run(insertTotp, [...details, aggregateId, "TOTP", "NOT_READY", "", ...origin]);
  },
  "user.totp.verified": async (tx, { date, payload }) => {
    await tx.run("UPDATE second_factors SET state = 'READY', sequence = ? WHERE id = ?", [
      date,
      payload.totp_id,
    ]);
  },
  "user.totp.removed": async (tx, { payload }) => {
    const parameters = [payload.totp_id];
    await removeTotpSecretsOf(tx, { sql: "SELECT id FROM second_factors WHERE id = ?", parameters });
    await tx.run("DELETE FROM second_factors WHERE id = ?", parameters);
  },
  "user.totp.questioned": async (tx, { payload }) => {
    await tx.run("UPDATE second_factors SET is_questioned = 1 WHERE id = ?", [payload.totp_id]);
  },
  "user.totp.kept": async (tx, { aggregateId, payload }) => {
    await tx.run(
      "UPDATE second_factors SET is_questioned = 0, creator = ?, made_with_token_id = NULL WHERE id = ?",
      [aggregateId, payload.totp_id],
    );
  },
  /** Nothing comes of it but the record. */
  "user.totp.check.failed": async () => {},
};

/** Names an app: the user, and the id of the second factor. */
export interface TotpName {
  readonly userId: UserId;
  readonly id: SecondFactorId;
}

/** Stores the secret of an app, sealed under the key of its user. */
export async function putTotpSecret(
  tx: WriteTransaction,
  personalData: PersonalData,
  { userId, id, secret }: TotpName & { readonly secret: Uint8Array },
): Promise<void> {
  const text = Buffer.from(secret).toString("base64");
  const value = await personalData.seal(tx, userId, text, totpSecretContext(userId, id));
  if (value !== undefined) await putSecret(tx, totpSecretId(id), { keyId: "", value });
}

/** Returns the secret of an app; undefined if it is gone, or the key of its user. */
export async function findTotpSecret(
  tx: ReadTransaction,
  personalData: PersonalData,
  { userId, id }: TotpName,
): Promise<Uint8Array | undefined> {
  const stored = await findSecret(tx, totpSecretId(id));
  const text = stored && (await personalData.open(tx, userId, stored.value, totpSecretContext(userId, id)));
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text, "base64"));
}

/** Destroys the secrets of the apps that the query names by `id`. */
export async function removeTotpSecretsOf(
  tx: WriteTransaction,
  named: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await removeSecretsOf(tx, totpSecretId(""), named);
}

/**
 * How long a used step is remembered. It is of no use after a minute; the rest is for a clock that is set back, which neither
 * makes a code good again nor keeps the user out.
 */
const stepMemoryMs = 24 * 60 * 60_000;

/** Uses up a time step of a user, with whichever app. Returns whether this was its first use. */
export async function useTimeStep(
  tx: WriteTransaction,
  { userId, step, nowMs }: { readonly userId: UserId; readonly step: number; readonly nowMs: number },
): Promise<boolean> {
  const added = await tx.change(
    "INSERT INTO used_totp_steps (user_id, step, expiration_ms) VALUES (?, ?, ?) ON CONFLICT (user_id, step) DO NOTHING",
    [userId, step, nowMs + stepMemoryMs],
  );
  return added === 1;
}

/** Lists the time steps that the user has used lately. */
export async function listUsedSteps(tx: ReadTransaction, userId: UserId): Promise<readonly number[]> {
  const rows = await tx.all<{ step: number }>(
    "SELECT step FROM used_totp_steps WHERE user_id = ? ORDER BY step",
    [userId],
  );
  return rows.map(({ step }) => step);
}

/** Forgets the time steps of removed users, which the query names by `id`. */
export async function removeTimeStepsOf(
  tx: WriteTransaction,
  { sql, parameters }: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM used_totp_steps WHERE user_id IN (${sql})`, parameters);
}

/** Deletes at most `limit` used steps whose time is over. Returns how many. */
export async function deleteExpiredTimeSteps(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM used_totp_steps WHERE (user_id, step) IN
       (SELECT user_id, step FROM used_totp_steps WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}
