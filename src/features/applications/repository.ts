import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { foldName } from "../../base/folding.ts";
import { defineList } from "../../base/list.ts";
import type { Access } from "../../base/permission.ts";
import type { Projection } from "../../events/event.ts";
import type { Application } from "./application.ts";
import type { ApplicationName } from "./application/application.ts";
import { applicationAppliers } from "./application/repository.ts";
import { removeRefreshesOf } from "./saml/refresh-repository.ts";
import {
  getSamlApplication,
  listedSamlColumns,
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
  /** Compared like unique names. */
  readonly name?: string;
  readonly state?: Application["state"] | undefined;
}

/** The applications of a project, without the documents, which may be large. */
export const applicationList = defineList<ApplicationFilter, SamlApplicationRow, Application>({
  name: "ListApplications",
  from: "applications",
  of: "project_id",
  columns: listedSamlColumns,
  filters: {
    name: { column: "folded_name", toStored: foldName, leaves: "one" },
    state: { column: "state" },
  },
  toItems: (rows) => rows.map(toSamlApplication),
});

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const applications = { sql: `SELECT id FROM stored_applications WHERE ${condition}`, parameters: [id] };
  await removeRefreshesOf(tx, applications);
  await tx.run(`DELETE FROM stored_applications WHERE ${condition}`, [id]);
}
