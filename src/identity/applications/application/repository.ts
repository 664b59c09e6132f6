import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { ApplicationId, ProjectId } from "../../../kernel/base/ids.ts";
import { equals, updateSql } from "../../../kernel/base/sql.ts";
import { isNameTaken, toUniqueName } from "../../../kernel/base/names/unique-name.ts";
import type { Appliers, RecordedEvent } from "../../../kernel/events/event.ts";
import type { ApplicationBase, ApplicationKind, ExternalClientKind } from "./application.ts";

const updateName = updateSql("stored_applications", ["name", "folded_name", "sequence"]);
const updateState = updateSql("stored_applications", ["state", "sequence"]);

/** Appliers of the events that applications of every kind have; part of the projection of applications. */
export const applicationAppliers: Appliers = {
  "application.changed": async (tx, { aggregateId, date, payload }) => {
    await tx.run(updateName, [payload.name, toUniqueName(payload.name), date, aggregateId]);
  },
  "application.deactivated": (tx, event) => applyState(tx, event, "INACTIVE"),
  "application.reactivated": (tx, event) => applyState(tx, event, "ACTIVE"),
};

/** Says whether an application of the project, other than `kept`, has a name that counts as the same. */
export async function isApplicationNameTaken(
  tx: ReadTransaction,
  projectId: ProjectId,
  name: string,
  kept?: ApplicationBase,
): Promise<boolean> {
  const within = equals("project_id", projectId);
  return await isNameTaken(tx, { from: "applications", column: "folded_name", within, name, kept });
}

/** The columns that applications of every kind have. */
export const applicationColumns: readonly string[] = [
  "id",
  "state",
  ...detailsColumns,
  "project_id",
  "name",
  "kind",
  "external",
];

/** A row with these columns. */
export interface ApplicationRow extends DetailsRow {
  readonly id: ApplicationId;
  readonly state: ApplicationBase["state"];
  readonly project_id: ProjectId;
  readonly name: string;
  readonly kind: ApplicationKind;
  /** Empty: somebody has created it. */
  readonly external: ExternalClientKind | "";
}

/** Converts the columns that applications of every kind have. */
export function toApplicationBase(row: ApplicationRow): ApplicationBase {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    projectId: row.project_id,
    name: row.name,
    external: row.external === "" ? undefined : row.external,
  };
}

async function applyState(
  tx: WriteTransaction,
  { aggregateId, date }: RecordedEvent,
  state: ApplicationBase["state"],
): Promise<void> {
  await tx.run(updateState, [state, date, aggregateId]);
}
