import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { itemFieldOf } from "../../support/batch.ts";
import type { Lane } from "../../support/clients.ts";
import { startService, type TestService } from "../../support/service.ts";
import { runInBatches, runRefused } from "./tenancy-batch.ts";
import { type Cell, expectationOf } from "./tenancy-expectation.ts";
import { callOnLane, inParallel, nameOf, cellsOf, type Result, runCells } from "./tenancy-matrix.ts";
import { type CallerFacts, callers } from "./tenancy-roles.ts";
import type { MatrixRpc } from "./tenancy-rpcs.ts";
import { createTenancyWorld, type TenancyWorld } from "./tenancy-world.ts";

/** How much of the matrix is tested. */
export interface TenancySize {
  /** Beside those that are sampled, one of so many callers has an rpc, and the next one the next rpc. */
  readonly everyNth: number;
  /** The same in batches: a multiple of `everyNth`, since an item of a batch is compared with the call alone. */
  readonly everyNthInBatches: number;
  /** The lanes beside JSON. */
  readonly lanes: readonly Lane[];
}

/** The size for `npm test`: some callers for each rpc, and every caller for some rpcs. */
export const tenancySample: TenancySize = { everyNth: 4, everyNthInBatches: 8, lanes: [] };
/** Every caller for each rpc, on every lane. */
export const wholeTenancy: TenancySize = {
  everyNth: 1,
  everyNthInBatches: 1,
  lanes: ["rest", "grpc", "grpc-web"],
};

/** Tests the cells of the rpcs: the whole matrix over JSON, a sample of it over the other lanes. */
export function testTenancy(
  rpcs: readonly MatrixRpc[],
  { everyNth, everyNthInBatches, lanes }: TenancySize,
): void {
  const named = rpcs.map((rpc) => [rpc.name, rpc] as const);
  const batchable = named.filter(([, { method }]) => itemFieldOf(method) !== undefined);
  let service: TestService;
  let world: TenancyWorld;

  beforeAll(async () => {
    service = await startService();
    world = await createTenancyWorld(service);
  });

  afterAll(() => service.stop());

  /** What comes of the calls alone, which two tests look at. */
  const runAlone = remembered((rpc: MatrixRpc) =>
    runCells(world, rpc, cellsOf(world, rpc, callersOf(rpc, aloneCallers, everyNth))),
  );
  const callersOf = (rpc: MatrixRpc, always: ReadonlySet<string>, nth: number): readonly CallerFacts[] =>
    callers.filter(({ name }, index) => always.has(name) || (index + rpcs.indexOf(rpc)) % nth === 0);
  const sampleOf = (rpc: MatrixRpc) =>
    cellsOf(world, rpc, callers).filter((cell) => isInSample(cell) && expectationOf(rpc, cell) !== "allowed");
  const aloneOn = remembered((lane: Lane) =>
    remembered((rpc: MatrixRpc) =>
      inParallel(sampleOf(rpc), (cell) => callOnLane(world, rpc, { cell, lane })),
    ),
  );
  const runAloneOn = (rpc: MatrixRpc, lane: Lane) => aloneOn(lane)(rpc);

  describe("every caller and every object", () => {
    test.each(named)("%s answers as decided", async (_name, rpc) => {
      const results = await runAlone(rpc);
      expect(tableOf(results, ({ seen }) => seen)).toEqual(
        tableOf(results, ({ cell }) => expectationOf(rpc, cell)),
      );
      expect(differencesIn(results)).toEqual([]);
    });

    for (const lane of lanes)
      test.each(named)(`%s answers so on the lane ${lane}`, async (_name, rpc) => {
        const results = await runAloneOn(rpc, lane);
        expect(tableOf(results, ({ seen }) => seen)).toEqual(
          tableOf(results, ({ cell }) => expectationOf(rpc, cell)),
        );
        expect(differencesIn(results)).toEqual([]);
      });

    test.each(batchable)("%s answers so as an item of a batch", async (_name, rpc) => {
      const results = await runInBatches(
        world,
        rpc,
        cellsOf(world, rpc, callersOf(rpc, sampledCallers, everyNthInBatches)),
      );
      expect(tableOf(results, ({ seen }) => seen)).toEqual(
        tableOf(results, ({ cell }) => expectationOf(rpc, cell)),
      );
      expect(differencesIn(results)).toEqual([]);
      const single = tableOf(await runAlone(rpc), ({ body }) => body);
      for (const { cell, body } of results)
        expect([nameOf(cell), body]).toEqual([nameOf(cell), single[nameOf(cell)]]);
    });

    // A batch is decoded before its items are judged: the rpcs take turns on the lanes.
    if (lanes.length > 0)
      test.each(batchable)("%s answers so as an item of a batch on a lane in turn", async (_name, rpc) => {
        const lane = lanes[rpcs.indexOf(rpc) % lanes.length] ?? "json";
        const results = await runRefused(world, rpc, { cells: sampleOf(rpc), lane });
        const single = await runAloneOn(rpc, lane);
        expect(tableOf(results, ({ body }) => body)).toEqual(tableOf(single, ({ body }) => body));
      });
  });
}

/** Returns the function, which does its work once for each value. */
function remembered<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const sampledCallers = new Set([
  "organization owner",
  "user without a role",
  "owner of another organization",
]);

/** Besides, those to whom a part of an organization is open. */
const aloneCallers = new Set([...sampledCallers, "project owner", "project grant owner"]);

function isInSample({ caller, leaf }: Cell): boolean {
  return sampledCallers.has(caller.name) && ["own", "other", "never"].includes(leaf);
}

function tableOf(results: readonly Result[], value: (result: Result) => string) {
  return Object.fromEntries(results.map((result) => [nameOf(result.cell), value(result)]));
}

/**
 * Returns the groups of cells that must answer the same bytes and do not: what the caller cannot see, and what is not there.
 */
function differencesIn(results: readonly Result[]): readonly string[] {
  const groups = Map.groupBy(
    results.filter(({ cell, seen }) => seen !== "allowed" && isNothingTo(cell)),
    ({ cell: { caller, parent, leaf, isNamed } }) =>
      `${caller.name}, ${parent === leaf ? "an object" : "a part"}${isNamed ? ", named" : ""}`,
  );
  return [...groups]
    .filter(([, group]) => new Set(group.map(({ bytes }) => bytes)).size > 1)
    .flatMap(([, group]) => group.map(({ cell, bytes }) => `${nameOf(cell)}\n${bytes}`));
}

/** Says whether the object of the cell must be for the caller as if it had never been. */
function isNothingTo({ caller, parent, leaf }: Cell): boolean {
  if (parent !== leaf) return true;
  if (leaf === "removed" || leaf === "never") return true;
  if (caller.home === "theirs") return leaf !== "other";
  return caller.home === "ours" && leaf === "other";
}
