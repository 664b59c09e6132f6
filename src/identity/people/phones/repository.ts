import { endFactorOfAddress } from "../codes/factor-repository.ts";
import type { Appliers } from "../../../kernel/events/event.ts";

/** Appliers of the phone columns in the table of users; part of the projection of users. */
export const phoneAppliers: Appliers = {
  "user.phone.removed": async (tx, { aggregateId, date }) => {
    await endFactorOfAddress(tx, "SMS_CODE", { userId: aggregateId, address: null });
    await tx.run(
      "UPDATE stored_users SET phone = NULL, is_phone_verified = 0, proved_phone = NULL, sequence = ? WHERE id = ?",
      [date, aggregateId],
    );
  },
  "user.phone.set": async (tx, { aggregateId, date, payload }) => {
    await endFactorOfAddress(tx, "SMS_CODE", { userId: aggregateId, address: payload.phone ?? null });
    await tx.run(
      "UPDATE stored_users SET phone = ?, is_phone_verified = 0, proved_phone = NULL, sequence = ? WHERE id = ?",
      [payload.phone ?? null, date, aggregateId],
    );
  },
  "user.phone.code.added": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET sequence = ? WHERE id = ?", [date, aggregateId]);
  },
  "user.phone.verified": async (tx, { aggregateId, date, payload }) => {
    await tx.run(
      `UPDATE stored_users SET is_phone_verified = 1, sequence = ?,
         proved_phone = CASE WHEN ? = 1 THEN phone ELSE proved_phone END WHERE id = ?`,
      [date, Number(payload.by !== undefined), aggregateId],
    );
  },
};
