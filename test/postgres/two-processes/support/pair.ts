import { readFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { startApp } from "../../../../src/app/app.ts";
import type { Clock } from "../../../../src/kernel/base/clock.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../../support/clients.ts";
import { engine } from "../../../support/engine/engine.ts";
import { answerOf, type CallableService } from "../../../support/service.ts";

/** A service that shares its database with another one. */
export interface Process extends CallableService {
  readonly url: string;
  stop(): Promise<void>;
}

/** Two services on one database. They have their own connections and share nothing else, as if they were processes. */
export interface Pair {
  readonly one: Process;
  readonly other: Process;
  /** Reads past both of them. */
  peek(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends everything. */
  close(): Promise<void>;
}

/**
 * Starts two services on a new database of the tier's server. The first one makes the instance. `more`: options of both. `clock`: of
 * both; default: that of the machine.
 */
export async function startPair(
  more: Readonly<Record<string, unknown>> = {},
  { clock }: { readonly clock?: Clock } = {},
): Promise<Pair> {
  const place = await engine.makePlace();
  const start = async (name: string, tokenOf: string): Promise<Process> => {
    const flags = { listen: "127.0.0.1:0", dev: true, ...more, data: join(place.folder, name) };
    const config = parseConfig({ ...place.flags, ...flags }, {});
    const app = await startApp(config, {
      logger: pino({ level: "silent" }),
      version: "0.0.0-test",
      ...(clock === undefined ? {} : { clock }),
      onFatal: (error) => {
        throw error;
      },
    });
    const clients = Object.fromEntries(
      lanes.map((lane) => [lane, createLaneClient(lane, app.url)]),
    ) as Record<Lane, LaneClient>; // one for each lane
    const adminToken = readFileSync(join(place.folder, tokenOf, "admin.token"), "utf8").trim();
    return {
      url: app.url,
      adminToken,
      clients,
      call: async (method, request, token = adminToken) =>
        answerOf(await clients.json.call(method, request, { token })),
      async stop() {
        for (const client of Object.values(clients)) client.close();
        await app.stop();
      },
    };
  };
  const one = await start("one", "one");
  const other = await start("other", "one");
  return {
    one,
    other,
    peek: (sql) => place.raw.peek(sql),
    async close() {
      await Promise.all([one.stop(), other.stop()]);
      await place.remove();
    },
  };
}
