import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import { defineListOfParts } from "../../kernel/base/list.ts";
import { equals } from "../../kernel/base/sql.ts";
import type { SigningAlgorithm, SigningKey } from "./signing-key.ts";

/** A key as it is listed, whatever it signs. */
export interface ListedSigningKey extends Omit<SigningKey, "publicKey"> {
  readonly use: "OIDC" | "SAML";
  /** Of a key for SAML messages: self-signed X.509, as DER. Undefined for other keys. */
  readonly certificate: Uint8Array | undefined;
}

/** The columns that both tables have. */
const shared = ["id", ...detailsColumns, "state", "expiration_ms"];

/** The keys of an instance, which stand in two tables. */
export const signingKeyList = defineListOfParts<InstanceId, ListedKeyRow, ListedSigningKey>({
  name: "ListSigningKeys",
  from: "signing_keys",
  columns: [...shared, "key_use", "algorithm", "certificate"],
  indexes: ["signing_keys", "saml_keys"].map((table) => ({
    table,
    columns: ["resource_owner", "creation_date", "id"],
    isUnique: false,
  })),
  keyOf: (instanceId) => [instanceId],
  partsOf: (instanceId) =>
    [
      `(SELECT ${shared.join(", ")}, 'OIDC' AS key_use, algorithm, NULL AS certificate FROM signing_keys) AS token_keys`,
      `(SELECT ${shared.join(", ")}, 'SAML' AS key_use, 'RS256' AS algorithm, certificate FROM saml_keys) AS message_keys`,
    ].map((from) => ({ from, where: [equals("resource_owner", instanceId)] })),
  toItems: (rows) => rows.map(toListedKey),
});

interface ListedKeyRow extends DetailsRow {
  readonly id: SigningKeyId;
  readonly key_use: ListedSigningKey["use"];
  readonly algorithm: SigningAlgorithm;
  readonly state: SigningKey["state"];
  readonly expiration_ms: number | null;
  /** Base64 of the DER. */
  readonly certificate: string | null;
}

function toListedKey(row: ListedKeyRow): ListedSigningKey {
  return {
    id: row.id,
    details: toDetails(row),
    use: row.key_use,
    algorithm: row.algorithm,
    state: row.state,
    expirationMs: row.expiration_ms ?? undefined,
    certificate: row.certificate === null ? undefined : Buffer.from(row.certificate, "base64"),
  };
}
