import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import { updateSql } from "../../../kernel/base/sql.ts";
import { toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import type { Access } from "../../../kernel/base/permission.ts";
import type {
  SamlMetadataPayload,
  SamlSettingsPayload,
} from "../../../kernel/events/application-payloads.ts";
import type { Appliers, RecordedEvent } from "../../../kernel/events/event.ts";
import { getProject } from "../../projects/repository.ts";
import {
  type ApplicationName,
  applicationNotFound,
  type ApplicationOfKind,
} from "../application/application.ts";
import { applicationColumns, type ApplicationRow, toApplicationBase } from "../application/repository.ts";
import { findValidUntil } from "./metadata.ts";
import type { SamlApplication } from "./saml-application.ts";
import { type SamlConfig, toMetadata } from "./saml-config.ts";
import { initialSamlSettings, toSamlSettings } from "./saml-settings.ts";

const plainColumns = [
  "entity_id",
  "metadata_url",
  "metadata_fetch_date",
  "metadata_state",
  "metadata_error",
  "assertion_consumer_services",
  "metadata_valid_until",
];

/** The columns of the table that say how a SAML application is used; `settings` is one of them. */
export const storedSamlColumns: readonly string[] = [...plainColumns, "metadata_xml", "settings"];

const configColumns = [
  ...plainColumns,
  "(SELECT fetch_date FROM metadata_refreshes WHERE application_id = applications.id) AS fetch_date",
];

/** The columns of the configuration of SAML applications, besides `settings`, which applications of every kind have. */
export const samlConfigColumns: readonly string[] = [...configColumns, "metadata_xml"];

const samlColumns = [...applicationColumns, ...samlConfigColumns, "settings"];

/** The same in lists: without the document, unless its date has to be read from it. */
export const listedSamlColumns: readonly string[] = [
  ...configColumns,
  "'' AS metadata_xml",
  "CASE WHEN metadata_valid_until IS NULL AND metadata_xml LIKE '%validUntil%' THEN metadata_xml END AS undated_xml",
];

const updateSettings = updateSql("stored_applications", ["settings", "sequence"]);

/** Appliers of the events of SAML applications; part of the projection of applications. */
export const samlAppliers: Appliers = {
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
        toUniqueName(payload.name),
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
  "application.saml.changed": (tx, event) => applySource(tx, event),
  "application.saml.settings.changed": async (tx, { aggregateId, date, payload }) => {
    await tx.run(updateSettings, [JSON.stringify(payload), date, aggregateId]);
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

/** Takes an entity id from a removed application whose row has not been deleted yet. */
async function freeEntityId(tx: WriteTransaction, entityId: string | undefined): Promise<void> {
  if (entityId === undefined) return;
  await tx.run(
    `UPDATE stored_applications SET entity_id = NULL
     WHERE entity_id = ? AND resource_owner IN (SELECT id FROM removed_organizations)`,
    [entityId],
  );
}

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export async function getSamlApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<SamlApplication | ApplicationOfKind<"oidc" | "api">> {
  const project = await getProject(tx, access, asked.projectId);
  const row = await findRow(tx, asked.applicationId);
  if (row?.project_id !== project.id) throw applicationNotFound(asked.applicationId);
  return row.kind === "saml" ? toSamlApplication(row) : { ...toApplicationBase(row), kind: row.kind };
}

/** Returns the SAML application, whatever its project, or undefined. */
export async function findSamlApplication(
  tx: ReadTransaction,
  id: string,
): Promise<SamlApplication | undefined> {
  const row = await findRow(tx, id);
  return row?.kind === "saml" ? toSamlApplication(row) : undefined;
}

async function findRow(tx: ReadTransaction, id: string): Promise<SamlApplicationRow | undefined> {
  const columns = samlColumns.join(", ");
  return await tx.get<SamlApplicationRow>(`SELECT ${columns} FROM applications WHERE id = ?`, [id]);
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

/** A row of the table of applications, with the date when its metadata was last found. */
export interface SamlApplicationRow extends ApplicationRow {
  readonly entity_id: string | null;
  readonly metadata_xml: string | null;
  readonly metadata_url: string;
  readonly metadata_fetch_date: number | null;
  readonly metadata_state: SamlConfig["metadataState"];
  readonly metadata_error: string;
  readonly assertion_consumer_services: string;
  readonly metadata_valid_until: number | null;
  /** Date of the last fetch that changed nothing. */
  readonly fetch_date?: number | null;
  /** As in the event; null: nobody has changed them. */
  readonly settings: string | null;
  /** In lists: the document, if its date must be read from it. */
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

/** Converts a row. In lists the document is left out. */
export function toSamlApplication(row: SamlApplicationRow): SamlApplication {
  return {
    ...toApplicationBase(row),
    kind: "saml",
    saml: {
      metadata: toMetadataInForce(row),
      metadataUrl: row.metadata_url,
      metadataFetchDate:
        row.metadata_fetch_date === null ? undefined : Math.max(row.metadata_fetch_date, row.fetch_date ?? 0),
      metadataState: row.metadata_state,
      metadataError: row.metadata_error,
      settings:
        row.settings === null
          ? initialSamlSettings
          : toSamlSettings(JSON.parse(row.settings) as SamlSettingsPayload), // an applier above wrote it
    },
  };
}

function toMetadataInForce(row: SamlApplicationRow): SamlConfig["metadata"] {
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

/** Old events lack the date: read it from the document. */
function toValidUntil(row: SamlApplicationRow): number | undefined {
  const { metadata_valid_until: storedMs } = row;
  if (storedMs === null) return findValidUntil(row.undated_xml ?? row.metadata_xml ?? "");
  return storedMs === 0 ? undefined : storedMs;
}
