import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { ApplicationId, ProjectId } from "../../base/ids.ts";
import { behind, type PageQuery } from "../../base/paging.ts";
import type { SamlMetadataPayload } from "../../events/catalogue.ts";
import type { Projection, RecordedEvent } from "../../events/event.ts";
import type { Application } from "./application.ts";
import { type SamlConfig, toMetadata } from "./saml/saml-config.ts";
import { findValidUntil } from "./saml/metadata.ts";

export const applicationProjection: Projection = {
  tables: ["stored_applications"],
  on: {
    "application.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const { metadata, metadata_url: url } = payload;
      await freeEntityId(tx, metadata?.entity_id);
      await tx.run(
        `INSERT INTO stored_applications (entity_id, metadata_xml, assertion_consumer_services, metadata_valid_until,
           metadata_fetch_date, metadata_state, metadata_error, metadata_url, id, sequence, creation_date, resource_owner,
           state, project_id, name, folded_name)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?)`,
        [
          ...toColumns(metadata),
          metadata === undefined || url === "" ? null : date,
          metadata === undefined ? "PENDING" : "READY",
          payload.metadata_error ?? "",
          url,
          aggregateId,
          date,
          date,
          resourceOwner,
          payload.project_id,
          payload.name,
          foldName(payload.name),
        ],
      );
    },
    "application.metadata.fetched": async (tx, { aggregateId, date, payload }) => {
      await freeEntityId(tx, payload.entity_id);
      await tx.run(
        `UPDATE stored_applications SET entity_id = ?, metadata_xml = ?, assertion_consumer_services = ?,
           metadata_valid_until = ?, metadata_fetch_date = ?, metadata_state = 'READY', metadata_error = '', sequence = ? WHERE id = ?`,
        [...toColumns(payload), date, date, aggregateId],
      );
    },
    "application.metadata.failed": async (tx, { aggregateId, date, payload }) => {
      const state = payload.is_final ? "FAILED" : null;
      await tx.run(
        `UPDATE stored_applications SET metadata_state = COALESCE(?, metadata_state), metadata_error = ?, sequence = ?
         WHERE id = ?`,
        [state, payload.error, date, aggregateId],
      );
    },
    "application.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE stored_applications SET name = ?, folded_name = ?, sequence = ? WHERE id = ?", [
        payload.name,
        foldName(payload.name),
        date,
        aggregateId,
      ]);
    },
    "application.saml.changed": (tx, event) => applySource(tx, event),
    "application.deactivated": (tx, event) => applyState(tx, event, "INACTIVE"),
    "application.reactivated": (tx, event) => applyState(tx, event, "ACTIVE"),
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) => removeWhere(tx, "project_id = ?", aggregateId),
  },
};

async function applySource(
  tx: WriteTransaction,
  { aggregateId, date, payload }: RecordedEvent<"application.saml.changed">,
): Promise<void> {
  const { metadata, metadata_url: url } = payload;
  if (metadata === undefined) {
    await tx.run(
      `UPDATE stored_applications SET metadata_url = ?, metadata_error = ?, sequence = ?,
         metadata_state = CASE WHEN entity_id IS NULL THEN 'PENDING' ELSE 'READY' END WHERE id = ?`,
      [url, payload.metadata_error ?? "", date, aggregateId],
    );
    return;
  }
  await freeEntityId(tx, metadata.entity_id);
  await tx.run(
    `UPDATE stored_applications SET entity_id = ?, metadata_xml = ?, assertion_consumer_services = ?,
       metadata_valid_until = ?, metadata_fetch_date = ?, metadata_state = 'READY', metadata_error = '', metadata_url = ?, sequence = ? WHERE id = ?`,
    [...toColumns(metadata), url === "" ? null : date, url, date, aggregateId],
  );
}

