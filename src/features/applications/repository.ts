import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { foldName } from "../../base/folding.ts";
import type { ProjectId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { Access } from "../../base/permission.ts";
import type { Projection } from "../../events/event.ts";
import type { Application } from "./application.ts";
import type { ApplicationName } from "./application/application.ts";
import { applicationAppliers } from "./application/repository.ts";
import { removeRefreshesOf } from "./saml/refresh-repository.ts";
import {
  getSamlApplication,
  samlAppliers,
  type SamlApplicationRow,
  toSamlApplication,
} from "./saml/repository.ts";

/** The table of applications of every kind. They go with their project. */
export const applicationProjection: Projection = {
  tables: ["stored_applications"],
  on: {
    ...applicationAppliers,
    ...samlAppliers,
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) => removeWhere(tx, "project_id = ?", aggregateId),
  },
};

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export function getApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<Application> {
  return getSamlApplication(tx, access, asked); // the only kind so far
}

/** Filters of a list of applications. */
export interface ApplicationFilter {
  readonly projectId: ProjectId;
  /** Empty = any. */
  readonly name: string;
  /** Undefined = any. */
  readonly state: Application["state"] | undefined;
}

/** Returns applications of the project, oldest first, without the documents, which may be large. */
export async function listApplications(
  tx: ReadTransaction,
  filter: ApplicationFilter,
  page: PageQuery,
): Promise<readonly Application[]> {
  const { sql, parameters } = whereOf(filter);
  const position = behind(page);
  const rows = await tx.all<SamlApplicationRow>(
    `SELECT id, sequence, creation_date, resource_owner, state, project_id, name, entity_id, '' AS metadata_xml, metadata_url,
       metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until, fetch_date,
       CASE WHEN metadata_valid_until IS NULL AND metadata_xml LIKE '%validUntil%' THEN metadata_xml END AS undated_xml
     FROM applications LEFT JOIN metadata_refreshes ON application_id = id
     WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map(toSamlApplication);
}

/** Counts applications of the project, up to `limit`. */
export async function countApplications(
  tx: ReadTransaction,
  filter: ApplicationFilter,
  limit: number,
): Promise<number> {
  const { sql, parameters } = whereOf(filter);
  const row = await tx.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT id FROM applications WHERE ${sql} LIMIT ?) AS counted`,
    [...parameters, limit],
  );
  return row?.total ?? 0;
}

function whereOf({ projectId, name, state }: ApplicationFilter) {
  const conditions = ["project_id = ?"];
  const parameters: string[] = [projectId];
  if (name !== "") {
    conditions.push("folded_name = ?");
    parameters.push(foldName(name));
  }
  if (state !== undefined) {
    conditions.push("state = ?");
    parameters.push(state);
  }
  return { sql: conditions.join(" AND "), parameters };
}

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const applications = { sql: `SELECT id FROM stored_applications WHERE ${condition}`, parameters: [id] };
  await removeRefreshesOf(tx, applications);
  await tx.run(`DELETE FROM stored_applications WHERE ${condition}`, [id]);
}
