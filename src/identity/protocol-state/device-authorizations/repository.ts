import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, AuthorizationId } from "../../../kernel/base/ids.ts";
import { insertSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import { fromResourcesColumn, toResourcesColumn } from "../../logins/authorizations/resources-column.ts";
import { type DeviceAuthorization, type DeviceDecision, deviceMemoryMs } from "./device-authorization.ts";

/**
 * What events do to devices that wait, which are not made from the log: they go with their application. Those that a user has
 * allowed go with the authorization.
 */
export const deviceAuthorizationProjection: Projection = {
  tables: [],
  on: {
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "application_id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) =>
      removeWhere(
        tx,
        "application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)",
        aggregateId,
      ),
  },
};

/** How many rows go before other work gets a turn. */
const portion = 500;

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const sql = `DELETE FROM device_authorizations WHERE hash IN
    (SELECT hash FROM device_authorizations WHERE ${condition} LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

/** A device that begins to wait. */
export interface WaitingDevice
  extends Pick<
    DeviceAuthorization,
    "hash" | "applicationId" | "scopes" | "resources" | "intervalSeconds" | "expirationMs"
  > {
  readonly userCodeHash: string;
  /** Of the client that lets it wait. */
  readonly holderHash: string;
}

const insertDevice = insertSql("device_authorizations", [
  "hash",
  "user_code_hash",
  "holder_hash",
  "application_id",
  "scope",
  "resources",
  "interval_seconds",
  "expiration_ms",
  "kept_until_ms",
]);

/** Stores a device that begins to wait. */
export async function putWaitingDevice(tx: WriteTransaction, device: WaitingDevice): Promise<void> {
  await tx.run(insertDevice, [
    device.hash,
    device.userCodeHash,
    device.holderHash,
    device.applicationId,
    device.scopes.join(" "),
    toResourcesColumn(device.resources),
    device.intervalSeconds,
    device.expirationMs,
    device.expirationMs + deviceMemoryMs,
  ]);
}

/** Says whether a user code with one of the hashes stands for a device, whether its time is over or not. */
export async function isUserCodeTaken(tx: ReadTransaction, hashes: readonly string[]): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 FROM device_authorizations WHERE user_code_hash IN (${placesOf(hashes)}) LIMIT 1`,
    hashes,
  );
  return row !== undefined;
}

/** Counts the devices of a holder that wait. `firstEndMs`: when the first of them ends; undefined: none waits. */
export async function countWaitingDevices(
  tx: ReadTransaction,
  { holderHash, nowMs }: { readonly holderHash: string; readonly nowMs: number },
): Promise<{ readonly count: number; readonly firstEndMs: number | undefined }> {
  const row = await tx.get<{ n: number; first_end: number | null }>(
    `SELECT COUNT(*) AS n, MIN(expiration_ms) AS first_end FROM device_authorizations
     WHERE holder_hash = ? AND expiration_ms > ? AND user_code_hash IS NOT NULL`,
    [holderHash, nowMs],
  );
  return { count: row?.n ?? 0, firstEndMs: row?.first_end ?? undefined };
}

const columns = `hash, user_code_hash, application_id, scope, resources, authorization_id, interval_seconds, last_poll_ms, used_ms,
  expiration_ms`;

/** Finds a device by the hash of its code, whatever was decided about it, and whether its time is over or not. */
export async function findDevice(
  tx: ReadTransaction,
  hash: string,
): Promise<DeviceAuthorization | undefined> {
  const row = await tx.get<DeviceRow>(`SELECT ${columns} FROM device_authorizations WHERE hash = ?`, [hash]);
  return row && toDevice(row);
}

/** Finds the device that waits under a user code with one of the hashes. */
export async function findWaitingDevice(
  tx: ReadTransaction,
  { hashes, nowMs }: { readonly hashes: readonly string[]; readonly nowMs: number },
): Promise<DeviceAuthorization | undefined> {
  const row = await tx.get<DeviceRow>(
    `SELECT ${columns} FROM device_authorizations
     WHERE user_code_hash IN (${placesOf(hashes)}) AND expiration_ms > ?`,
    [...hashes, nowMs],
  );
  return row && toDevice(row);
}

/** Remembers that the device has asked for tokens, and how long it has to wait from then on. */
export async function notePoll(
  tx: WriteTransaction,
  {
    hash,
    nowMs,
    intervalSeconds,
  }: Pick<DeviceAuthorization, "hash" | "intervalSeconds"> & { readonly nowMs: number },
): Promise<void> {
  await tx.run("UPDATE device_authorizations SET last_poll_ms = ?, interval_seconds = ? WHERE hash = ?", [
    nowMs,
    intervalSeconds,
    hash,
  ]);
}

/** Ends the wait of a device: its user code stands for nothing any more. Returns false if it does not wait. */
export async function decideDevice(
  tx: WriteTransaction,
  hash: string,
  {
    decision,
    nowMs,
  }: { readonly decision: Exclude<DeviceDecision, { kind: "pending" }>; readonly nowMs: number },
): Promise<boolean> {
  const changed = await tx.change(
    `UPDATE device_authorizations SET user_code_hash = NULL, authorization_id = ?
     WHERE hash = ? AND user_code_hash IS NOT NULL AND expiration_ms > ?`,
    [decision.kind === "allowed" ? decision.authorizationId : null, hash, nowMs],
  );
  return changed === 1;
}

/**
 * Uses the code of a device that was allowed. Returns whether this was its first use. It is kept for as long as what it gives may
 * live, so that a second use can end that.
 */
export async function useDevice(
  tx: WriteTransaction,
  hash: string,
  { nowMs, keptUntilMs }: { readonly nowMs: number; readonly keptUntilMs: number },
): Promise<boolean> {
  const used = await tx.change(
    "UPDATE device_authorizations SET used_ms = ?, kept_until_ms = ? WHERE hash = ? AND used_ms IS NULL",
    [nowMs, keptUntilMs, hash],
  );
  return used === 1;
}

/** Deletes at most `limit` devices of which nobody has to know any more. Returns how many. */
export async function deleteExpiredDevices(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM device_authorizations WHERE hash IN
       (SELECT hash FROM device_authorizations WHERE kept_until_ms <= ? ORDER BY kept_until_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

function placesOf(values: readonly string[]): string {
  return values.map(() => "?").join(", ");
}

function toDevice(row: DeviceRow): DeviceAuthorization {
  return {
    hash: row.hash,
    applicationId: row.application_id,
    scopes: row.scope === "" ? [] : row.scope.split(" "),
    resources: fromResourcesColumn(row.resources),
    decision: toDecision(row),
    intervalSeconds: row.interval_seconds,
    lastPollMs: row.last_poll_ms ?? undefined,
    usedMs: row.used_ms ?? undefined,
    expirationMs: row.expiration_ms,
  };
}

function toDecision({
  user_code_hash: userCode,
  authorization_id: authorizationId,
}: DeviceRow): DeviceDecision {
  if (authorizationId !== null) return { kind: "allowed", authorizationId };
  return { kind: userCode === null ? "denied" : "pending" };
}

interface DeviceRow {
  readonly hash: string;
  /** Null once somebody has decided. */
  readonly user_code_hash: string | null;
  readonly application_id: ApplicationId;
  readonly scope: string;
  readonly resources: string | null;
  readonly authorization_id: AuthorizationId | null;
  readonly interval_seconds: number;
  readonly last_poll_ms: number | null;
  readonly used_ms: number | null;
  readonly expiration_ms: number;
}
