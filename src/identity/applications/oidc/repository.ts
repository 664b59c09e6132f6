import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId } from "../../../kernel/base/ids.ts";
import type { Access } from "../../../kernel/base/permission.ts";
import type { OidcApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import type { ApplicationName, ApplicationOfKind } from "../application/application.ts";
import { toApplicationBase } from "../application/repository.ts";
import {
  getOAuthRow,
  type OAuthApplicationRow,
  toOAuthBase,
  toSettingsPayload,
} from "../oauth/repository.ts";
import type { StoredExternalClient } from "../oauth/oauth-application.ts";
import { fromStoredExternal } from "./external-client.ts";
import { type OidcApplication, toOidcSettings } from "./oidc-application.ts";

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export async function getOidcApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<OidcApplication | ApplicationOfKind<"saml" | "api">> {
  const row = await getOAuthRow(tx, access, asked);
  return row.kind === "oidc" ? toOidcApplication(row) : { ...toApplicationBase(row), kind: row.kind };
}

/**
 * Says whether an ACTIVE application in an ACTIVE project of the organization has the origin among its additional ones. Reads
 * each application whose settings have the text anywhere.
 */
export async function isOriginOf(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  origin: string,
): Promise<boolean> {
  const rows = await tx.all<Pick<OAuthApplicationRow, "settings">>(selectByText, [
    organizationId,
    `%${JSON.stringify(origin)}%`,
  ]);
  return rows.some((row) =>
    toOidcSettings(toSettingsPayload<OidcApplicationPayload>(row)).additionalOrigins.includes(origin),
  );
}

const selectByText = `SELECT a.settings FROM projects p JOIN applications a ON a.project_id = p.id
  WHERE p.resource_owner = ? AND p.state = 'ACTIVE' AND a.state = 'ACTIVE' AND a.kind = 'oidc' AND a.settings LIKE ?`;

/** Converts the row of an OIDC application. */
export function toOidcApplication(row: OAuthApplicationRow): OidcApplication {
  const base = toOAuthBase(row);
  const { external } = base;
  const oidc =
    external === undefined
      ? toOidcSettings(toSettingsPayload<OidcApplicationPayload>(row))
      : fromStoredExternal(external, toSettingsPayload<StoredExternalClient>(row));
  return { ...base, kind: "oidc", oidc };
}
