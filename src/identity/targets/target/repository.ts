import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { TargetId, TokenId } from "../../../kernel/base/ids.ts";
import { defineList } from "../../../kernel/base/list.ts";
import { hasName, isNameTaken, toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import { countUpTo, equals, insertSql, updateSql } from "../../../kernel/base/sql.ts";
import type { Projection, RecordedEvent } from "../../../kernel/events/event.ts";
import { removeSecret } from "../../../kernel/events/secret-store.ts";
import type { TargetSettingsPayload, TargetTokenPayload } from "../../../kernel/events/delivery-payloads.ts";
import { addTargetToken, removeTokens } from "../../programs/tokens/repository.ts";
import { addPosition, goBackTo, removePosition } from "../positions/position-repository.ts";
import { signingSecretIdOf, type Target, type TargetSecret, targetNotFound } from "./target.ts";

const columns = ["id", ...detailsColumns, "state", "name", "url", "event_types", "token_id", "secrets"];

const table = "targets";
const settingColumns = ["name", "folded_name", "url", "event_types"];
const insertTarget = insertSql(table, [
  ...settingColumns,
  "id",
  ...detailsColumns,
  "state",
  "token_id",
  "secrets",
]);
const updateSettings = updateSql(table, [...settingColumns, "sequence"]);
const updateSecrets = updateSql(table, ["secrets"]);
const updateState = updateSql(table, ["state", "sequence"]);
const touch = updateSql(table, ["sequence"]);

/** The projection of targets. How far each has come is kept beside the log, and follows from requests only once. */
export const targetProjection: Projection = {
  tables: [table],
  on: {
    "target.added": async (tx, event) => {
      const { aggregateId, resourceOwner, date, payload } = event;
      const values = [...toSettingValues(payload), aggregateId, date, date, resourceOwner, "ACTIVE"];
      const secrets = [{ id: payload.secret_id, date }];
      await tx.run(insertTarget, [...values, payload.token_id, JSON.stringify(secrets)]);
      await addTargetToken(tx, { ...event, payload });
    },
    "target.changed": async (tx, event) => {
      const { aggregateId, date, payload } = event;
      const { secret_id: secretId, token_id: tokenId } = payload;
      await tx.run(updateSettings, [...toSettingValues(payload), date, aggregateId]);
      if (tokenId !== undefined)
        await replaceToken(tx, { ...event, payload: { ...payload, token_id: tokenId } });
      if (secretId === undefined) return;
      for (const { id } of await listSecretsOf(tx, aggregateId))
        await removeSecret(tx, signingSecretIdOf(id));
      await tx.run(updateSecrets, [JSON.stringify([{ id: secretId, date }]), aggregateId]);
    },
    "target.secret.added": async (tx, event) => {
      const { aggregateId, date, payload } = event;
      const former = await listSecretsOf(tx, aggregateId);
      await tx.run(updateSecrets, [
        JSON.stringify([...former, { id: payload.secret_id, date }]),
        aggregateId,
      ]);
      await replaceToken(tx, event);
      await tx.run(touch, [date, aggregateId]);
    },
    "target.secret.removed": async (tx, event) => {
      const { aggregateId, date, payload } = event;
      const kept = (await listSecretsOf(tx, aggregateId)).filter(({ id }) => id !== payload.secret_id);
      await removeSecret(tx, signingSecretIdOf(payload.secret_id));
      await tx.run(updateSecrets, [JSON.stringify(kept), aggregateId]);
      await replaceToken(tx, event);
      await tx.run(touch, [date, aggregateId]);
    },
    "target.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "target.reactivated": async (tx, event) => {
      await replaceToken(tx, event);
      await tx.run(updateState, ["ACTIVE", event.date, event.aggregateId]);
    },
    "target.gone": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["GONE", date, aggregateId]);
    },
    "target.redelivery.requested": async (tx, { aggregateId, date }) => {
      await tx.run(touch, [date, aggregateId]);
    },
    "target.removed": (tx, { aggregateId }) => removeTargetRow(tx, aggregateId),
  },
  once: {
    "target.added": (tx, { aggregateId, date }) => addPosition(tx, aggregateId, date),
    "target.reactivated": (tx, { aggregateId }) => goBackTo(tx, aggregateId, undefined),
    "target.redelivery.requested": (tx, { aggregateId, payload }) =>
      goBackTo(tx, aggregateId, Number(payload.from_sequence)),
    "target.removed": (tx, { aggregateId }) => removePosition(tx, aggregateId),
  },
  owned: [{ ids: "SELECT id FROM targets WHERE resource_owner = ?", removal: "target.removed" }],
  takenAlong: {
    "organization.removed": [{ type: "target", rows: ["SELECT 1 FROM targets WHERE resource_owner = :id"] }],
  },
};

/** Returns the target if one of these owns it, an organization or the instance. Raises NOT_FOUND. */
export async function getTarget(tx: ReadTransaction, owners: readonly string[], id: string): Promise<Target> {
  const target = await findTarget(tx, id);
  if (target === undefined || !owners.includes(target.details.resourceOwner)) throw targetNotFound(id);
  return target;
}

