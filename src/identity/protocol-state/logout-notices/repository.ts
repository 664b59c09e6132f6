import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, OrganizationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { OidcApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import { toOidcSettings } from "../../applications/oidc/oidc-application.ts";
import {
  byProviderAlone,
  forEachSessionOf,
  type RemovedLinks,
} from "../../logins/sessions/session-link-repository.ts";
import type { BackChannel, LogoutNotice, WaitingApplication } from "./logout-notice.ts";

/**
 * The applications that users have logged in to in sessions that have not ended, made from the log; and the notices that follow
 * from the end of a session, which are kept beside it.
 */
export const logoutNoticeProjection: Projection = {
  tables: ["session_applications"],
  on: {
    "authorization.granted": async (tx, { payload }) => {
      await tx.run(
        `INSERT INTO session_applications (session_id, application_id, user_id)
         SELECT id, ?, user_id FROM sessions WHERE id = ? AND state = 'ACTIVE'
         ON CONFLICT (session_id, application_id) DO NOTHING`,
        [payload.application_id, payload.session_id],
      );
    },
    "session.terminated": (tx, { aggregateId }) => forget(tx, "session_id", aggregateId),
    "user.locked": async (tx, { aggregateId, payload }) => {
      if (payload.cause === undefined) await forget(tx, "user_id", aggregateId);
    },
    "user.removed": (tx, { aggregateId }) => forget(tx, "user_id", aggregateId),
    "user.idp_link.removed": (tx, { payload }) => forgetOf(tx, { column: "link_id", id: payload.link_id }),
    "identity_provider.removed": (tx, { aggregateId }) => forgetOf(tx, { column: "idp_id", id: aggregateId }),
    "application.removed": (tx, { aggregateId }) => removeOfApplications(tx, "SELECT ?", aggregateId),
    "project.removed": (tx, { aggregateId }) =>
      removeOfApplications(tx, "SELECT id FROM stored_applications WHERE project_id = ?", aggregateId),
  },
  once: {
    "session.terminated": (tx, { aggregateId }) => addNotices(tx, "session_id", aggregateId),
    // As the sessions end: too many wrong passwords end nothing.
    "user.locked": async (tx, { aggregateId, payload }) => {
      if (payload.cause === undefined) await addNotices(tx, "user_id", aggregateId);
    },
    "user.removed": (tx, { aggregateId }) => addNotices(tx, "user_id", aggregateId),
    "user.idp_link.removed": (tx, { payload }) =>
      addNoticesOf(tx, { column: "link_id", id: payload.link_id }),
    "identity_provider.removed": (tx, { aggregateId }) =>
      addNoticesOf(tx, { column: "idp_id", id: aggregateId }),
  },
};

type Lead = "session_id" | "user_id";

/**
 * Adds a notice for each application that took part and has a logout URI. A removed one hears nothing. Sessions that a process of
 * an older version has ended during an upgrade, which knew nothing of this, have left their rows: they end no second time.
 */
async function addNotices(tx: WriteTransaction, lead: Lead, id: string, ending = "TRUE"): Promise<void> {
  await tx.run(
    `INSERT INTO logout_notices (session_id, application_id, user_id, tries, next_ms, imported_id)
     SELECT s.session_id, s.application_id, s.user_id, 0, 0,
       (SELECT u.imported_id FROM stored_users u WHERE u.id = s.user_id)
     FROM session_applications s JOIN applications a ON a.id = s.application_id
       JOIN sessions x ON x.id = s.session_id AND x.state = 'ACTIVE' AND ${ending}
     WHERE s.${lead} = ? AND a.back_channel_logout_uri <> ''
     ON CONFLICT (session_id, application_id) DO NOTHING`,
    [id],
  );
}

async function forget(tx: WriteTransaction, lead: Lead, id: string, ending = "TRUE"): Promise<void> {
  await tx.run(
    `DELETE FROM session_applications WHERE ${lead} = ? AND session_id IN (SELECT id FROM sessions WHERE ${ending})`,
    [id],
  );
}

/** Of the sessions that somebody has logged in to with a link, those end in which nothing of ours was proved first. */
const endsWithLink = byProviderAlone("checks");

async function addNoticesOf(tx: WriteTransaction, links: RemovedLinks): Promise<void> {
  await forEachSessionOf(tx, links, (id) => addNotices(tx, "session_id", id, endsWithLink));
}

async function forgetOf(tx: WriteTransaction, links: RemovedLinks): Promise<void> {
  await forEachSessionOf(tx, links, (id) => forget(tx, "session_id", id, endsWithLink));
}

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

async function removeOfApplications(tx: WriteTransaction, applications: string, id: string): Promise<void> {
  for (const table of ["session_applications", "logout_notices"]) {
    const sql = `DELETE FROM ${table} WHERE (session_id, application_id) IN (SELECT session_id, application_id FROM ${table}
      WHERE application_id IN (${applications}) LIMIT ${portion})`;
    while ((await tx.change(sql, [id])) === portion) await tx.pause();
  }
}

/** Lists applications that notices wait for, by their id, from the one after `after` on: at most `limit`. */
export async function listWaitingApplications(
  tx: ReadTransaction,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly WaitingApplication[]> {
  // A step along the index for each application, however many notices it has.
  const rows = await tx.all<{ id: ApplicationId; owner: OrganizationId | null; uri: string | null }>(
    `WITH RECURSIVE waiting (id) AS (
       SELECT MIN(application_id) FROM logout_notices WHERE application_id > ?
       UNION ALL
       SELECT (SELECT MIN(n.application_id) FROM logout_notices n WHERE n.application_id > waiting.id)
       FROM waiting WHERE waiting.id IS NOT NULL
     )
     SELECT w.id, a.resource_owner AS owner, a.back_channel_logout_uri AS uri
     FROM (SELECT id FROM waiting WHERE id IS NOT NULL LIMIT ?) w LEFT JOIN stored_applications a ON a.id = w.id
     ORDER BY w.id`,
    [after, limit],
  );
  return rows.map(({ id, owner, uri }) => ({
    id,
    organizationId: owner ?? ("" as OrganizationId), // no application, no organization: it is told nothing
    uri: uri ?? "",
  }));
}

/** Lists notices of an application that a try may begin for, those without one first: at most `limit`. */
export async function listDueNotices(
  tx: ReadTransaction,
  asked: { readonly applicationId: ApplicationId; readonly nowMs: number; readonly limit: number },
): Promise<readonly LogoutNotice[]> {
  const rows = await tx.all<NoticeRow>(
    `SELECT session_id, application_id, user_id, tries, next_ms, imported_id FROM logout_notices
     WHERE application_id = ? AND next_ms <= ? ORDER BY next_ms, session_id LIMIT ?`,
    [asked.applicationId, asked.nowMs, asked.limit],
  );
  return rows.map((row) => ({
    sessionId: row.session_id,
    applicationId: row.application_id,
    userId: row.user_id,
    importedId: row.imported_id ?? undefined,
    tries: row.tries,
    nextMs: row.next_ms,
  }));
}

/** Finds the instant from which on a try may begin, for any notice. Undefined: there is none. */
export async function findNextNoticeMs(tx: ReadTransaction): Promise<number | undefined> {
  const row = await tx.get<{ next: number | null }>("SELECT MIN(next_ms) AS next FROM logout_notices");
  return row?.next ?? undefined;
}

/**
 * Begins a try, unless somebody else has begun one since the notice was read. Nobody else begins one before `untilMs`. Returns the
 * notice as it is then; undefined: it is not the caller's.
 */
export async function claimNotice(
  tx: WriteTransaction,
  notice: LogoutNotice,
  untilMs: number,
): Promise<LogoutNotice | undefined> {
  const claimed = await tx.change(
    `UPDATE logout_notices SET tries = ?, next_ms = ?
     WHERE session_id = ? AND application_id = ? AND tries = ? AND next_ms = ?`,
    [notice.tries + 1, untilMs, notice.sessionId, notice.applicationId, notice.tries, notice.nextMs],
  );
  return claimed === 1 ? { ...notice, tries: notice.tries + 1, nextMs: untilMs } : undefined;
}

/** Lets the next try of a claimed notice begin at an instant. Does nothing if the claim was taken over. */
export async function postponeNotice(
  tx: WriteTransaction,
  { sessionId, applicationId, tries }: LogoutNotice,
  nextMs: number,
): Promise<void> {
  await tx.run(
    "UPDATE logout_notices SET next_ms = ? WHERE session_id = ? AND application_id = ? AND tries = ?",
    [nextMs, sessionId, applicationId, tries],
  );
}

/** Removes a claimed notice. Does nothing if the claim was taken over; returns whether it was not. */
export async function removeNotice(
  tx: WriteTransaction,
  { sessionId, applicationId, tries }: LogoutNotice,
): Promise<boolean> {
  const removed = await tx.change(
    "DELETE FROM logout_notices WHERE session_id = ? AND application_id = ? AND tries = ?",
    [sessionId, applicationId, tries],
  );
  return removed === 1;
}

/**
 * Returns the present settings by which an application is notified. Undefined unless it hears anything, and it, its project and its
 * organization are ACTIVE.
 */
export async function findBackChannel(
  tx: ReadTransaction,
  id: ApplicationId,
): Promise<BackChannel | undefined> {
  const row = await tx.get<{ settings: string; uri: string }>(
    `SELECT a.settings, a.back_channel_logout_uri AS uri FROM applications a JOIN projects p ON p.id = a.project_id
       JOIN organizations o ON o.id = a.resource_owner
     WHERE a.id = ? AND a.back_channel_logout_uri <> ''
       AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    [id],
  );
  if (row === undefined) return undefined;
  const { signingAlgorithm, subject } = toOidcSettings(JSON.parse(row.settings) as OidcApplicationPayload); // an applier of applications wrote it
  return { uri: row.uri, algorithm: signingAlgorithm, subject };
}

interface NoticeRow {
  readonly session_id: SessionId;
  readonly application_id: ApplicationId;
  readonly user_id: UserId;
  readonly imported_id: string | null;
  readonly tries: number;
  readonly next_ms: number;
}
