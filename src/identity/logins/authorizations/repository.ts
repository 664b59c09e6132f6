import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type {
  ApplicationId,
  AuthorizationId,
  OrganizationId,
  SessionId,
  UserId,
} from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { ShownGiftPayload } from "../../../kernel/events/authorization-payloads.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import { fromResourcesColumn, toResourcesColumn } from "./resources-column.ts";
import type { SessionMethod } from "../sessions/session.ts";
import { byProviderAlone, forEachSessionOf, type RemovedLinks } from "../sessions/session-link-repository.ts";
import type { Authorization } from "./authorization.ts";
import { confirmationAppliers } from "./confirmation-repository.ts";
import { type Consent, fromGiftRecord, toGiftRecord } from "./gift.ts";
import type { ClaimsRequest } from "./claims-request.ts";
import { takenAuthorizations } from "./taken-repository.ts";

const columns = [
  "id",
  "user_id",
  "application_id",
  "resource_owner",
  "session_id",
  "scope",
  "nonce",
  "auth_time_ms",
  "methods",
  "lock_count",
  "generation",
  "has_refresh",
  "creation_date",
  "expiration_ms",
  "is_ended",
  "consent",
  "claims",
  "resources",
];

const selectOne = `SELECT ${columns.join(", ")} FROM authorizations WHERE id = ?`;
const insertAuthorization = insertSql("authorizations", [...columns, "sequence", "access_end_date"]);

/**
 * How events fill the table of confirmations, and what they do to authorizations, which are kept beside the log: to apply an event
 * to them once more does nothing.
 */
export const authorizationProjection: Projection = {
  tables: ["confirmations"],
  takenAlong: takenAuthorizations,
  on: {
    "authorization.granted": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE authorizations SET sequence = ?, creation_date = ? WHERE id = ?", [
        date,
        date,
        aggregateId,
      ]);
    },
    ...confirmationAppliers,
    "authorization.revoked": (tx, { aggregateId }) => endAuthorization(tx, aggregateId),
    "session.terminated": async (tx, { aggregateId, date, payload }) => {
      if (payload.reason !== "expired") await endAccess(tx, aggregateId, date);
    },
    "user.locked": async (tx, { aggregateId, payload }) => {
      if (payload.cause !== undefined) return;
      await tx.run(
        `UPDATE authorizations SET is_ended = 1 WHERE user_id = ?
           AND lock_count < (SELECT lock_count FROM stored_users WHERE id = user_id)`,
        [aggregateId],
      );
    },
    "user.idp_link.removed": (tx, { date, payload }) =>
      endAuthorizationsOf(tx, { column: "link_id", id: payload.link_id }, date),
    "identity_provider.removed": (tx, { aggregateId, date }) =>
      endAuthorizationsOf(tx, { column: "idp_id", id: aggregateId }, date),
    "user.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM confirmations WHERE user_id = ?", [aggregateId]);
      await removeWhere(tx, "user_id = ?", aggregateId);
    },
    "application.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM confirmations WHERE application_id = ?", [aggregateId]);
      await removeWhere(tx, "application_id = ?", aggregateId);
    },
    "project.removed": async (tx, { aggregateId }) => {
      const ofProject = "application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)";
      await tx.run(`DELETE FROM confirmations WHERE ${ofProject}`, [aggregateId]);
      await removeWhere(tx, ofProject, aggregateId);
    },
  },
};

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

/** Removes authorizations, with the tokens and codes that rest on them. */
async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const sql = `DELETE FROM authorizations WHERE id IN (SELECT id FROM authorizations WHERE ${condition} LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

/** Stores an authorization that was decided. Append `grantAuthorization` after it, in the same write. */
export async function putAuthorization(tx: WriteTransaction, authorization: Authorization): Promise<void> {
  const creationDate = authorization.creationMs * 1000;
  await tx.run(insertAuthorization, [
    authorization.id,
    authorization.userId,
    authorization.applicationId,
    authorization.organizationId,
    authorization.sessionId,
    authorization.scopes.join(" "),
    authorization.sealedNonce ?? null,
    authorization.authTimeMs,
    JSON.stringify(authorization.methods),
    authorization.lockCount,
    authorization.generation,
    Number(authorization.hasRefresh),
    creationDate,
    authorization.expirationMs,
    Number(authorization.isEnded),
    toConsentColumn(authorization.consent),
    authorization.claims === undefined ? null : JSON.stringify(authorization.claims),
    toResourcesColumn(authorization.resources),
    creationDate,
    0,
  ]);
}

/** Finds an authorization, whether it has ended or not. */
export async function findAuthorization(tx: ReadTransaction, id: string): Promise<Authorization | undefined> {
  const row = await tx.get<AuthorizationRow>(selectOne, [id]);
  return row && toAuthorization(row);
}

/** Says whether an application was granted an authorization in the session before, of which anything may still be used. */
export async function hasAuthorization(
  tx: ReadTransaction,
  { sessionId, applicationId }: Pick<Authorization, "sessionId" | "applicationId">,
): Promise<boolean> {
  const sql = "SELECT 1 FROM authorizations WHERE session_id = ? AND application_id = ? LIMIT 1";
  return (await tx.get(sql, [sessionId, applicationId])) !== undefined;
}

/**
 * Says whether the session that the authorization came from goes on: it has not ended, and has neither lasted nor rested too long.
 * A code that was not redeemed becomes invalid with it.
 */
export async function isSessionLive(
  tx: ReadTransaction,
  { sessionId }: Pick<Authorization, "sessionId">,
  nowMs: number,
): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 FROM sessions s JOIN session_values v ON v.session_id = s.id
     WHERE s.id = ? AND s.state = 'ACTIVE' AND s.expiration_ms > ? AND v.expiration_ms > ?`,
    [sessionId, nowMs, nowMs],
  );
  return row !== undefined;
}

