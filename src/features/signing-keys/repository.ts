import type { ReadTransaction } from "../../base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../base/details.ts";
import type { InstanceId, SigningKeyId } from "../../base/ids.ts";
import { defineList } from "../../base/list.ts";
import { insertSql, updateSql } from "../../base/sql.ts";
import type { Projection } from "../../events/event.ts";
import { removeSecret } from "../../events/secret-store.ts";
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

/** How events fill the table of signing keys. */
export const signingKeyProjection: Projection = {
  tables: [table],
  on: {
    "signing_key.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const { algorithm, state, public_key: publicKey } = payload;
      await tx.run(insertKey, [aggregateId, date, date, resourceOwner, algorithm, state, publicKey, null]);
    },
    "signing_key.activated": async (tx, { aggregateId, date }) => {
      await tx.run(updateKey, ["ACTIVE", null, date, aggregateId]);
    },
    "signing_key.retired": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateKey, ["RETIRED", Date.parse(payload.expiration_date), date, aggregateId]);
      await removeSecret(tx, signingKeySecretId(aggregateId)); // it signs nothing any more
    },
    "signing_key.removed": async (tx, { aggregateId }) => {
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

/** The keys of the instance. */
export const signingKeyList = defineList<object, SigningKeyRow, SigningKey>({
  name: "ListSigningKeys",
  from: table,
  of: "resource_owner",
  columns,
  filters: {},
  toItems: (rows) => rows.map(toSigningKey),
});

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
    publicKey: JSON.parse(row.public_key) as SigningKey["publicKey"], // written by the command
    expirationMs: row.expiration_ms ?? undefined,
  };
}