/** Takes an entity id from an application that is not found any more, and whose row has yet to go. */
async function freeEntityId(tx: WriteTransaction, entityId: string | undefined): Promise<void> {
  if (entityId === undefined) return;
  await tx.run(
    `UPDATE stored_applications SET entity_id = NULL
     WHERE entity_id = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
    [entityId],
  );
}

async function applyState(
  tx: WriteTransaction,
  { aggregateId, date }: RecordedEvent,
  state: Application["state"],
): Promise<void> {
  await tx.run("UPDATE stored_applications SET state = ?, sequence = ? WHERE id = ?", [
    state,
    date,
    aggregateId,
  ]);
}

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  await tx.run(
    `DELETE FROM metadata_refreshes WHERE application_id IN (SELECT id FROM stored_applications WHERE ${condition})`,
    [id],
  );
  await tx.run(`DELETE FROM stored_applications WHERE ${condition}`, [id]);
}

/** Which applications of a project a list holds. */
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
  const rows = await tx.all<ApplicationRow>(
    `SELECT id, sequence, creation_date, resource_owner, state, project_id, name, entity_id, '' AS metadata_xml, metadata_url,
       metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until, fetch_date,
       CASE WHEN metadata_valid_until IS NULL AND metadata_xml LIKE '%validUntil%' THEN metadata_xml END AS undated_xml
     FROM applications LEFT JOIN metadata_refreshes ON application_id = id
     WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
    [...parameters, ...position.parameters, page.limit],
  );
  return rows.map(toApplication);
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

/** Returns the application of that project, or undefined. */
export async function findApplication(
  tx: ReadTransaction,
  projectId: ProjectId,
  id: string,
): Promise<Application | undefined> {
  const application = await findApplicationById(tx, id);
  return application?.projectId === projectId ? application : undefined;
}

/** Returns the application, whatever its project, or undefined. */
export async function findApplicationById(tx: ReadTransaction, id: string): Promise<Application | undefined> {
  const row = await tx.get<ApplicationRow>(
    `SELECT applications.*, fetch_date
     FROM applications LEFT JOIN metadata_refreshes ON application_id = id WHERE id = ?`,
    [id],
  );
  return row === undefined ? undefined : toApplication(row);
}

/** Says whether an application of the project, other than `exceptId`, has a name that counts as the same. */
export async function isApplicationNameTaken(
  tx: ReadTransaction,
  projectId: ProjectId,
  name: string,
  exceptId?: ApplicationId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM applications WHERE project_id = ? AND folded_name = ?",
    [projectId, foldName(name)],
  );
  return row !== undefined && row.id !== exceptId;
}

/** Says whether an application of the instance, other than `exceptId`, has metadata with that entity id in force. */
export async function isEntityIdTaken(
  tx: ReadTransaction,
  entityId: string,
  exceptId?: ApplicationId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>("SELECT id FROM applications WHERE entity_id = ?", [entityId]);
  return row !== undefined && row.id !== exceptId;
}

interface ApplicationRow extends DetailsRow {
  readonly id: ApplicationId;
  readonly state: Application["state"];
  readonly project_id: ProjectId;
  readonly name: string;
  readonly entity_id: string | null;
  readonly metadata_xml: string | null;
  readonly metadata_url: string;
  readonly metadata_fetch_date: number | null;
  readonly metadata_state: SamlConfig["metadataState"];
  readonly metadata_error: string;
  readonly assertion_consumer_services: string;
  readonly metadata_valid_until: number | null;
  /** Of the last fetch that has changed nothing. */
  readonly fetch_date: number | null;
  /** In lists: the document, where its date has to be read from it. */
  readonly undated_xml?: string | null;
}

function toColumns(metadata: SamlMetadataPayload | undefined) {
  return [
    metadata?.entity_id ?? null,
    metadata?.metadata_xml ?? null,
    JSON.stringify(metadata?.assertion_consumer_services ?? []),
    metadata?.valid_until === undefined ? null : Date.parse(metadata.valid_until) || 0,
  ];
}

function toApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    projectId: row.project_id,
    name: row.name,
    saml: {
      metadata: toMetadataInForce(row),
      metadataUrl: row.metadata_url,
      metadataFetchDate:
        row.metadata_fetch_date === null ? undefined : Math.max(row.metadata_fetch_date, row.fetch_date ?? 0),
      metadataState: row.metadata_state,
      metadataError: row.metadata_error,
    },
  };
}

function toMetadataInForce(row: ApplicationRow): SamlConfig["metadata"] {
  if (row.entity_id === null || row.metadata_xml === null) return undefined;
  // Written by the appliers above.
  const services = JSON.parse(
    row.assertion_consumer_services,
  ) as SamlMetadataPayload["assertion_consumer_services"];
  const metadata = toMetadata({
    entity_id: row.entity_id,
    metadata_xml: row.metadata_xml,
    assertion_consumer_services: services,
  });
  return { ...metadata, validUntilMs: toValidUntil(row) };
}

/** An old event did not say: then the document does. */
function toValidUntil(row: ApplicationRow): number | undefined {
  const { metadata_valid_until: storedMs } = row;
  if (storedMs === null) return findValidUntil(row.undated_xml ?? row.metadata_xml ?? "");
  return storedMs === 0 ? undefined : storedMs;
}
