import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { LabelPolicyId } from "../../kernel/base/ids.ts";
import type { LabelPolicyPayload } from "../../kernel/events/label-payloads.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { hasNoLinks, type LabelPolicyV1 } from "../../kernel/events/older-payloads.ts";
import {
  fromLabelPayload,
  type LabelImage,
  type LabelPolicy,
  type StoredLabelPolicy,
} from "./label-policy.ts";

const columns = ["id", ...detailsColumns, "draft", "live"].join(", ");

/** How events fill the table of brandings. Their images lie beside the log, and go when no branding of their owner has them. */
export const labelPolicyProjection: Projection = {
  tables: ["label_policies"],
  on: {
    "label_policy.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        "INSERT INTO label_policies (id, sequence, creation_date, resource_owner, draft) VALUES (?, ?, ?, ?, ?)",
        [aggregateId, date, date, resourceOwner, JSON.stringify(payload)],
      );
    },
    "label_policy.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE label_policies SET draft = ?, sequence = ? WHERE id = ?", [
        JSON.stringify(payload),
        date,
        aggregateId,
      ]);
    },
    "label_policy.activated": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE label_policies SET live = ?, sequence = ? WHERE id = ?", [
        JSON.stringify(payload),
        date,
        aggregateId,
      ]);
    },
    "label_policy.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM label_policies WHERE id = ?", [aggregateId]);
    },
  },
  once: {
    "label_policy.changed": async (tx, { resourceOwner, payload }) => {
      const live = (await findLabelPolicy(tx, resourceOwner))?.live;
      await removeImagesBut(tx, resourceOwner, [...payload.images, ...(live?.images ?? [])]);
    },
    "label_policy.activated": async (tx, { resourceOwner, payload }) => {
      await removeImagesBut(tx, resourceOwner, payload.images);
    },
    "label_policy.removed": async (tx, { resourceOwner }) => {
      await removeImagesBut(tx, resourceOwner, []);
    },
  },
  owned: [{ ids: "SELECT id FROM label_policies WHERE resource_owner = ?", removal: "label_policy.removed" }],
  takenAlong: {
    "organization.removed": [
      { type: "label_policy", rows: ["SELECT 1 FROM label_policies WHERE resource_owner = :id"] },
    ],
  },
};

/** Finds the branding of that organization, or of the instance; undefined when it has none of its own. */
export async function findLabelPolicy(
  tx: ReadTransaction,
  resourceOwner: string,
): Promise<StoredLabelPolicy | undefined> {
  const row = await tx.get<LabelRow>(`SELECT ${columns} FROM label_policies WHERE resource_owner = ?`, [
    resourceOwner,
  ]);
  if (row === undefined) return undefined;
  const live = row.live === null ? undefined : toLabel(row.live);
  return { id: row.id, details: toDetails(row), draft: toLabel(row.draft), live };
}

/** Lists at most `limit` organizations that have a branding, live or not; the instance may be among them. */
export async function listLabelOwners(tx: ReadTransaction, limit: number): Promise<readonly string[]> {
  const rows = await tx.all<{ resource_owner: string }>("SELECT resource_owner FROM label_policies LIMIT ?", [
    limit,
  ]);
  return rows.map(({ resource_owner }) => resource_owner);
}

/** Stores the bytes of an image of that owner. */
export async function putImage(
  tx: WriteTransaction,
  image: Pick<LabelImage, "hash" | "contentType"> & {
    readonly resourceOwner: string;
    readonly bytes: Uint8Array;
  },
): Promise<void> {
  await tx.run(
    `INSERT INTO label_images (resource_owner, hash, content_type, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (resource_owner, hash) DO NOTHING`,
    [image.resourceOwner, image.hash, image.contentType, image.bytes],
  );
}

/** Finds an image of any owner by its hash. */
export async function findImage(
  tx: ReadTransaction,
  hash: string,
): Promise<{ readonly contentType: string; readonly bytes: Uint8Array } | undefined> {
  return await tx.get(
    `SELECT content_type AS "contentType", bytes FROM label_images WHERE hash = ? ORDER BY resource_owner LIMIT 1`,
    [hash],
  );
}

/** An owner has at most eight images, and those of one draft more. */
async function removeImagesBut(
  tx: WriteTransaction,
  resourceOwner: string,
  kept: readonly { readonly hash: string }[],
): Promise<void> {
  const rows = await tx.all<{ hash: string }>("SELECT hash FROM label_images WHERE resource_owner = ?", [
    resourceOwner,
  ]);
  const hashes = new Set(kept.map(({ hash }) => hash));
  for (const { hash } of rows.filter((row) => !hashes.has(row.hash)))
    await tx.run("DELETE FROM label_images WHERE resource_owner = ? AND hash = ?", [resourceOwner, hash]);
}

interface LabelRow extends DetailsRow {
  readonly id: LabelPolicyId;
  readonly draft: string;
  readonly live: string | null;
}

/** A row that an earlier version has written has no links. */
function toLabel(stored: string): LabelPolicy {
  const payload = JSON.parse(stored) as LabelPolicyV1 | LabelPolicyPayload; // written by the appliers
  return fromLabelPayload({ ...hasNoLinks, ...payload });
}
