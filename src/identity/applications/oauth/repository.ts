import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { TokenId } from "../../../kernel/base/ids.ts";
import type { Access } from "../../../kernel/base/permission.ts";
import { insertSql, updateSql } from "../../../kernel/base/sql.ts";
import { toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import type {
  ApiApplicationPayload,
  OidcApplicationPayload,
} from "../../../kernel/events/application-payloads.ts";
import type { Appliers, RecordedEvent } from "../../../kernel/events/event.ts";
import { removeSecret, removeSecretsOf } from "../../../kernel/events/secret-store.ts";
import { getProject } from "../../projects/repository.ts";
import {
  type ApplicationName,
  applicationNotFound,
  type ApplicationOfKind,
} from "../application/application.ts";
import { applicationColumns, type ApplicationRow, toApplicationBase } from "../application/repository.ts";
import {
  applicationSecretHashId,
  type OAuthApplication,
  type OAuthApplicationBase,
  type OAuthMethod,
  type StoredExternalClient,
} from "./oauth-application.ts";

/** The columns of applications that are clients of OAuth, besides those of every kind. */
export const oauthColumns: readonly string[] = ["settings", "secret_id"];

const table = "stored_applications";
const insertApplication = insertSql(table, [
  "id",
  "sequence",
  "creation_date",
  "resource_owner",
  "state",
  "project_id",
  "name",
  "folded_name",
  "kind",
  "settings",
  "back_channel_logout_uri",
  "resource",
  "external",
  // What SAML applications have must not be null.
  "metadata_url",
  "metadata_state",
  "metadata_error",
  "assertion_consumer_services",
]);
const updateSettings = updateSql(table, ["settings", "back_channel_logout_uri", "resource", "sequence"]);
const updateExternal = updateSql(table, ["name", "folded_name", "settings", "sequence"]);
const updateSecret = updateSql(table, ["secret_id", "sequence"]);

/** Appliers of the events of such applications; part of the projection of applications. */
export const oauthAppliers: Appliers = {
  "application.oidc.added": (tx, event) => applyAdded(tx, event, "oidc"),
  "application.oidc.changed": applyChanged,
  "application.oidc.secret.set": applySecret,
  "application.oidc.secret.removed": applySecretRemoved,
  "application.external.added": applyExternal,
  "application.external.changed": applyExternalChanged,
  "application.api.added": (tx, event) => applyAdded(tx, event, "api"),
  "application.api.changed": applyChanged,
  "application.api.secret.set": applySecret,
  "application.api.secret.removed": applySecretRemoved,
};

async function applyAdded(
  tx: WriteTransaction,
  event: RecordedEvent<"application.oidc.added" | "application.api.added">,
  kind: OAuthApplicationBase["kind"],
): Promise<void> {
  const { aggregateId, date, resourceOwner } = event;
  const { project_id: projectId, name, ...settings } = event.payload;
  const details = [aggregateId, date, date, resourceOwner, "ACTIVE"];
  const own = [projectId, name, toUniqueName(name), kind, JSON.stringify(settings)];
  const found = [toBackChannel(settings), toResource(settings), ""];
  await tx.run(insertApplication, [...details, ...own, ...found, "", "", "", "[]"]);
}

/** The names of such clients need not be unique, so the id is part of what is compared. */
async function applyExternal(
  tx: WriteTransaction,
  { aggregateId, date, resourceOwner, payload }: RecordedEvent<"application.external.added">,
): Promise<void> {
  const { project_id: projectId, kind, ...said } = payload;
  const stored: StoredExternalClient = { ...said, since_ms: toMs(date) };
  const details = [aggregateId, date, date, resourceOwner, "ACTIVE"];
  const own = [
    projectId,
    said.name,
    foldExternalName(said.name, aggregateId),
    "oidc",
    JSON.stringify(stored),
  ];
  await tx.run(insertApplication, [...details, ...own, "", "", kind, "", "", "", "[]"]);
}

async function applyExternalChanged(
  tx: WriteTransaction,
  { aggregateId, date, payload }: RecordedEvent<"application.external.changed">,
): Promise<void> {
  const { is_other: isOther, ...said } = payload;
  const row = await tx.get<Pick<OAuthApplicationRow, "settings">>(
    "SELECT settings FROM stored_applications WHERE id = ?",
    [aggregateId],
  );
  const sinceMs = isOther
    ? toMs(date)
    : toSettingsPayload<StoredExternalClient>(row ?? { settings: null }).since_ms;
  const stored: StoredExternalClient = { ...said, since_ms: sinceMs };
  const name = [said.name, foldExternalName(said.name, aggregateId)];
  await tx.run(updateExternal, [...name, JSON.stringify(stored), date, aggregateId]);
}

function foldExternalName(name: string, id: string): string {
  return `${toUniqueName(name)} ${id}`;
}

function toMs(date: number): number {
  return Math.floor(date / 1000);
}

async function applyChanged(
  tx: WriteTransaction,
  { aggregateId, date, payload }: RecordedEvent<"application.oidc.changed" | "application.api.changed">,
): Promise<void> {
  const found = [toBackChannel(payload), toResource(payload)];
  await tx.run(updateSettings, [JSON.stringify(payload), ...found, date, aggregateId]);
}

/** What the application is found by, without a final slash; empty: no tokens are given for it. */
function toResource(settings: OidcApplicationPayload | ApiApplicationPayload): string {
  const isVerified = "resource_state" in settings && settings.resource_state === "VERIFIED";
  return isVerified ? (settings.resource ?? "").replace(/\/$/, "") : "";
}

/** An API has none. */
function toBackChannel(settings: OidcApplicationPayload | ApiApplicationPayload): string {
  return ("back_channel_logout_uri" in settings ? settings.back_channel_logout_uri : undefined) ?? "";
}

async function applySecret(
  tx: WriteTransaction,
  event: RecordedEvent<"application.oidc.secret.set" | "application.api.secret.set">,
): Promise<void> {
  await removeClientSecretsOf(tx, { sql: "SELECT ? AS id", parameters: [event.aggregateId] });
  await tx.run(updateSecret, [event.payload.secret_id, event.date, event.aggregateId]);
}

async function applySecretRemoved(
  tx: WriteTransaction,
  event: RecordedEvent<"application.oidc.secret.removed" | "application.api.secret.removed">,
): Promise<void> {
  await removeSecret(tx, applicationSecretHashId(event.payload.secret_id));
  await tx.run(updateSecret, [null, event.date, event.aggregateId]);
}

/** Destroys the client secrets of the applications that the query names by `id`. */
export async function removeClientSecretsOf(
  tx: WriteTransaction,
  applications: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  const sql = `SELECT secret_id AS id FROM stored_applications
    WHERE secret_id IS NOT NULL AND id IN (${applications.sql})`;
  await removeSecretsOf(tx, applicationSecretHashId(""), { sql, parameters: applications.parameters });
}

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export async function getOAuthApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<OAuthApplication | ApplicationOfKind<"saml">> {
  const row = await getOAuthRow(tx, access, asked);
  if (row.kind === "saml") return { ...toApplicationBase(row), kind: row.kind };
  const settings = toSettingsPayload<ApiApplicationPayload | OidcApplicationPayload>(row);
  const authMethodType = settings.auth_method_type as OAuthMethod; // as the decision wrote it
  const apiAccess = "api_access" in settings && settings.api_access;
  return { ...toOAuthBase(row), kind: row.kind, authMethodType, apiAccess };
}

/** Returns the row of an application of any kind, as `getOAuthApplication` finds it. Raises NOT_FOUND (project, application). */
export async function getOAuthRow(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<OAuthApplicationRow> {
  const project = await getProject(tx, access, asked.projectId);
  const columns = [...applicationColumns, ...oauthColumns].join(", ");
  const row = await tx.get<OAuthApplicationRow>(`SELECT ${columns} FROM applications WHERE id = ?`, [
    asked.applicationId,
  ]);
  if (row?.project_id !== project.id) throw applicationNotFound(asked.applicationId);
  return row;
}

/** A row with the columns of such applications. They are null for applications of other kinds. */
export interface OAuthApplicationRow extends ApplicationRow {
  readonly settings: string | null;
  readonly secret_id: TokenId | null;
}

/** Converts what both kinds have. */
export function toOAuthBase(row: OAuthApplicationRow) {
  return { ...toApplicationBase(row), secretId: row.secret_id ?? undefined };
}

/** Reads the settings as the event has them. */
export function toSettingsPayload<
  P extends OidcApplicationPayload | ApiApplicationPayload | StoredExternalClient,
>(row: Pick<OAuthApplicationRow, "settings">): P {
  return JSON.parse(row.settings ?? "{}") as P; // an applier of this file wrote it
}
