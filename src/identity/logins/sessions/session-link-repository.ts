import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { Appliers } from "../../../kernel/events/event.ts";
import type { ProvedLinkPayload } from "../../../kernel/events/payloads.ts";

/** What an event says of a login at an identity provider. Both or none of the ids are there. */
interface ProvedLink {
  readonly sessionId: string;
  readonly linkId: string | undefined;
  readonly providerId: string | undefined;
}

/** Reads what an event says of a login at an identity provider. */
export function toProvedLink(
  sessionId: string,
  { idp_id: providerId, link_id: linkId }: ProvedLinkPayload,
): ProvedLink {
  return { sessionId, linkId, providerId };
}

/**
 * Remembers with which link somebody has logged in to a session. Events from before links were recorded name none: then it may have been
 * any link that the user has.
 */
export async function noteSessionLink(
  tx: WriteTransaction,
  { sessionId, linkId, providerId }: ProvedLink,
): Promise<void> {
  if (linkId !== undefined && providerId !== undefined) {
    await tx.run(`${insertLink} VALUES (?, ?, ?) ${unlessThere}`, [sessionId, linkId, providerId]);
    return;
  }
  await tx.run(
    `${insertLink} SELECT s.id, l.id, l.idp_id FROM sessions s JOIN idp_links l ON l.user_id = s.user_id
     WHERE s.id = ? ${unlessThere}`,
    [sessionId],
  );
}

const insertLink = "INSERT INTO session_links (session_id, link_id, idp_id)";
const unlessThere = "ON CONFLICT (session_id, link_id) DO NOTHING";

/** Says in SQL whether a column with a JSON array of methods is of logins at identity providers alone (`isByProviderAlone`). */
export function byProviderAlone(column: "checks" | "methods" | "a.methods"): string {
  return `${column} LIKE '%"IDP"%' AND ${column} NOT LIKE '%"PASSWORD"%' AND ${column} NOT LIKE '%"PASSKEY"%'`;
}

/** A link that is removed, or the provider of links that are. */
export type RemovedLinks = Readonly<{ column: "link_id" | "idp_id"; id: string }>;

/**
 * Does something to each session that somebody has logged in to with these links, whether it has ended or not. A provider may have any
 * number, so other work gets a turn from time to time.
 */
export async function forEachSessionOf(
  tx: WriteTransaction,
  { column, id }: RemovedLinks,
  work: (sessionId: string) => Promise<void>,
): Promise<void> {
  let after = "";
  for (;;) {
    const rows = await tx.all<{ readonly session_id: string }>(
      `SELECT DISTINCT session_id FROM session_links WHERE ${column} = ? AND session_id > ?
       ORDER BY session_id LIMIT ${portion}`,
      [id, after],
    );
    for (const { session_id: sessionId } of rows) await work(sessionId);
    if (rows.length < portion) return;
    after = rows.at(-1)?.session_id ?? after;
    await tx.pause();
  }
}

/** Number of sessions that end before other work gets a turn. */
const portion = 256;

/** What the removal of links does to sessions. Part of their projection, and the last to be applied: it forgets the links. */
export const sessionLinkAppliers: Appliers = {
  "user.idp_link.removed": (tx, { date, payload }) =>
    endSessionsOf(tx, { column: "link_id", id: payload.link_id }, date),
  "identity_provider.removed": (tx, { aggregateId, date }) =>
    endSessionsOf(tx, { column: "idp_id", id: aggregateId }, date),
};

/** Ends the sessions in which nothing but a login at an identity provider was a first factor: they rest on what is gone. */
async function endSessionsOf(tx: WriteTransaction, links: RemovedLinks, date: number): Promise<void> {
  await forEachSessionOf(tx, links, async (sessionId) => {
    const ended = await tx.change(
      `UPDATE sessions SET state = 'TERMINATED', sequence = ?
       WHERE id = ? AND state = 'ACTIVE' AND ${byProviderAlone("checks")}`,
      [date, sessionId],
    );
    if (ended === 1) await tx.run("DELETE FROM session_values WHERE session_id = ?", [sessionId]);
    await tx.run(`DELETE FROM session_links WHERE session_id = ? AND ${links.column} = ?`, [
      sessionId,
      links.id,
    ]);
  });
}
