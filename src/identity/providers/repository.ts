import { defineColumns, flag, text } from "../../kernel/base/columns.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { IdentityProviderId, OrganizationId } from "../../kernel/base/ids.ts";
import { defineList } from "../../kernel/base/list.ts";
import { equals, insertSql, updateSql } from "../../kernel/base/sql.ts";
import { hasName, isNameTaken, toUniqueName } from "../../kernel/base/names/unique-name.ts";
import type { EventPayloads } from "../../kernel/events/payloads.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { removeSecret } from "../../kernel/events/secret-store.ts";
import {
  type IdentityProvider,
  type IdentityProviderSettings,
  identityProviderNotFound,
} from "./identity-provider.ts";
import {
  type IdentityProviderConfig,
  type IdentityProviderKind,
  kindOfPayload,
  secretIdOfConfig,
  toConfigOfKind,
} from "./kinds.ts";

type AddedPayload = EventPayloads["identity_provider.added"];

const settings = defineColumns<IdentityProviderSettings, AddedPayload>({
  name: text("name"),
  stylingType: text("styling_type"),
  autoRegister: flag("auto_register"),
});

const columns = ["id", "state", ...detailsColumns, ...settings.names, "kind", "config"];

const table = "identity_providers";
const written = [...settings.names, "folded_name", "kind", "config", "sequence"];
const insertProvider = insertSql(table, [...written, "id", "creation_date", "resource_owner", "state"]);
const updateProvider = updateSql(table, written);
const updateConfig = updateSql(table, ["config", "sequence"]);
const updateState = updateSql(table, ["state", "sequence"]);

/** The projection of identity providers. */
export const identityProviderProjection: Projection = {
  tables: ["identity_providers"],
  on: {
    "identity_provider.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const values = [...toWritten(payload, date), aggregateId, date, resourceOwner, "ACTIVE"];
      await tx.run(insertProvider, values);
    },
    "identity_provider.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateProvider, [...toWritten(payload, date), aggregateId]);
    },
    "identity_provider.jwt.changed": async (tx, { aggregateId, date, payload }) => {
      const row = await tx.get<{ config: string }>("SELECT config FROM identity_providers WHERE id = ?", [
        aggregateId,
      ]);
      const before = JSON.parse(row?.config ?? "{}") as object; // written by the applier above
      await tx.run(updateConfig, [JSON.stringify({ ...before, ...payload }), date, aggregateId]);
    },
    "identity_provider.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "identity_provider.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    "identity_provider.removed": (tx, { aggregateId }) => removeProvider(tx, aggregateId),
  },
  owned: [
    {
      ids: "SELECT id FROM identity_providers WHERE resource_owner = ?",
      removal: "identity_provider.removed",
    },
  ],
  takenAlong: {
    "organization.removed": [
      {
        type: "identity_provider",
        rows: ["SELECT 1 FROM identity_providers WHERE resource_owner = :id"],
      },
    ],
  },
};

/** Returns the identity provider of that organization, or undefined. */
export async function findIdentityProvider(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<IdentityProvider | undefined> {
  const row = await tx.get<IdentityProviderRow>(
    `SELECT ${columns.join(", ")} FROM identity_providers WHERE id = ? AND resource_owner = ?`,
    [id, organizationId],
  );
  return row === undefined ? undefined : toIdentityProvider(row);
}

/** Returns the identity provider of that organization. Raises NOT_FOUND. */
export async function getIdentityProvider(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<IdentityProvider> {
  const provider = await findIdentityProvider(tx, organizationId, id);
  if (provider === undefined) throw identityProviderNotFound(id);
  return provider;
}

/** Lists the ACTIVE identity providers of an organization, oldest first. */
export async function listActiveIdentityProviders(
  tx: ReadTransaction,
  organizationId: OrganizationId,
): Promise<readonly IdentityProvider[]> {
  const rows = await tx.all<IdentityProviderRow>(
    `SELECT ${columns.join(", ")} FROM identity_providers
     WHERE resource_owner = ? AND state = 'ACTIVE' ORDER BY creation_date, id`,
    [organizationId],
  );
  return rows.map(toIdentityProvider);
}

/** A provider that is a directory. */
export type StoredDirectory = Omit<IdentityProvider, "config"> & {
  readonly config: IdentityProviderConfig & { readonly kind: "ldap" };
};

/** Lists the ACTIVE directories of all ACTIVE organizations, oldest first. */
export async function listActiveDirectories(tx: ReadTransaction): Promise<readonly StoredDirectory[]> {
  const rows = await tx.all<IdentityProviderRow>(
    `SELECT ${columns.map((column) => `p.${column}`).join(", ")}
     FROM identity_providers p JOIN organizations o ON o.id = p.resource_owner
     WHERE p.kind = 'ldap' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE' ORDER BY p.creation_date, p.id`,
  );
  return rows
    .map(toIdentityProvider)
    .flatMap(({ config, ...provider }) => (config.kind === "ldap" ? [{ ...provider, config }] : []));
}

/** Says whether an identity provider of the organization, other than `kept`, has a name that counts as the same. */
export async function isIdentityProviderNameTaken(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  name: string,
  kept?: IdentityProvider,
): Promise<boolean> {
  const within = equals("resource_owner", organizationId);
  return await isNameTaken(tx, { from: "identity_providers", column: "folded_name", within, name, kept });
}

/** Filters of a list of identity providers. */
export interface IdentityProviderFilter {
  /** Compared like unique names. */
  readonly name?: string;
  readonly state?: IdentityProvider["state"] | undefined;
}

/** The identity providers of an organization. */
export const identityProviderList = defineList<IdentityProviderFilter, IdentityProviderRow, IdentityProvider>(
  {
    name: "ListIdentityProviders",
    from: "identity_providers",
    of: "resource_owner",
    columns,
    filters: {
      name: { column: "folded_name", toCondition: hasName, leaves: "one" },
      state: { column: "state" },
    },
    toItems: (rows) => rows.map(toIdentityProvider),
  },
);

interface ConfigRow {
  readonly kind: IdentityProviderKind;
  readonly config: string;
}

interface IdentityProviderRow extends DetailsRow, ConfigRow {
  readonly id: IdentityProviderId;
  readonly state: IdentityProvider["state"];
}

function toIdentityProvider(row: IdentityProviderRow): IdentityProvider {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    ...settings.fromRow(row),
    config: toConfig(row),
  };
}

function toConfig({ kind, config }: ConfigRow): IdentityProviderConfig {
  return toConfigOfKind(kind, JSON.parse(config) as never) as IdentityProviderConfig; // as the applier wrote it
}

function toWritten(payload: AddedPayload, date: number) {
  const kind = kindOfPayload(payload);
  const config = JSON.stringify(payload[kind]);
  return [...settings.toValues(payload), toUniqueName(payload.name), kind, config, date];
}

/** Removes a provider with its current client secret. The id of such a secret is never reused. */
async function removeProvider(tx: WriteTransaction, id: string): Promise<void> {
  const row = await tx.get<ConfigRow>("SELECT kind, config FROM identity_providers WHERE id = ?", [id]);
  const secretId = row && secretIdOfConfig(toConfig(row));
  if (secretId !== undefined) await removeSecret(tx, secretId);
  await tx.run("DELETE FROM identity_providers WHERE id = ?", [id]);
}
