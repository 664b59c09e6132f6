import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, JsonValue } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { WriteItemSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { rebuiltDifferences } from "../model/support/tables.ts";
import { type Dump, projectionsOf } from "../process/support/tables.ts";
import { outcomeOf, resultsOf, writeItems } from "../support/batch.ts";
import { createLaneClient, type LaneClient, type Outcome, toRequest } from "../support/clients.ts";
import { listMethods, ruleOf } from "../support/methods.ts";
import { refusalOf, startService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createWorld, idOf, type World } from "../support/world.ts";
import { drawnLists, type Plan, planAll } from "./support/batch-plans.ts";
import { startTwin, type Twin } from "./support/twins.ts";

const methods = await listMethods();

function methodOf(field: string) {
  const message = WriteItemSchema.fields.find(({ localName }) => localName === field)?.message;
  const method = methods.find(({ input }) => input === message);
  if (method === undefined) throw new Error(`there is no item ${field}`);
  return method;
}

const rounds = sized({ small: 2, full: 16 });

/** One for each round, which may be removed in it. */
const worlds: World[] = [];
/** Two services that were the same when they began. */
let twins: Readonly<Record<"alone" | "together", Twin>>;
let clients: Readonly<Record<"alone" | "together", LaneClient>>;
let adminToken: string;
let foreignId: string;
beforeAll(async () => {
  const service = await startService();
  for (let round = 0; round < rounds; round++) worlds.push(await createWorld(service));
  const start = () => startTwin(service.place, {}, { isUnaryLaneOff: false });
  twins = { alone: await start(), together: await start() };
  const connect = ({ port }: Twin) => createLaneClient("json", `http://127.0.0.1:${port}`);
  clients = { alone: connect(twins.alone), together: connect(twins.together) };
  ({ adminToken } = service);
  foreignId = (await createWorld(service)).organizationId;
  await service.stop();
});
afterAll(async () => {
  for (const client of Object.values(clients)) client.close();
  for (const twin of Object.values(twins)) {
    await twin.stop();
    await twin.remove();
  }
});

/** What came of a change: the ids that it made by their place, and everything else. */
interface Ending {
  readonly verdict: unknown;
  readonly ids: readonly string[];
}

function endingOf(outcome: Outcome): Ending {
  if (outcome.kind === "answer") {
    const names = Object.keys(outcome.json);
    const ids = names.filter((name) => /^id$|Id$/.test(name)).map((name) => idOf(outcome.json, name));
    return { verdict: ["OK", ...names], ids };
  }
  const { code, reason, fields, resource } = refusalOf(outcome);
  return { verdict: [code, reason, fields, resource], ids: [] };
}

/** Says whether an item that makes the call reads `organization_id`. */
function readsOrganization(method: DescMethodUnary): boolean {
  const source = ruleOf(method)?.organization;
  return source === OrganizationSource.HEADER || source === OrganizationSource.HEADER_OR_HELD;
}

/** Makes the changes as calls, one after the other, with the ids that those before have made. */
async function runAlone(plans: readonly Plan[], token: string): Promise<readonly Ending[]> {
  const endings: Ending[] = [];
  for (const { field, request, organizationId } of plans) {
    const failed = new Error("it refers to one that failed");
    const resolveText = (value: string): string => {
      const [, index] = /^bulkId:(\d+)$/.exec(value) ?? [];
      if (index === undefined) return value;
      const [id] = endings[Number(index)]?.ids ?? [];
      if (id === undefined) throw failed;
      return id;
    };
    const resolve = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(resolve);
      return typeof value === "string" ? resolveText(value) : value;
    };
    try {
      const method = methodOf(field);
      const resolved = Object.fromEntries(
        Object.entries(request).map(([name, value]) => [name, resolve(value)]),
      );
      const headers: Record<string, string> =
        organizationId === undefined || !readsOrganization(method)
          ? {}
          : { "x-service-orgid": resolveText(organizationId) };
      endings.push(
        endingOf(await clients.alone.call(method, toRequest(method, resolved), { token, headers })),
      );
    } catch (error) {
      if (error !== failed) throw error;
      endings.push({ verdict: [9, "BATCH_ITEM_FAILED", [], undefined], ids: [] });
    }
  }
  return endings;
}

/** Makes the changes as one batch. */
async function runTogether(plans: readonly Plan[], token: string): Promise<readonly Ending[]> {
  const items = plans.map(
    ({ field, request, organizationId = "" }, index): JsonObject => ({
      bulkId: String(index),
      organizationId,
      [field]: request,
    }),
  );
  const results = resultsOf(
    await writeItems(clients.together, { items, allowPartialSuccess: true }, { token }),
  );
  return plans.map(({ field }, index) => endingOf(outcomeOf(methodOf(field), results[index])));
}

/** Returns the tables that are made from the log and the log itself, without what is random, with the ids of the twin. */
async function tablesOf({ place }: Twin, ids: ReadonlyMap<string, string>): Promise<Dump> {
  const all = await place.raw.dump();
  const events = all["events"]?.map(
    ({ type, revision, editor, resource_owner: owner, aggregate_id: id, payload }) => {
      return { type, revision, editor, owner, id, payload };
    },
  );
  const text = JSON.stringify({ ...projectionsOf(all), events });
  const translated = text.replaceAll(/\d{15,}/g, (id) => ids.get(id) ?? id);
  const parsed = JSON.parse(translated) as Record<string, Record<string, unknown>[]>; // as it was
  return Object.fromEntries(
    Object.entries(parsed).map(([table, rows]) => [table, table === "events" ? rows : rows.toSorted(byText)]),
  );
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

test("changes made as one batch come to what they come to one after the other, and leave the same tables", async () => {
  const ids = new Map<string, string>();
  const seen = new Map<string, number>();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(drawnLists, fc.boolean(), async (drawn, isOwner) => {
      const world = worlds[round++];
      if (world === undefined) throw new Error("a list is made once: what it leaves is there for the next");
      const plans = planAll({ world, foreignId, round }, drawn);
      const token = isOwner ? world.owner.token : adminToken;
      const alone = await runAlone(plans, token);
      const together = await runTogether(plans, token);
      expect(together.map(({ verdict }) => verdict)).toEqual(alone.map(({ verdict }) => verdict));
      for (const [index, { ids: made }] of alone.entries())
        for (const [at, id] of made.entries()) ids.set(id, together[index]?.ids[at] ?? "");
      for (const [code, reason] of alone.map(({ verdict }) => verdict as readonly unknown[])) {
        const key = code === "OK" ? "OK" : String(reason);
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
      expect(await tablesOf(twins.alone, ids)).toEqual(await tablesOf(twins.together, new Map()));
    }),
    { numRuns: rounds, endOnFailure: true },
  );
  const expected = [
    "OK",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FIELD_INVALID",
    "PERMISSION_DENIED",
    "BATCH_ITEM_FAILED",
  ];
  for (const reason of sized({ small: ["OK"], full: expected }))
    expect([reason, seen.get(reason) ?? 0]).not.toEqual([reason, 0]);
  expect(await rebuiltDifferences(twins.together.place)).toEqual([]);
});
