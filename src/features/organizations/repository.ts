import type { ReadTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { OrganizationId } from "../../base/ids.ts";
import type { Projection } from "../../events/event.ts";
import type { Organization } from "./organization.ts";

export const organizationProjection: Projection = {
  tables: ["organizations"],
  on: {
    "organization.added": async (tx, { aggregateId, date, payload }) => {
      await tx.run(
        "INSERT INTO organizations (id, sequence, creation_date, state, name, folded_name) VALUES (?, ?, ?, 'ACTIVE', ?, ?)",
        [aggregateId, date, date, payload.name, foldName(payload.name)],
      );
    },
  },
};

/** Returns the organization, whatever its state, or undefined. */
export async function findOrganization(tx: ReadTransaction, id: string): Promise<Organization | undefined> {
  const row = await tx.get<OrganizationRow>(
    "SELECT *, id AS resource_owner FROM organizations WHERE id = ?",
    [id],
  );
  return row === undefined
    ? undefined
    : { id: row.id, details: toDetails(row), state: row.state, name: row.name };
}

/** Says whether an organization has a name that counts as the same. */
export async function isOrganizationNameTaken(tx: ReadTransaction, name: string): Promise<boolean> {
  const row = await tx.get<{ id: string }>("SELECT id FROM organizations WHERE folded_name = ?", [
    foldName(name),
  ]);
  return row !== undefined;
}

interface OrganizationRow extends DetailsRow {
  readonly id: OrganizationId;
  readonly state: Organization["state"];
  readonly name: string;
}
