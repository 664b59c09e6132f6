import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { joinTable } from "../../../kernel/base/sql.ts";
import { type ClaimColumns, claimColumns } from "../application/claim-columns.ts";
import type { Organization } from "../../organizations/organization.ts";
import { joinedOrganization } from "../../organizations/repository.ts";
import type { Project } from "../../projects/project.ts";
import { joinedProject } from "../../projects/repository.ts";
import { applicationColumns } from "../application/repository.ts";
import { storedSamlColumns, toSamlApplication } from "./repository.ts";
import type { SamlApplication } from "./saml-application.ts";

/** A SAML application with what it belongs to. */
export interface SamlApplicationInPlace {
  readonly application: SamlApplication;
  readonly project: Project;
  /** The organization that owns the project. */
  readonly organization: Organization;
  readonly claimColumns: ClaimColumns;
}

const joinedApplication = joinTable(
  "application",
  [...applicationColumns, ...storedSamlColumns],
  toSamlApplication,
);
const select = `SELECT ${joinedApplication.columns}, ${joinedProject.columns}, ${joinedOrganization.columns}, ${claimColumns}
  FROM applications application
    JOIN projects project ON project.id = application.project_id
    JOIN organizations organization ON organization.id = project.resource_owner
  WHERE application.kind = 'saml' AND application.id = ?`;

/**
 * Finds a SAML application by the entity id of the metadata in force, byte for byte (SAML Core §8.3.6), and says whether it, its
 * project and its organization are ACTIVE. Reads no metadata, and nothing that is stored behind it: it may be long.
 */
export async function findSamlApplicationUse(
  tx: ReadTransaction,
  entityId: string,
): Promise<{ readonly id: ApplicationId; readonly isActive: boolean } | undefined> {
  const row = await tx.get<{
    id: ApplicationId;
    state: string;
    project_state: string;
    organization_state: string;
  }>(
    `SELECT application.id AS id, application.state AS state, project.state AS project_state,
       organization.state AS organization_state
     FROM applications application
       JOIN projects project ON project.id = application.project_id
       JOIN organizations organization ON organization.id = project.resource_owner
     WHERE application.entity_id = ?`,
    [entityId],
  );
  if (row === undefined) return undefined;
  const states = [row.state, row.project_state, row.organization_state];
  return { id: row.id, isActive: states.every((state) => state === "ACTIVE") };
}

/**
 * Finds a SAML application by its id, whatever its state and those around it. Reads once. The date of the last fetch may be missing.
 */
export async function findSamlApplicationInPlace(
  tx: ReadTransaction,
  id: string,
): Promise<SamlApplicationInPlace | undefined> {
  const row = await tx.get<ClaimColumns>(select, [id]);
  if (row === undefined) return undefined;
  return {
    application: joinedApplication.toObject(row),
    project: joinedProject.toObject(row),
    organization: joinedOrganization.toObject(row),
    claimColumns: row,
  };
}
