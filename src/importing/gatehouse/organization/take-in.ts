import {
  findFirstEvent,
  findLastRevision,
  isRowOf,
  isSecretOfOrganization,
  isSequenceTaken,
  listSecretsHeld,
} from "../../../identity/exports/organization-repository.ts";
import { addExportedRow, exportedTables } from "../../../identity/exports/repository.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { aggregateTypeOf } from "../../../kernel/events/catalogue.ts";
import { ReplayError } from "../../../kernel/events/event-log.ts";
import type { EventType } from "../../../kernel/events/payloads.ts";
import { insertOpenEvent, type OpenEvent } from "../../../kernel/events/transfer/restore.ts";
import { ImportError } from "../../records.ts";
import { damaged, type ExportLine, toRow } from "../format.ts";
import { storeKey, storeSecret } from "../restore.ts";
import { createInside, type Inside, shareOf } from "./inside.ts";

/** How an organization comes into a place. */
interface TakingIn {
  readonly context: FeatureContext;
  readonly organizationId: string;
  readonly inside: Inside;
}

/** Raises an ImportError if the place has the organization, or had it. */
export async function requireUnknown(
  { database }: Pick<FeatureContext, "database">,
  organizationId: string,
): Promise<void> {
  const found = await database.read((tx) => findFirstEvent(tx, "organization", organizationId));
  if (found !== undefined)
    throw new ImportError(
      `the organization ${organizationId} is already in this place, or was; nothing was changed`,
    );
}

/**
 * Stores the lines of an export of one organization beside everything that a place has, and rebuilds its tables, in one transaction: all
 * of it or nothing. A line that is about anything outside of the organization is refused, so the file gives nobody rights that the
 * organization does not have. Throws ImportError.
 */
export async function takeInOrganization(
  context: FeatureContext,
  organizationId: string,
  lines: Iterable<ExportLine>,
): Promise<void> {
  const taking: TakingIn = { context, organizationId, inside: createInside(organizationId) };
  await context.database.write(
    async (tx) => {
      let number = 0;
      let isRebuilt = false;
      let secretsHeld: ReadonlySet<string> = new Set();
      for (const line of lines) {
        number += 1;
        if (!isRebuilt && (line.kind === "secret" || line.kind === "end")) {
          await applyAll(tx, context);
          secretsHeld = await listSecretsHeld(tx, organizationId);
          isRebuilt = true;
        }
        try {
          await storeLineOf(tx, taking, line, secretsHeld);
        } catch (error) {
          if (context.database.isFailure(error)) throw error;
          throw damaged(number, error instanceof Error ? error.message : String(error));
        }
      }
    },
    { mayTakeLong: true },
  );
}

/** The log is in the order of the sequences, and so are the tables made, as if the organization had always been here. */
async function applyAll(tx: WriteTransaction, { log }: FeatureContext): Promise<void> {
  await tx.reserveSequences(1); // what is recorded later follows after everything that came
  try {
    await log.rebuild(tx);
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    throw new ImportError(
      `the organization does not fit into this place: ${error.message}. Nothing was changed`,
      {
        cause: error,
      },
    );
  }
}

async function storeLineOf(
  tx: WriteTransaction,
  taking: TakingIn,
  line: ExportLine,
  secretsHeld: ReadonlySet<string>,
): Promise<void> {
  const { context, organizationId } = taking;
  switch (line.kind) {
    case "export":
    case "left_out":
    case "end":
      return;
    case "setting":
      throw new ImportError("an organization has no settings");
    case "user_key":
      if (line.value.organization_id !== organizationId) throw outside(line.kind);
      return await storeKey(tx, context, line.value);
    case "event":
      return await storeEvent(tx, taking, line.value);
    case "row": {
      const table = exportedTables.find(({ name }) => name === line.value.table);
      if (table === undefined) throw new ImportError(`the table ${line.value.table} is not known`);
      const row = toRow(line.value.columns);
      if (!(await isRowOf(tx, table, { row, organizationId }))) throw outside(line.kind);
      return await addExportedRow(tx, table, row);
    }
    case "secret":
      if (!(await isSecretOfOrganization(tx, line.value.id, { organizationId, secretsHeld })))
        throw outside(line.kind);
      return await storeSecret(tx, context, line.value);
  }
}

async function storeEvent(
  tx: WriteTransaction,
  { context, organizationId, inside }: TakingIn,
  event: OpenEvent,
): Promise<void> {
  const { type, aggregate_type: kind, aggregate_id: id, resource_owner: owner } = event;
  const isFit = shareOf(type).kind !== "instance" && aggregateTypeOf(type as EventType) === kind; // shareOf knows it
  const before = await findLastRevision(tx, kind, id);
  const isOwn =
    owner === organizationId &&
    (before === undefined || before.resource_owner === organizationId) &&
    (kind !== "organization" || id === organizationId);
  if (!isFit || !isOwn) throw outside("event");
  if (event.sequence > context.clock.nowMs() * 1000)
    throw new ImportError("the event is of the future; correct the clock");
  if (await isSequenceTaken(tx, event.sequence))
    throw new ImportError("this place has another event of the same microsecond");
  const { remote_address: address, remote_address_of: _holder, ...rest } = event;
  await insertOpenEvent(tx, context.personalData, {
    ...rest,
    revision: (before?.revision ?? 0) + 1,
    ...(address === undefined ? {} : { remote_address: address }),
  });
  if ((await inside.decide(tx, event)).kind !== "whole") throw outside("event");
}

function outside(kind: ExportLine["kind"]): ImportError {
  return new ImportError(`the ${kind} is about something outside of the organization`);
}
