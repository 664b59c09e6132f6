import type { WriteTransaction } from "../../../kernel/base/database.ts";

/** What each kind of factor sends its codes to, in the table of users. */
const addressColumns = { EMAIL_CODE: "lower(email)", SMS_CODE: "lower(phone)" } as const;

/**
 * Removes the second factor of the user that sends codes, unless the user keeps the address that it sends them to. Call it before the
 * address changes.
 */
export async function endFactorOfAddress(
  tx: WriteTransaction,
  type: keyof typeof addressColumns,
  { userId, address }: { readonly userId: string; readonly address: string | null },
): Promise<void> {
  await tx.run(
    `DELETE FROM second_factors WHERE user_id = ? AND type = ? AND NOT EXISTS
       (SELECT 1 FROM stored_users WHERE id = ? AND ${addressColumns[type]} = lower(?))`,
    [userId, type, userId, address],
  );
}