/** Moves on the instant from which on nothing holds that rests on the authorization, as a refresh does. */
export async function extendAuthorization(
  tx: WriteTransaction,
  id: AuthorizationId,
  expirationMs: number,
): Promise<void> {
  await tx.run("UPDATE authorizations SET expiration_ms = ? WHERE id = ? AND expiration_ms < ?", [
    expirationMs,
    id,
    expirationMs,
  ]);
}

/** Ends the authorization: its code, access and refresh tokens are invalid from then on. Harmless to repeat. */
async function endAuthorization(tx: WriteTransaction, id: string): Promise<void> {
  await tx.run("UPDATE authorizations SET is_ended = 1 WHERE id = ?", [id]);
}

/** Ends the access tokens that came from a session. Refresh tokens go on. An event of the date does it once. */
async function endAccess(tx: WriteTransaction, sessionId: string, date: number): Promise<void> {
  await tx.run(
    `UPDATE authorizations SET generation = generation + 1, access_end_date = ?
     WHERE session_id = ? AND access_end_date < ?`,
    [date, sessionId, date],
  );
}

/** Ends all authorizations of the user, with their refresh tokens, but those of one session if it is given. */
export async function endAuthorizationsOfUser(
  tx: WriteTransaction,
  userId: string,
  { exceptSessionId }: { readonly exceptSessionId?: SessionId | undefined } = {},
): Promise<void> {
  await tx.run("UPDATE authorizations SET is_ended = 1 WHERE user_id = ? AND session_id <> ?", [
    userId,
    exceptSessionId ?? "",
  ]);
}

/** Ends all authorizations of the user that came from a login at an identity provider alone, with no password or passkey of ours. */
export async function endAuthorizationsByProvider(tx: WriteTransaction, userId: UserId): Promise<void> {
  await tx.run(`UPDATE authorizations SET is_ended = 1 WHERE user_id = ? AND ${byProviderAlone("methods")}`, [
    userId,
  ]);
}

/**
 * Ends the authorizations that came from logins with links that are removed, where no password or passkey of ours was proved. What was
 * granted later, as seen from a rebuild, goes on.
 */
async function endAuthorizationsOf(tx: WriteTransaction, links: RemovedLinks, date: number): Promise<void> {
  await forEachSessionOf(tx, links, async (sessionId) => {
    await tx.run(
      `UPDATE authorizations SET is_ended = 1
       WHERE session_id = ? AND creation_date <= ? AND ${byProviderAlone("methods")}`,
      [sessionId, date],
    );
  });
}

/** Ends all authorizations of the user that have refresh tokens. */
export async function endRefreshTokensOfUser(tx: WriteTransaction, userId: string): Promise<void> {
  await tx.run("UPDATE authorizations SET is_ended = 1 WHERE user_id = ? AND has_refresh = 1", [userId]);
}

/** Deletes at most `limit` authorizations whose time is over, with what rests on them. Returns how many. */
export async function deleteExpiredAuthorizations(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM authorizations WHERE id IN
       (SELECT id FROM authorizations WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** Reads the scopes of a column. */
export function toScopes(scope: string): readonly string[] {
  return scope === "" ? [] : scope.split(" ");
}

interface AuthorizationRow {
  readonly id: AuthorizationId;
  readonly user_id: UserId;
  readonly application_id: ApplicationId;
  readonly resource_owner: OrganizationId;
  readonly session_id: SessionId;
  readonly scope: string;
  readonly nonce: string | null;
  readonly auth_time_ms: number;
  readonly methods: string;
  readonly lock_count: number;
  readonly generation: number;
  readonly has_refresh: number;
  readonly creation_date: number;
  readonly expiration_ms: number;
  readonly is_ended: number;
  readonly consent: string | null;
  readonly claims: string | null;
  readonly resources: string | null;
}

function toAuthorization(row: AuthorizationRow): Authorization {
  return {
    id: row.id,
    userId: row.user_id,
    applicationId: row.application_id,
    organizationId: row.resource_owner,
    sessionId: row.session_id,
    scopes: toScopes(row.scope),
    consent: fromConsentColumn(row.consent),
    claims: row.claims === null ? undefined : (JSON.parse(row.claims) as ClaimsRequest), // written above
    resources: fromResourcesColumn(row.resources),
    sealedNonce: row.nonce ?? undefined,
    authTimeMs: row.auth_time_ms,
    methods: JSON.parse(row.methods) as readonly SessionMethod[], // written above
    lockCount: row.lock_count,
    generation: row.generation,
    hasRefresh: row.has_refresh === 1,
    creationMs: Math.floor(row.creation_date / 1000),
    expirationMs: row.expiration_ms,
    isEnded: row.is_ended === 1,
  };
}

/** As JSON: what was confirmed, or `{}` for a connection. */
function toConsentColumn(consent: Consent | undefined): string | null {
  if (consent === undefined) return null;
  return JSON.stringify(consent.kind === "connection" ? {} : toGiftRecord(consent.gift));
}

function fromConsentColumn(column: string | null): Consent | undefined {
  if (column === null) return undefined;
  if (column === "{}") return { kind: "connection" };
  return { kind: "confirmation", gift: fromGiftRecord(JSON.parse(column) as ShownGiftPayload) }; // written above
}
