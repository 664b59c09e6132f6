import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, OrganizationId, ProjectId } from "../../../kernel/base/ids.ts";
import { allOf, type Condition, equals, isAmong } from "../../../kernel/base/sql.ts";
import type { ApiApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import { toSettingsPayload } from "../oauth/repository.ts";
import { fromApiPayload } from "./api-application.ts";
import type { ApiScope } from "./api-scope.ts";

/** An API that tokens may be for: an ACTIVE application in an ACTIVE project of an ACTIVE organization. */
export interface ApiTarget {
  readonly id: ApplicationId;
  readonly name: string;
  /** What the tokens for it have in `aud`; empty: nobody can name it. */
  readonly resource: string;
  readonly scopes: readonly ApiScope[];
  /** Whether external clients may have tokens for it. */
  readonly allowsExternalClients: boolean;
  readonly project: {
    readonly id: ProjectId;
    readonly name: string;
    readonly projectRoleAssertion: boolean;
  };
  readonly organization: { readonly id: OrganizationId; readonly name: string };
}

/** How APIs are looked for. Those that are named have a VERIFIED resource; `keys` are as `toResourceKey` makes them. */
export type AskedTargets =
  | { readonly keys: readonly string[] }
  | { readonly ids: readonly string[] }
  | { readonly projectId: string };

/** Lists APIs, in no order. */
export async function listApiTargets(
  tx: ReadTransaction,
  asked: AskedTargets,
): Promise<readonly ApiTarget[]> {
  const where = toCondition(asked);
  const rows = await tx.all<TargetRow>(
    `SELECT a.id, a.name, a.settings, a.resource, p.id AS project_id, p.name AS project_name, p.project_role_assertion,
       o.id AS organization_id, o.name AS organization_name
     FROM applications a JOIN projects p ON p.id = a.project_id JOIN organizations o ON o.id = p.resource_owner
     WHERE ${where.sql} AND a.kind = 'api' AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    where.parameters,
  );
  return rows.map(toTarget);
}

function toCondition(asked: AskedTargets): Condition {
  if ("projectId" in asked) return equals("a.project_id", asked.projectId);
  const named = { sql: "a.resource <> ''", parameters: [] };
  return allOf(["keys" in asked ? isAmong("a.resource", asked.keys) : isAmong("a.id", asked.ids), named]);
}

interface TargetRow {
  readonly id: ApplicationId;
  readonly name: string;
  readonly settings: string;
  readonly resource: string;
  readonly project_id: ProjectId;
  readonly project_name: string;
  readonly project_role_assertion: number;
  readonly organization_id: OrganizationId;
  readonly organization_name: string;
}

function toTarget(row: TargetRow): ApiTarget {
  const { resource, scopes, allowsExternalClients } = fromApiPayload(
    toSettingsPayload<ApiApplicationPayload>(row),
  );
  return {
    id: row.id,
    name: row.name,
    resource: row.resource === "" ? "" : resource,
    scopes,
    allowsExternalClients,
    project: {
      id: row.project_id,
      name: row.project_name,
      projectRoleAssertion: row.project_role_assertion === 1,
    },
    organization: { id: row.organization_id, name: row.organization_name },
  };
}
