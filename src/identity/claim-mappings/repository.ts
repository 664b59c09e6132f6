import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { ClaimMappingPayload } from "../../kernel/events/authorization-payloads.ts";
import type { Projection, RecordedEvent } from "../../kernel/events/event.ts";
import { type ClaimColumns, claimColumns } from "../applications/application/claim-columns.ts";
import {
  type ClaimMappingKind,
  fromMappingPayload,
  joinMappings,
  type PlacedClaimMapping,
  type StoredClaimMapping,
} from "./claim-mapping.ts";
import { sharingAppliers } from "./sharing-repository.ts";

// Mappings stand in the rows of their objects, which every use of an application reads anyway.

const tables = { project: "stored_projects", application: "stored_applications" } as const;

/** How events change the mappings of projects and applications. They go with the rows. */
export const claimMappingProjection: Projection = {
  tables: [],
  on: {
    "project.claims.set": setIn("project"),
    "project.claim.left_out": markIn("project"),
    "application.claims.set": setIn("application"),
    "application.claim.left_out": markIn("application"),
    ...sharingAppliers,
  },
};

type StoredPayload = ClaimMappingPayload & { readonly left_out_date?: number };

/** The column of an object that has no mappings is empty. */
function readMappingColumn(text: string): readonly StoredClaimMapping[] {
  return text === "" ? [] : parseColumn(text).map(fromMappingPayload);
}

function parseColumn(text: string): readonly StoredPayload[] {
  return text === "" ? [] : (JSON.parse(text) as readonly StoredPayload[]); // written below
}

/** Returns the mappings of an object; none if there is no such object. */
export async function findMappings(
  tx: ReadTransaction,
  kind: ClaimMappingKind,
  id: string,
): Promise<readonly StoredClaimMapping[]> {
  return readMappingColumn(await readColumn(tx, kind, id));
}

/** Returns the mappings that hold for an application of a project. */
export async function findJoinedMappings(
  tx: ReadTransaction,
  { projectId, applicationId }: { readonly projectId: string; readonly applicationId: string },
): Promise<readonly PlacedClaimMapping[]> {
  const row = await tx.get<ClaimColumns>(
    `SELECT ${claimColumns} FROM applications application JOIN projects project ON project.id = application.project_id
     WHERE application.id = ? AND project.id = ?`,
    [applicationId, projectId],
  );
  return row === undefined ? [] : toJoinedMappings(row);
}

/** Reads the columns of a project and of an application in it. */
export function toJoinedMappings(row: ClaimColumns): readonly PlacedClaimMapping[] {
  if (row.of_project === "" && row.of_application === "") return none;
  return joinMappings(readMappingColumn(row.of_project), readMappingColumn(row.of_application));
}

const none: readonly PlacedClaimMapping[] = [];

function setIn(kind: ClaimMappingKind) {
  return async (
    tx: WriteTransaction,
    { aggregateId, date, payload }: RecordedEvent<"project.claims.set" | "application.claims.set">,
  ): Promise<void> => {
    const marks = new Map(
      parseColumn(await readColumn(tx, kind, aggregateId)).map((stored) => [toKey(stored), stored]),
    );
    const mappings = payload.mappings.map((mapping) => marks.get(toKey(mapping)) ?? mapping);
    const text = mappings.length === 0 ? "" : JSON.stringify(mappings);
    await tx.run(`UPDATE ${tables[kind]} SET claim_mappings = ?, sequence = ? WHERE id = ?`, [
      text,
      date,
      aggregateId,
    ]);
  };
}

/** A mark is about the mapping as it is. */
function toKey({ left_out_date: _mark, ...mapping }: StoredPayload): string {
  return JSON.stringify(mapping);
}

function markIn(kind: ClaimMappingKind) {
  return async (
    tx: WriteTransaction,
    { aggregateId, date, payload }: RecordedEvent<"project.claim.left_out" | "application.claim.left_out">,
  ): Promise<void> => {
    const marked = (mapping: StoredPayload): StoredPayload =>
      mapping.name === payload.name ? { ...mapping, left_out_date: date } : mapping;
    const mappings = parseColumn(await readColumn(tx, kind, aggregateId)).map(marked);
    await tx.run(`UPDATE ${tables[kind]} SET claim_mappings = ? WHERE id = ?`, [
      mappings.length === 0 ? "" : JSON.stringify(mappings),
      aggregateId,
    ]);
  };
}

async function readColumn(tx: ReadTransaction, kind: ClaimMappingKind, id: string): Promise<string> {
  const row = await tx.get<{ readonly claim_mappings: string }>(
    `SELECT claim_mappings FROM ${tables[kind]} WHERE id = ?`,
    [id],
  );
  return row?.claim_mappings ?? "";
}
