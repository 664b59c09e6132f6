/** The cells of the matrix as items of batches, which must come to what they come to alone. */
import type { JsonObject } from "@bufbuild/protobuf";
import { canaries } from "../../support/canaries.ts";
import { itemOf, outcomeOf, resultsOf, writeItems } from "../../support/batch.ts";
import { type Lane, toRequest } from "../../support/clients.ts";
import { type Cell, expectationOf } from "./tenancy-expectation.ts";
import { prepareFresh } from "./tenancy-fresh.ts";
import {
  giverOf,
  idsSent,
  inParallel,
  lastSequence,
  type Result,
  seenIn,
  withoutIds,
} from "./tenancy-matrix.ts";
import { statusOf } from "./lanes.ts";
import { requestOf, targetOf } from "./tenancy-requests.ts";
import { places } from "./tenancy-roles.ts";
import { type MatrixRpc, readsHeader } from "./tenancy-rpcs.ts";
import type { TenancyWorld } from "./tenancy-world.ts";

/**
 * Makes the calls of the cells as items: all of a caller that are to be refused in one batch, which must leave nothing, then
 * all that are to be allowed in another one.
 */
export async function runInBatches(
  world: TenancyWorld,
  rpc: MatrixRpc,
  cells: readonly Cell[],
): Promise<readonly Result[]> {
  const isAllowed = (cell: Cell) => expectationOf(rpc, cell) === "allowed";
  const before = await lastSequence(world);
  const cellsRefused = cells.filter((cell) => !isAllowed(cell));
  const refused = await runRefused(world, rpc, { cells: cellsRefused, lane: "json" });
  if ((await lastSequence(world)) !== before) throw new Error(`a batch of ${rpc.name} left an event behind`);
  const prepareItem = async (cell: Cell): Promise<CellItem> => {
    const { fields, token } = await prepareFresh({
      world,
      rpc,
      target: targetOf(world, cell),
      caller: cell.caller,
      giver: giverOf(world, cell),
    });
    return toItem(world, rpc, { cell, fields, token });
  };
  const allowed = cells.filter(isAllowed);
  const portions = isUsedUp(rpc) ? allowed.map((cell) => [cell]) : [allowed];
  const results = [...refused];
  for (const portion of portions) {
    const all = await inParallel(portion, prepareItem);
    results.push(...(await runBatches(world, rpc, { all, lane: "json" })));
  }
  return results;
}

/** Says whether the call uses up what an organization has once, such as its policy, so that each cell needs it back first. */
function isUsedUp({ name }: MatrixRpc): boolean {
  return /^(?:Reset|Remove.*Metadata$|(?:Add|Remove)Idp(?:To|From))/.test(name);
}

/** Makes the calls of cells that must be refused as items, all of a caller in one batch. */
export function runRefused(
  world: TenancyWorld,
  rpc: MatrixRpc,
  { cells, lane }: { readonly cells: readonly Cell[]; readonly lane: Lane },
): Promise<readonly Result[]> {
  return runBatches(world, rpc, { all: cells.map((cell) => toItem(world, rpc, { cell })), lane });
}

interface CellItem {
  readonly cell: Cell;
  readonly token: string;
  readonly item: JsonObject;
}

function toItem(
  world: TenancyWorld,
  rpc: MatrixRpc,
  {
    cell,
    fields = {},
    token,
  }: { readonly cell: Cell; readonly fields?: JsonObject; readonly token?: string | undefined },
): CellItem {
  // An rpc that does not read the header must not care what is in its place either.
  const named = cell.isNamed ? places[cell.parent].organization : readsHeader(rpc) ? undefined : "theirs";
  const request = toRequest(rpc.method, requestOf(rpc, { ...targetOf(world, cell), fields }));
  return {
    cell,
    token: token ?? world.users.get(cell.caller.name)?.token ?? "",
    item: itemOf(
      rpc.method,
      request,
      named === undefined ? {} : { organizationId: world.organizations[named] },
    ),
  };
}

async function runBatches(
  world: TenancyWorld,
  rpc: MatrixRpc,
  { all, lane }: { readonly all: readonly CellItem[]; readonly lane: Lane },
): Promise<readonly Result[]> {
  const batches = [...Map.groupBy(all, ({ token }) => token)];
  const results = await inParallel(batches, async ([token, entries]) => {
    const batch = { items: entries.map(({ item }) => item), allowPartialSuccess: true };
    const answered = resultsOf(await writeItems(world.service.clients[lane], batch, { token }));
    return entries.map(({ cell }, index) => toResult(world, rpc, { cell, result: answered[index] }));
  });
  return results.flat();
}

function toResult(
  world: TenancyWorld,
  rpc: MatrixRpc,
  { cell, result }: { readonly cell: Cell; readonly result: JsonObject | undefined },
): Result {
  const outcome = outcomeOf(rpc.method, result);
  if (outcome.kind === "answer") return { cell, seen: "allowed", body: "", bytes: "" };
  const text = JSON.stringify(statusOf(outcome));
  canaries.noteReceived(text);
  const body = withoutIds(text, idsSent(world, rpc, cell));
  return { cell, seen: seenIn(world, outcome.status as unknown as JsonObject), body, bytes: body };
}
