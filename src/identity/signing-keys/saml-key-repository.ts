import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import { insertSql, updateSql } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { removeSecret } from "../../kernel/events/secret-store.ts";
import { type SamlKey, samlKeySecretId } from "./saml-key.ts";
import type { SigningKeyState } from "./signing-key.ts";

const table = "saml_keys";
const columns = ["id", ...detailsColumns, "state", "certificate", "expiration_ms"];

const insertKey = insertSql(table, columns);
const updateKey = updateSql(table, ["state", "expiration_ms", "sequence"]);

/** How events fill the table of the keys that sign SAML messages. Events of other keys change nothing here. */
export const samlKeyProjection: Projection = {
  tables: [table],
  on: {
    "signing_key.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      if (payload.use !== "saml") return;
      const { state, certificate = "" } = payload;
      await tx.run(insertKey, [aggregateId, date, date, resourceOwner, state, certificate, null]);
    },
    "signing_key.activated": async (tx, { aggregateId, date, payload }) => {
      if (payload.use === "saml") await tx.run(updateKey, ["ACTIVE", null, date, aggregateId]);
    },
    "signing_key.retired": async (tx, { aggregateId, date, payload }) => {
      if (payload.use !== "saml") return;
      await tx.run(updateKey, ["RETIRED", Date.parse(payload.expiration_date), date, aggregateId]);
      await removeSecret(tx, samlKeySecretId(aggregateId)); // it signs nothing any more
    },
    "signing_key.removed": async (tx, { aggregateId, payload }) => {
      if (payload.use !== "saml") return;
      await tx.run("DELETE FROM saml_keys WHERE id = ?", [aggregateId]);
      await removeSecret(tx, samlKeySecretId(aggregateId));
    },
  },
};

/** Lists all keys of the instance that sign SAML messages, oldest first: two or three. */
export async function listSamlKeys(tx: ReadTransaction, instanceId: InstanceId): Promise<readonly SamlKey[]> {
  const rows = await tx.all<SamlKeyRow>(
    `SELECT ${columns.join(", ")} FROM saml_keys WHERE resource_owner = ? ORDER BY creation_date, id`,
    [instanceId],
  );
  return rows.map((row) => ({
    id: row.id,
    details: toDetails(row),
    state: row.state,
    certificate: new Uint8Array(Buffer.from(row.certificate, "base64")),
    expirationMs: row.expiration_ms ?? undefined,
  }));
}

interface SamlKeyRow extends DetailsRow {
  readonly id: SigningKeyId;
  readonly state: SigningKeyState;
  /** Base64 of the DER. */
  readonly certificate: string;
  readonly expiration_ms: number | null;
}
