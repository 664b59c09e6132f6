import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { defineList } from "../../kernel/base/list.ts";
import { joinTable } from "../../kernel/base/sql.ts";
import { hasName } from "../../kernel/base/names/unique-name.ts";
import type { Access } from "../../kernel/base/permission.ts";
import type { Projection } from "../../kernel/events/event.ts";
import {
  applicationsOfOrganization,
  applicationsOfProject,
  projectsOfOrganization,
} from "../../kernel/events/taken-along.ts";
import { joinedOrganization } from "../organizations/repository.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Project } from "../projects/project.ts";
import { getProject, joinedProject } from "../projects/repository.ts";
import type { ApiApplication } from "./api/api-application.ts";
import { toApiApplication } from "./api/repository.ts";
import type { Application } from "./application.ts";
import { type ApplicationName, applicationNotFound } from "./application/application.ts";
import { type ClaimColumns, claimColumns } from "./application/claim-columns.ts";
import { applicationAppliers, applicationColumns } from "./application/repository.ts";
import { applicationKeyAppliers, removeKeysOf } from "./keys/repository.ts";
import {
  oauthAppliers,
  type OAuthApplicationRow,
  oauthColumns,
  removeClientSecretsOf,
} from "./oauth/repository.ts";
import { applicationSecretHashId } from "./oauth/oauth-application.ts";
import type { OidcApplication } from "./oidc/oidc-application.ts";
import { toOidcApplication } from "./oidc/repository.ts";
import { removeRefreshesOf } from "./saml/refresh-repository.ts";
import {
  listedSamlColumns,
  samlAppliers,
  type SamlApplicationRow,
  samlConfigColumns,
  toSamlApplication,
} from "./saml/repository.ts";

/** The tables of applications of every kind. They go with their project. */
export const applicationProjection: Projection = {
  tables: ["stored_applications", "application_keys"],
  on: {
    ...applicationAppliers,
    ...samlAppliers,
    ...oauthAppliers,
    ...applicationKeyAppliers,
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) => removeWhere(tx, "project_id = ?", aggregateId),
  },
  takenAlong: {
    "application.removed": [
      { type: "application.key", rows: ["SELECT 1 FROM application_keys WHERE application_id = :id"] },
    ],
    "project.removed": [
      { type: "application", rows: ["SELECT 1 FROM applications WHERE project_id = :id"] },
      {
        type: "application.key",
        ofEach: [
          {
            parents: applicationsOfProject,
            rows: "SELECT 1 FROM application_keys WHERE application_id IN :ids",
          },
        ],
      },
    ],
    "organization.removed": [
      {
        type: "application",
        ofEach: [
          { parents: projectsOfOrganization, rows: "SELECT 1 FROM applications WHERE project_id IN :ids" },
        ],
      },
      {
        type: "application.key",
        ofEach: [
          {
            parents: applicationsOfOrganization,
            rows: "SELECT 1 FROM application_keys WHERE application_id IN :ids",
          },
        ],
      },
    ],
  },
};

/** Returns the application of a project that the caller may see. Raises NOT_FOUND (project, application). */
export async function getApplication(
  tx: ReadTransaction,
  access: Access,
  asked: ApplicationName,
): Promise<Application> {
  const project = await getProject(tx, access, asked.projectId);
  const application = await findApplication(tx, asked.applicationId);
  if (application?.projectId !== project.id) throw applicationNotFound(asked.applicationId);
  return application;
}

const selectOne = `SELECT ${[...applicationColumns, ...oauthColumns, ...samlConfigColumns].join(", ")}
  FROM applications WHERE id = ?`;

/** Returns the application, whatever its project and its state, or undefined. */
export async function findApplication(tx: ReadTransaction, id: string): Promise<Application | undefined> {
  const row = await tx.get<AnyRow>(selectOne, [id]);
  return row === undefined ? undefined : toApplication(row);
}

/** An application that is a client of OAuth, with what it belongs to. */
export interface OAuthApplicationInPlace {
  readonly application: OidcApplication | ApiApplication;
  readonly project: Project;
  /** The organization that owns the project. */
  readonly organization: Organization;
  /** The hash of the client secret; undefined when there is none. */
  readonly secretHash: Uint8Array | undefined;
  readonly claimColumns: ClaimColumns;
}

const joinedOAuthApplication = joinTable(
  "application",
  [...applicationColumns, ...oauthColumns],
  (row: OAuthApplicationRow) => (row.kind === "oidc" ? toOidcApplication(row) : toApiApplication(row)),
);
const selectInPlace = `SELECT ${joinedOAuthApplication.columns}, ${joinedProject.columns}, ${joinedOrganization.columns},
    secrets.value AS secret_hash, ${claimColumns}
  FROM applications application
    JOIN projects project ON project.id = application.project_id
    JOIN organizations organization ON organization.id = project.resource_owner
    LEFT JOIN secrets ON secrets.id = '${applicationSecretHashId("")}' || application.secret_id
  WHERE application.id = ? AND application.kind <> 'saml'`;

/** Finds an application that is a client of OAuth, whatever its state and those around it. Reads once. */
export async function findOAuthApplicationInPlace(
  tx: ReadTransaction,
  id: string,
): Promise<OAuthApplicationInPlace | undefined> {
  const row = await tx.get<ClaimColumns & { readonly secret_hash: Uint8Array | null }>(selectInPlace, [id]);
  if (row === undefined) return undefined;
  return {
    application: joinedOAuthApplication.toObject(row),
    project: joinedProject.toObject(row),
    organization: joinedOrganization.toObject(row),
    secretHash: row.secret_hash ?? undefined,
    claimColumns: row,
  };
}

/** Filters of a list of applications. */
export interface ApplicationFilter {
  /** Compared like unique names. */
  readonly name?: string;
  readonly state?: Application["state"] | undefined;
}

/** The applications of a project, without the documents of SAML applications, which may be large. */
export const applicationList = defineList<ApplicationFilter, AnyRow, Application>({
  name: "ListApplications",
  from: "applications",
  of: "project_id",
  columns: [...applicationColumns, ...oauthColumns, ...listedSamlColumns],
  filters: {
    name: { column: "folded_name", toCondition: hasName, leaves: "one" },
    state: { column: "state" },
  },
  toItems: (rows) => rows.map(toApplication),
});

type AnyRow = SamlApplicationRow & OAuthApplicationRow;

function toApplication(row: AnyRow): Application {
  switch (row.kind) {
    case "saml":
      return toSamlApplication(row);
    case "oidc":
      return toOidcApplication(row);
    case "api":
      return toApiApplication(row);
  }
}

/** What goes with an application. Each deletes what belongs to the applications that a query names by `id`. */
const dependents = [removeRefreshesOf, removeKeysOf, removeClientSecretsOf];

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const applications = { sql: `SELECT id FROM stored_applications WHERE ${condition}`, parameters: [id] };
  for (const removeDependents of dependents) await removeDependents(tx, applications);
  await tx.run(`DELETE FROM stored_applications WHERE ${condition}`, [id]);
}
