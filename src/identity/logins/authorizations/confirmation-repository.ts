import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, UserId } from "../../../kernel/base/ids.ts";
import type { ShownGiftPayload } from "../../../kernel/events/authorization-payloads.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import { fromGiftRecord, type Gift, joinGifts, toGiftRecord } from "./gift.ts";

/** The effects of events on the table of confirmations. */
export const confirmationAppliers: Appliers = {
  "authorization.confirmed": async (tx, { date, payload }) => {
    const { user_id: userId, application_id: applicationId, shown } = payload;
    const known = await findConfirmedGift(tx, userId, applicationId);
    const gift = shown && fromGiftRecord(shown);
    const joined = known && gift ? joinGifts(known, gift) : (gift ?? known);
    await tx.run(
      `INSERT INTO confirmations (user_id, application_id, shown, confirmation_date) VALUES (?, ?, ?, ?)
       ON CONFLICT (user_id, application_id) DO UPDATE SET
         shown = excluded.shown, confirmation_date = excluded.confirmation_date`,
      [userId, applicationId, joined === undefined ? null : JSON.stringify(toGiftRecord(joined)), date],
    );
  },
  "authorization.unconfirmed": async (tx, { payload }) => {
    await tx.run("DELETE FROM confirmations WHERE user_id = ? AND application_id = ?", [
      payload.user_id,
      payload.application_id,
    ]);
  },
};

/**
 * Finds all that the user has let the application have, page by page. Undefined: nothing, or it was confirmed before it was recorded
 * what a page showed.
 */
export async function findConfirmedGift(
  tx: ReadTransaction,
  userId: UserId | string,
  applicationId: ApplicationId | string,
): Promise<Gift | undefined> {
  const row = await tx.get<{ readonly shown: string | null }>(
    "SELECT shown FROM confirmations WHERE user_id = ? AND application_id = ?",
    [userId, applicationId],
  );
  if (row === undefined || row.shown === null) return undefined;
  return fromGiftRecord(JSON.parse(row.shown) as ShownGiftPayload); // written above
}
