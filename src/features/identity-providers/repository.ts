import type { ReadTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { IdentityProviderId, OrganizationId } from "../../base/ids.ts";
import type { EventPayloads } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
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
        `INSERT INTO identity_providers (id, sequence, creation_date, resource_owner, state, name, folded_name,
           styling_type, auto_register, kind, config)
         VALUES (?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?, ?, ?)`,
        [
          aggregateId,
          date,
          date,
          resourceOwner,
          payload.name,
          foldName(payload.name),
          payload.styling_type,
          payload.auto_register ? 1 : 0,
          payload.jwt === undefined ? "oidc" : "jwt",
          JSON.stringify(payload.jwt ?? payload.oidc),
        ],
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
  },
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

/** Says whether an identity provider of the organization has a name that counts as the same. */
export async function isIdentityProviderNameTaken(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  name: string,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM identity_providers WHERE resource_owner = ? AND folded_name = ?",
    [organizationId, foldName(name)],
  );
  return row !== undefined;
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
