import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { HookId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import { hasName, isNameTaken, toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import { countUpTo, equals, insertSql, updateSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { HookSettingsPayload } from "../../../kernel/events/delivery-payloads.ts";
import { removeSecret } from "../../../kernel/events/secret-store.ts";
import { type Hook, type HookKind, type HookSecret, hookNotFound, hookSecretIdOf } from "./hook.ts";

const columns = [
  "id",
  ...detailsColumns,
  "state",
  "kind",
  "name",
  "url",
  "timeout_ms",
  "fail_closed",
  "metadata_keys",
  "secrets",
];

const table = "hooks";
const settingColumns = ["name", "folded_name", "url", "timeout_ms", "fail_closed", "metadata_keys"];
const insertHook = insertSql(table, [...settingColumns, "id", ...detailsColumns, "state", "kind", "secrets"]);
const updateSettings = updateSql(table, [...settingColumns, "sequence"]);
const updateSecrets = updateSql(table, ["secrets", "sequence"]);
const updateState = updateSql(table, ["state", "sequence"]);
const updateClaim = updateSql("stored_applications", ["hook_claim", "sequence"]);

/** How events change hooks, and the claim that they fill in the tokens of an application. */
export const hookProjection: Projection = {
  tables: [table],
  on: {
    "hook.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const values = [
        ...toSettingValues(payload),
        aggregateId,
        date,
        date,
        resourceOwner,
        "ACTIVE",
        payload.kind,
      ];
      await tx.run(insertHook, [...values, JSON.stringify([{ id: payload.secret_id, date }])]);
    },
    "hook.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateSettings, [...toSettingValues(payload), date, aggregateId]);
      if (payload.secret_id === undefined) return;
      await removeSecretsOf(tx, aggregateId);
      await tx.run(updateSecrets, [JSON.stringify([{ id: payload.secret_id, date }]), date, aggregateId]);
    },
    "hook.secret.added": async (tx, { aggregateId, date, payload }) => {
      const secrets = [...(await listSecretsOf(tx, aggregateId)), { id: payload.secret_id, date }];
      await tx.run(updateSecrets, [JSON.stringify(secrets), date, aggregateId]);
    },
    "hook.secret.removed": async (tx, { aggregateId, date, payload }) => {
      const kept = (await listSecretsOf(tx, aggregateId)).filter(({ id }) => id !== payload.secret_id);
      await removeSecret(tx, hookSecretIdOf(payload.secret_id));
      await tx.run(updateSecrets, [JSON.stringify(kept), date, aggregateId]);
    },
    "hook.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "hook.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    "hook.removed": async (tx, { aggregateId }) => {
      await removeSecretsOf(tx, aggregateId);
      await tx.run("DELETE FROM hooks WHERE id = ?", [aggregateId]);
    },
    "application.hook_claim.set": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateClaim, [payload.claim, date, aggregateId]);
    },
  },
  owned: [{ ids: "SELECT id FROM hooks WHERE resource_owner = ?", removal: "hook.removed" }],
  takenAlong: {
    "organization.removed": [{ type: "hook", rows: ["SELECT 1 FROM hooks WHERE resource_owner = :id"] }],
  },
};

/** Returns the hook if one of these owns it, an organization or the instance. Raises NOT_FOUND. */
export async function getHook(tx: ReadTransaction, owners: readonly string[], id: string): Promise<Hook> {
  const row = await tx.get<HookRow>(`SELECT ${columns.join(", ")} FROM hooks WHERE id = ?`, [id]);
  if (row === undefined || !owners.includes(row.resource_owner)) throw hookNotFound(id);
  return toHook(row);
}

/** Lists the ACTIVE hooks of a kind that two owners have, an organization and the instance, oldest first. */
export async function listHooksToCall(
  tx: ReadTransaction,
  kind: HookKind,
  owners: readonly [string, string],
): Promise<readonly Hook[]> {
  const rows = await tx.all<HookRow>(
    `SELECT ${columns.join(", ")} FROM hooks WHERE resource_owner IN (?, ?)`,
    owners,
  );
  return rows
    .filter((row) => row.state === "ACTIVE" && row.kind === kind)
    .map(toHook)
    .toSorted((left, right) => left.details.creationDate - right.details.creationDate);
}

/** Counts the hooks of an owner, up to `limit`. */
export async function countHooks(tx: ReadTransaction, owner: string, limit: number): Promise<number> {
  return await countUpTo(tx, limit, { column: "id", from: table, where: equals("resource_owner", owner) });
}

/** Says whether a hook of the owner, other than `kept`, has a name that counts as the same. */
export async function isHookNameTaken(
  tx: ReadTransaction,
  owner: string,
  name: string,
  kept?: Hook,
): Promise<boolean> {
  const within = equals("resource_owner", owner);
  return await isNameTaken(tx, { from: table, column: "folded_name", within, name, kept });
}

/** Returns the claim that hooks fill in the tokens of an application; empty: none. */
export async function findHookClaim(tx: ReadTransaction, applicationId: string): Promise<string> {
  const row = await tx.get<{ readonly hook_claim: string }>(
    "SELECT hook_claim FROM applications WHERE id = ?",
    [applicationId],
  );
  return row?.hook_claim ?? "";
}

/** Filters of a list of hooks. */
export interface HookFilter {
  /** Compared like unique names. */
  readonly name?: string;
}

/** The hooks of an organization or of the instance. */
export const hookList = defineList<HookFilter, HookRow, Hook>({
  name: "ListHooks",
  from: table,
  of: "resource_owner",
  columns,
  filters: { name: { column: "folded_name", toCondition: hasName, leaves: "one" } },
  toItems: (rows) => rows.map(toHook),
});

interface HookRow extends DetailsRow {
  readonly id: HookId;
  readonly state: Hook["state"];
  readonly kind: HookKind;
  readonly name: string;
  readonly url: string;
  readonly timeout_ms: number;
  readonly fail_closed: number;
  readonly metadata_keys: string;
  readonly secrets: string;
}

interface StoredSecretName {
  readonly id: HookSecret["id"];
  readonly date: number;
}

function toHook(row: HookRow): Hook {
  const { id, state, kind, name, url } = row;
  return {
    id,
    details: toDetails(row),
    state,
    kind,
    name,
    url,
    timeoutMs: row.timeout_ms,
    failClosed: row.fail_closed === 1,
    metadataKeys: JSON.parse(row.metadata_keys) as string[], // as the applier wrote it
    secrets: toSecrets(row).map((secret) => ({ id: secret.id, creationDate: secret.date })),
  };
}

function toSecrets({ secrets }: Pick<HookRow, "secrets">): readonly StoredSecretName[] {
  return JSON.parse(secrets) as StoredSecretName[]; // as the applier wrote it
}

function toSettingValues(payload: HookSettingsPayload) {
  const { name, url, timeout_ms, fail_closed, metadata_keys } = payload;
  const keys = JSON.stringify(metadata_keys);
  return [name, toUniqueName(name), url, timeout_ms, fail_closed ? 1 : 0, keys];
}

async function listSecretsOf(tx: ReadTransaction, id: string): Promise<readonly StoredSecretName[]> {
  const row = await tx.get<Pick<HookRow, "secrets">>("SELECT secrets FROM hooks WHERE id = ?", [id]);
  return row === undefined ? [] : toSecrets(row);
}

async function removeSecretsOf(tx: WriteTransaction, id: string): Promise<void> {
  for (const secret of await listSecretsOf(tx, id)) await removeSecret(tx, hookSecretIdOf(secret.id));
}
