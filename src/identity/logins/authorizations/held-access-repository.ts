import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, AuthorizationId, UserId } from "../../../kernel/base/ids.ts";
import { findApplication } from "../../applications/repository.ts";

/** An application that has lasting access to a user, or that the user has let have something on a page. */
export interface HeldAccess {
  readonly id: ApplicationId;
  readonly name: string;
  /** When the user last logged in for the access that lasts. Undefined: the application has none. */
  readonly authTimeMs: number | undefined;
}

interface Asked {
  readonly userId: UserId;
  readonly nowMs: number;
}

const ofUser = `SELECT application_id, auth_time_ms FROM authorizations
    WHERE user_id = ? AND has_refresh = 1 AND is_ended = 0 AND expiration_ms > ?
  UNION ALL SELECT application_id, NULL FROM confirmations WHERE user_id = ? AND shown IS NOT NULL`;

/** Lists the applications of a user, in the order of their ids; a thousand at most. */
export async function listHeldAccess(
  tx: ReadTransaction,
  { userId, nowMs }: Asked,
): Promise<readonly HeldAccess[]> {
  const rows = await tx.all<AccessRow>(
    `SELECT application_id, MAX(auth_time_ms) AS auth_time_ms FROM (${ofUser}) AS known
     GROUP BY application_id ORDER BY application_id LIMIT 1000`,
    [userId, nowMs, userId],
  );
  const found: HeldAccess[] = [];
  for (const row of rows) {
    const application = await findApplication(tx, row.application_id);
    if (application === undefined) continue; // its removal takes both along
    found.push({
      id: row.application_id,
      name: application.name,
      authTimeMs: row.auth_time_ms ?? undefined,
    });
  }
  return found;
}

/** Says which lasting access of the application must end so that it has none. */
export async function listRefreshFamiliesOf(
  tx: ReadTransaction,
  { userId, nowMs }: Asked,
  applicationId: string,
): Promise<readonly AuthorizationId[]> {
  const rows = await tx.all<{ readonly id: AuthorizationId }>(
    `SELECT id FROM authorizations
     WHERE user_id = ? AND has_refresh = 1 AND is_ended = 0 AND expiration_ms > ? AND application_id = ?`,
    [userId, nowMs, applicationId],
  );
  return rows.map(({ id }) => id);
}

/** Ends all that the application got for the user: codes, access and refresh tokens. Harmless to repeat. */
export async function endAuthorizationsAt(
  tx: WriteTransaction,
  userId: UserId,
  applicationId: string,
): Promise<void> {
  await tx.run("UPDATE authorizations SET is_ended = 1 WHERE user_id = ? AND application_id = ?", [
    userId,
    applicationId,
  ]);
}

interface AccessRow {
  readonly application_id: ApplicationId;
  readonly auth_time_ms: number | null;
}
