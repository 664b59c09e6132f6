import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import { insertSql, updateSql } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { removeSecret } from "../../kernel/events/secret-store.ts";
import {
  type SigningAlgorithm,
  type SigningKey,
  type SigningKeyState,
  signingKeySecretId,
} from "./signing-key.ts";

const table = "signing_keys";
const columns = ["id", ...detailsColumns, "algorithm", "state", "public_key", "expiration_ms"];

const insertKey = insertSql(table, columns);
const updateKey = updateSql(table, ["state", "expiration_ms", "sequence"]);

/** How events fill the table of the keys that sign tokens. Events of other keys change nothing here. */
export const signingKeyProjection: Projection = {
  tables: [table, "former_signing_keys"],
  on: {
    "signing_key.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const { use, algorithm, state, public_key: publicKey } = payload;
      if (use !== "oidc") return;
      await tx.run(insertKey, [aggregateId, date, date, resourceOwner, algorithm, state, publicKey, null]);
    },
    "signing_key.activated": async (tx, { aggregateId, date, payload }) => {
      if (payload.use === "oidc") await tx.run(updateKey, ["ACTIVE", null, date, aggregateId]);
    },
    "signing_key.retired": async (tx, { aggregateId, date, payload }) => {
      if (payload.use !== "oidc") return;
      await tx.run(updateKey, ["RETIRED", Date.parse(payload.expiration_date), date, aggregateId]);
      await removeSecret(tx, signingKeySecretId(aggregateId)); // it signs nothing any more
    },
    "signing_key.removed": async (tx, { aggregateId, payload }) => {
      if (payload.use !== "oidc") return;
      await tx.run(
        `INSERT INTO former_signing_keys (id, resource_owner, algorithm, public_key)
         SELECT id, resource_owner, algorithm, public_key FROM signing_keys WHERE id = ?`,
        [aggregateId],
      );
      await tx.run("DELETE FROM signing_keys WHERE id = ?", [aggregateId]);
      await removeSecret(tx, signingKeySecretId(aggregateId));
    },
  },
};

/** Lists all keys of the instance, oldest first: a few for each algorithm. */
export async function listSigningKeys(
  tx: ReadTransaction,
  instanceId: InstanceId,
): Promise<readonly SigningKey[]> {
  const rows = await tx.all<SigningKeyRow>(
    `SELECT ${columns.join(", ")} FROM signing_keys WHERE resource_owner = ? ORDER BY creation_date, id`,
    [instanceId],
  );
  return rows.map(toSigningKey);
}

/** A key that is gone: its signatures are not trusted, but still show which key signed for which user. */
export type FormerSigningKey = Pick<SigningKey, "id" | "algorithm" | "publicKey">;

/** Finds a key that was removed. */
export async function findFormerSigningKey(
  tx: ReadTransaction,
  instanceId: InstanceId,
  id: string,
): Promise<FormerSigningKey | undefined> {
  const row = await tx.get<Pick<SigningKeyRow, "id" | "algorithm" | "public_key">>(
    "SELECT id, algorithm, public_key FROM former_signing_keys WHERE id = ? AND resource_owner = ?",
    [id, instanceId],
  );
  return row && { id: row.id, algorithm: row.algorithm, publicKey: toPublicKey(row) };
}

interface SigningKeyRow extends DetailsRow {
  readonly id: SigningKeyId;
  readonly algorithm: SigningAlgorithm;
  readonly state: SigningKeyState;
  readonly public_key: string;
  readonly expiration_ms: number | null;
}

function toSigningKey(row: SigningKeyRow): SigningKey {
  return {
    id: row.id,
    details: toDetails(row),
    algorithm: row.algorithm,
    state: row.state,
    publicKey: toPublicKey(row),
    expirationMs: row.expiration_ms ?? undefined,
  };
}

function toPublicKey(row: Pick<SigningKeyRow, "public_key">): SigningKey["publicKey"] {
  return JSON.parse(row.public_key) as SigningKey["publicKey"]; // written by the command
}
