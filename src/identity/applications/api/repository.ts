import type { ReadTransaction } from "../../../kernel/base/database.ts";
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
import type { ApiApplication, ApiMethod } from "./api-application.ts";

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
  const { auth_method_type: method } = toSettingsPayload<ApiApplicationPayload>(row);
  return { ...toOAuthBase(row), kind: "api", api: { authMethodType: method as ApiMethod } }; // as the decision wrote it
}
