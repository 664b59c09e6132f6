import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { IdentityProviderId, OrganizationId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { EventPayloads } from "../../events/catalogue.ts";
import type { Projection, RecordedEvent } from "../../events/event.ts";
import { removeSecret } from "../../events/secret-store.ts";
import type { IdentityProvider, IdentityProviderConfig } from "./identity-provider.ts";
import { toJwtConfig } from "./jwt.ts";
import { toOidcConfig } from "./oidc.ts";

type AddedPayload = EventPayloads["identity_provider.added"];
/** The column `config`: what stands under the name of the kind in the event. */
type ConfigColumns = Pick<AddedPayload, "jwt" | "oidc">;

export const identityProviderProjection: Projection = {
  tables: ["identity_providers"],
  on: {
    "identity_provider.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO identity_providers (name, folded_name, styling_type, auto_register, kind, config, sequence, id,
           creation_date, resource_owner, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE')`,
        [...toColumns(payload), date, aggregateId, date, resourceOwner],
      );
    },
    "identity_provider.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(
        `UPDATE identity_providers SET name = ?, folded_name = ?, styling_type = ?, auto_register = ?, kind = ?,
           config = ?, sequence = ? WHERE id = ?`,
        [...toColumns(payload), date, aggregateId],
      );
    },
    "identity_provider.jwt.changed": async (tx, { aggregateId, date, payload }) => {
      const row = await tx.get<{ config: string }>("SELECT config FROM identity_providers WHERE id = ?", [
        aggregateId,
      ]);
      const before = JSON.parse(row?.config ?? "{}") as object; // written by the applier above
      await tx.run("UPDATE identity_providers SET config = ?, sequence = ? WHERE id = ?", [
        JSON.stringify({ ...before, ...payload }),
        date,
        aggregateId,
      ]);
    },
    "identity_provider.deactivated": (tx, event) => setState(tx, event, "INACTIVE"),
    "identity_provider.reactivated": (tx, event) => setState(tx, event, "ACTIVE"),
    "identity_provider.removed": (tx, { aggregateId }) => removeProvider(tx, aggregateId),
  },
  owned: [
    {
      ids: "SELECT id FROM identity_providers WHERE resource_owner = ?",
      removal: "identity_provider.removed",
    },
  ],
};

/** Returns the identity provider of that organization, or undefined. */
export async function findIdentityProvider(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<IdentityProvider | undefined> {
  const row = await tx.get<IdentityProviderRow>(
    "SELECT * FROM identity_providers WHERE id = ? AND resource_owner = ?",
    [id, organizationId],
  );
  return row === undefined ? undefined : toIdentityProvider(row);
}

/** Says whether an identity provider of the organization, other than `exceptId`, has a name that counts as the same. */
export async function isIdentityProviderNameTaken(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  name: string,
  exceptId?: IdentityProviderId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM identity_providers WHERE resource_owner = ? AND folded_name = ?",
    [organizationId, foldName(name)],
  );
  return row !== undefined && row.id !== exceptId;
}

export interface IdentityProviderFilter {
  readonly organizationId: OrganizationId;
  /** Compared as unique names are; empty = every name. */
  readonly name: string;
  readonly state: IdentityProvider["state"] | undefined;
}

/** Returns identity providers, oldest first. */
export async function listIdentityProviders(
  tx: ReadTransaction,
  filter: IdentityProviderFilter,
  page: PageQuery,
): Promise<readonly IdentityProvider[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page);
  const rows = await tx.all<IdentityProviderRow>(
    `SELECT * FROM identity_providers WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map(toIdentityProvider);
}

/** Counts identity providers, up to `limit`. */
export async function countIdentityProviders(
  tx: ReadTransaction,
  filter: IdentityProviderFilter,
  limit: number,
): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT id FROM identity_providers WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

interface IdentityProviderRow extends DetailsRow {
  readonly id: IdentityProviderId;
  readonly state: IdentityProvider["state"];
  readonly name: string;
  readonly styling_type: string;
  readonly auto_register: number;
  readonly kind: IdentityProviderConfig["kind"];
  readonly config: string;
}

function toIdentityProvider(row: IdentityProviderRow): IdentityProvider {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    name: row.name,
    stylingType: row.styling_type,
    autoRegister: row.auto_register === 1,
    config: toConfig({ [row.kind]: JSON.parse(row.config) as unknown }),
  };
}

/** Takes what the applier wrote. */
function toConfig(columns: ConfigColumns): IdentityProviderConfig {
  if (columns.jwt !== undefined) return { kind: "jwt", ...toJwtConfig(columns.jwt) };
  if (columns.oidc !== undefined) return { kind: "oidc", ...toOidcConfig(columns.oidc) };
  throw new Error("an identity provider is of neither kind");
}

function toColumns(payload: AddedPayload) {
  return [
    payload.name,
    foldName(payload.name),
    payload.styling_type,
    payload.auto_register ? 1 : 0,
    payload.jwt === undefined ? "oidc" : "jwt",
    JSON.stringify(payload.jwt ?? payload.oidc),
  ];
}

function whereOf(filter: IdentityProviderFilter) {
  const conditions = ["resource_owner = ?"];
  const parameters: string[] = [filter.organizationId];
  if (filter.name !== "") {
    conditions.push("folded_name = ?");
    parameters.push(foldName(filter.name));
  }
  if (filter.state !== undefined) {
    conditions.push("state = ?");
    parameters.push(filter.state);
  }
  return { sql: conditions.join(" AND "), parameters };
}

async function setState(
  tx: WriteTransaction,
  { aggregateId, date }: Pick<RecordedEvent, "aggregateId" | "date">,
  state: IdentityProvider["state"],
): Promise<void> {
  await tx.run("UPDATE identity_providers SET state = ?, sequence = ? WHERE id = ?", [
    state,
    date,
    aggregateId,
  ]);
}

/** Removes a provider with the client secret that it has now: no later one gets the id of such a secret. */
async function removeProvider(tx: WriteTransaction, id: string): Promise<void> {
  const row = await tx.get<IdentityProviderRow>("SELECT * FROM identity_providers WHERE id = ?", [id]);
  const config = row && toIdentityProvider(row).config;
  if (config?.kind === "oidc") await removeSecret(tx, config.clientSecretId);
  await tx.run("DELETE FROM identity_providers WHERE id = ?", [id]);
}
