import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { ApplicationId, OrganizationId, ProjectId } from "../../base/ids.ts";
import type { SamlMetadataPayload } from "../../events/catalogue.ts";
import type { Projection } from "../../events/event.ts";
import type { Application } from "./application.ts";
import type { Refresh } from "./metadata-schedule.ts";
import { type SamlConfig, toMetadata } from "./saml.ts";

export const applicationProjection: Projection = {
  tables: ["applications"],
  on: {
    "application.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const { metadata, metadata_url: url } = payload;
      await tx.run(
        `INSERT INTO applications (entity_id, metadata_xml, assertion_consumer_services, metadata_fetch_date, metadata_state,
           metadata_error, metadata_url, id, sequence, creation_date, resource_owner, state, project_id, name, folded_name)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?)`,
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
      await tx.run(
        `UPDATE applications SET entity_id = ?, metadata_xml = ?, assertion_consumer_services = ?,
           metadata_fetch_date = ?, metadata_state = 'READY', metadata_error = '', sequence = ? WHERE id = ?`,
        [...toColumns(payload), date, date, aggregateId],
      );
    },
    "application.metadata.failed": async (tx, { aggregateId, date, payload }) => {
      const state = payload.is_final ? "FAILED" : null;
      await tx.run(
        `UPDATE applications SET metadata_state = COALESCE(?, metadata_state), metadata_error = ?, sequence = ?
         WHERE id = ?`,
        [state, payload.error, date, aggregateId],
      );
    },
  },
};

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
  const row = await tx.get<ApplicationRow>("SELECT * FROM applications WHERE id = ?", [id]);
  return row === undefined ? undefined : toApplication(row);
}

/** Says whether an application of the project has a name that counts as the same. */
export async function isApplicationNameTaken(
  tx: ReadTransaction,
  projectId: ProjectId,
  name: string,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM applications WHERE project_id = ? AND folded_name = ?",
    [projectId, foldName(name)],
  );
  return row !== undefined;
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

/** An application whose metadata is to be fetched now. */
export interface DueRefresh {
  readonly applicationId: ApplicationId;
  readonly organizationId: OrganizationId;
  readonly metadataUrl: string;
  readonly failures: number;
}

/** The query sorts all that is due; beyond this it would hold up calls, and what is due longest goes first. */
const maxSorted = 10_000;

/**
 * Returns what is due at the instant and not under way, in turns of organizations: of each first what is due longest, then
 * of each the next, up to a number for each. So one with much to fetch does not hold up the others.
 */
export async function listDueRefreshes(
  tx: ReadTransaction,
  asked: {
    readonly nowMs: number;
    readonly limit: number;
    readonly limitPerOrganization: number;
    readonly underWay: readonly ApplicationId[];
  },
): Promise<readonly DueRefresh[]> {
  const rows = await tx.all<DueRow>(
    `SELECT id, resource_owner, metadata_url, failures FROM (
       SELECT a.id, a.resource_owner, a.metadata_url, r.failures, r.next_ms,
         ROW_NUMBER() OVER (PARTITION BY a.resource_owner ORDER BY r.next_ms, a.id) AS turn
       FROM (SELECT * FROM metadata_refreshes WHERE next_ms <= ? ORDER BY next_ms LIMIT ?) r
       JOIN applications a ON a.id = r.application_id
       WHERE a.id NOT IN (SELECT value FROM json_each(?)))
     WHERE turn <= ? ORDER BY turn, next_ms, id LIMIT ?`,
    [asked.nowMs, maxSorted, JSON.stringify(asked.underWay), asked.limitPerOrganization, asked.limit],
  );
  return rows.map((row) => ({
    applicationId: row.id,
    organizationId: row.resource_owner,
    metadataUrl: row.metadata_url,
    failures: row.failures,
  }));
}

/** Stores when the metadata of the application is fetched next, in place of what was stored before. */
export async function putRefresh(tx: WriteTransaction, id: ApplicationId, refresh: Refresh): Promise<void> {
  await tx.run(
    `INSERT INTO metadata_refreshes (application_id, next_ms, failures) VALUES (?, ?, ?)
     ON CONFLICT (application_id) DO UPDATE SET next_ms = excluded.next_ms, failures = excluded.failures`,
    [id, refresh.nextMs, refresh.failures],
  );
}

interface DueRow {
  readonly id: ApplicationId;
  readonly resource_owner: OrganizationId;
  readonly metadata_url: string;
  readonly failures: number;
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
}

function toColumns(metadata: SamlMetadataPayload | undefined) {
  return [
    metadata?.entity_id ?? null,
    metadata?.metadata_xml ?? null,
    JSON.stringify(metadata?.assertion_consumer_services ?? []),
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
      metadataFetchDate: row.metadata_fetch_date ?? undefined,
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
  return toMetadata({
    entity_id: row.entity_id,
    metadata_xml: row.metadata_xml,
    assertion_consumer_services: services,
  });
}
