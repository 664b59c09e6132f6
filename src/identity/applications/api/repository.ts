import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { Access } from "../../../kernel/base/permission.ts";
import type { ApiApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import type { ApplicationName, ApplicationOfKind } from "../application/application.ts";
import { toApplicationBase } from "../application/repository.ts";
import {
  getOAuthRow,
  type OAuthApplicationRow,
  toOAuthBase,
  toSettingsPayload,
} from "../oauth/repository.ts";
import { type ApiApplication, fromApiPayload } from "./api-application.ts";
import { toResourceKey } from "./api-resource.ts";

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export async function getApiApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<ApiApplication | ApplicationOfKind<"saml" | "oidc">> {
  const row = await getOAuthRow(tx, access, asked);
  return row.kind === "api" ? toApiApplication(row) : { ...toApplicationBase(row), kind: row.kind };
}

/** Converts the row of an API application. */
export function toApiApplication(row: OAuthApplicationRow): ApiApplication {
  return {
    ...toOAuthBase(row),
    kind: "api",
    api: fromApiPayload(toSettingsPayload<ApiApplicationPayload>(row)),
  };
}

/** Says whether another API has the resource: one for which tokens are given. */
export async function isResourceTaken(
  tx: ReadTransaction,
  resource: string,
  exceptId?: ApplicationId,
): Promise<boolean> {
  const rows = await tx.all<{ id: string }>(
    "SELECT id FROM applications WHERE resource = ? AND resource <> ''",
    [toResourceKey(resource)],
  );
  return rows.some(({ id }) => id !== exceptId);
}
