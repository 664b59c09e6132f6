import type { JsonObject } from "@bufbuild/protobuf";
import { createHash } from "node:crypto";
import { resultsOf, writeItems } from "../../support/batch.ts";
import type { CallOptions, Lane, Outcome } from "../../support/clients.ts";
import type { Row } from "../../process/support/tables.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createWorld, type World } from "../../support/world.ts";

/** A service with an organization, and batches of its owner. */
export interface BatchGround {
  readonly service: TestService;
  readonly world: World;
  /** Makes a batch, all or nothing, as the owner over JSON unless `options` say otherwise. */
  write(
    items: readonly JsonObject[],
    options?: CallOptions & { readonly lane?: Lane; readonly allowPartialSuccess?: boolean },
  ): Promise<Outcome>;
  /** Makes a batch, each for itself, and returns the results. */
  results(
    items: readonly JsonObject[],
    options?: CallOptions & { readonly lane?: Lane },
  ): Promise<readonly JsonObject[]>;
  /** Returns how many rows every table has but those of activity, and a digest of them. */
  tables(): Promise<Readonly<Record<string, string>>>;
}

/** Starts a service for batches. */
export async function startBatchGround(flags: Readonly<Record<string, unknown>> = {}): Promise<BatchGround> {
  const service = await startService(flags);
  const world = await createWorld(service);
  const write: BatchGround["write"] = (
    items,
    { lane = "json", allowPartialSuccess = false, ...options } = {},
  ) =>
    writeItems(
      service.clients[lane],
      { items, allowPartialSuccess },
      { token: world.owner.token, ...options },
    );
  return {
    service,
    world,
    write,
    results: async (items, options) =>
      resultsOf(await write(items, { ...options, allowPartialSuccess: true })),
    tables: async () => {
      const dump = Object.entries(await service.place.raw.dump());
      // The service adds to these by itself, every ten seconds.
      const all = dump.filter(([table]) => !/^activ(?:e_users|ity_hours)$/.test(table));
      return Object.fromEntries(all.map(([table, rows]) => [table, `${rows.length} ${digestOf(rows)}`]));
    },
  };
}

function digestOf(rows: readonly Row[]): string {
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}

/** Returns the reason of the error of a result; `"OK"` when there is none. */
export function endingOf(result: JsonObject | undefined): unknown {
  const error = result?.["error"] as JsonObject | undefined; // google.rpc.Status
  if (error === undefined) return result === undefined ? "nothing" : "OK";
  const details = error["details"] as readonly JsonObject[];
  return details[0]?.["reason"]; // google.rpc.ErrorInfo comes first
}

/** Returns google.rpc.ErrorInfo of a refusal. */
export function infoOf(outcome: Outcome): JsonObject {
  if (outcome.kind === "answer") throw new Error(`expected an error, got ${JSON.stringify(outcome.json)}`);
  const info = outcome.status.details.find(({ reason }) => reason !== undefined);
  return { code: outcome.status.code, ...info };
}

/** Returns what an item has answered. */
export function answerAt(results: readonly JsonObject[], index: number, field: string): JsonObject {
  const answer = results[index]?.[field];
  if (answer === undefined) throw new Error(`item ${index} was answered ${JSON.stringify(results[index])}`);
  return answer as JsonObject;
}