/** Returns the target of any owner, or undefined. */
export async function findTarget(tx: ReadTransaction, id: string): Promise<Target | undefined> {
  const row = await tx.get<TargetRow>(`SELECT ${columns.join(", ")} FROM targets WHERE id = ?`, [id]);
  return row && toTarget(row);
}

/** A target that events go to, as far as it decides about it alone. */
export interface ActiveTarget {
  readonly id: TargetId;
  readonly owner: string;
  readonly eventTypes: readonly string[];
  /** That of the last event about the target. */
  readonly sequence: number;
}

/** Lists the targets that are ACTIVE and whose organization was not removed, in any order. */
export async function listActiveTargets(tx: ReadTransaction): Promise<readonly ActiveTarget[]> {
  const rows = await tx.all<Pick<TargetRow, "id" | "resource_owner" | "event_types" | "sequence">>(
    `SELECT id, resource_owner, event_types, sequence FROM targets
     WHERE state = 'ACTIVE' AND resource_owner NOT IN (SELECT id FROM removed_organizations)`,
  );
  return rows.map(({ id, resource_owner: owner, event_types: types, sequence }) => ({
    sequence,
    id,
    owner,
    eventTypes: toTexts(types),
  }));
}

/** Counts the targets of an owner, up to `limit`. */
export async function countTargets(tx: ReadTransaction, owner: string, limit: number): Promise<number> {
  return await countUpTo(tx, limit, { column: "id", from: table, where: equals("resource_owner", owner) });
}

/** Says whether a target of the owner, other than `kept`, has a name that counts as the same. */
export async function isTargetNameTaken(
  tx: ReadTransaction,
  owner: string,
  name: string,
  kept?: Target,
): Promise<boolean> {
  const within = equals("resource_owner", owner);
  return await isNameTaken(tx, { from: table, column: "folded_name", within, name, kept });
}

/** Filters of a list of targets. */
export interface TargetFilter {
  /** Compared like unique names. */
  readonly name?: string;
}

/** The targets of an organization or of the instance. */
export const targetList = defineList<TargetFilter, TargetRow, Target>({
  name: "ListTargets",
  from: table,
  of: "resource_owner",
  columns,
  filters: { name: { column: "folded_name", toCondition: hasName, leaves: "one" } },
  toItems: (rows) => rows.map(toTarget),
});

interface TargetRow extends DetailsRow {
  readonly id: TargetId;
  readonly state: Target["state"];
  readonly name: string;
  readonly url: string;
  readonly event_types: string;
  readonly token_id: TokenId;
  readonly secrets: string;
}

interface StoredSecretName {
  readonly id: TargetSecret["id"];
  readonly date: number;
}

function toTarget(row: TargetRow): Target {
  const { id, state, name, url } = row;
  const secrets = toSecrets(row).map((secret) => ({ id: secret.id, creationDate: secret.date }));
  const eventTypes = toTexts(row.event_types);
  return { id, details: toDetails(row), state, name, url, eventTypes, tokenId: row.token_id, secrets };
}

function toTexts(json: string): readonly string[] {
  return JSON.parse(json) as string[]; // as the applier wrote it
}

function toSecrets({ secrets }: Pick<TargetRow, "secrets">): readonly StoredSecretName[] {
  return JSON.parse(secrets) as StoredSecretName[]; // as the applier wrote it
}

function toSettingValues({ name, url, event_types: types }: TargetSettingsPayload) {
  return [name, toUniqueName(name), url, JSON.stringify(types)];
}

async function listSecretsOf(tx: ReadTransaction, id: string): Promise<readonly StoredSecretName[]> {
  const row = await tx.get<Pick<TargetRow, "secrets">>("SELECT secrets FROM targets WHERE id = ?", [id]);
  return row === undefined ? [] : toSecrets(row);
}

/** Puts the token of an event in the place of the former one. */
async function replaceToken(
  tx: WriteTransaction,
  event: Pick<RecordedEvent, "aggregateId" | "date" | "editor"> & { readonly payload: TargetTokenPayload },
): Promise<void> {
  await removeTokenOf(tx, event.aggregateId);
  await addTargetToken(tx, event);
  await tx.run("UPDATE targets SET token_id = ? WHERE id = ?", [event.payload.token_id, event.aggregateId]);
}

async function removeTokenOf(tx: WriteTransaction, id: string): Promise<void> {
  const sql = "SELECT c.id, c.user_id FROM targets t JOIN credentials c ON c.id = t.token_id WHERE t.id = ?";
  await removeTokens(tx, { sql, parameters: [id] }, {});
}

/** Removes a target with its token and its secrets, whose ids are never reused. */
async function removeTargetRow(tx: WriteTransaction, id: string): Promise<void> {
  for (const secret of await listSecretsOf(tx, id)) await removeSecret(tx, signingSecretIdOf(secret.id));
  await removeTokenOf(tx, id);
  await tx.run("DELETE FROM targets WHERE id = ?", [id]);
}
