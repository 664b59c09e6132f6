import { readFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { startApp } from "../../../../src/app/app.ts";
import type { Clock } from "../../../../src/kernel/base/clock.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../../support/clients.ts";
import { engine } from "../../../support/engine/engine.ts";
import { createSeats, sharedAt } from "../../../support/seats.ts";
import { answerOf, type CallableService } from "../../../support/service.ts";

/** A service that shares its database with another one. */
export interface Process extends CallableService {
  readonly url: string;
  stop(): Promise<void>;
}

/** The names of the two, in the order in which they begin. */
const names = ["one", "other"];

/** Two services on one database or data folder. They have their own connections and share nothing else, as if they were processes. */
export interface Pair {
  readonly one: Process;
  readonly other: Process;
  /** Reads past both of them. */
  peek(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Writes past both of them. */
  change(sql: string): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/**
 * Starts two services on a new database of the tier's server, or on a data folder. The first one makes the instance. `more`: options of both. `clock`: of
 * both; default: that of the machine.
 */
export async function startPair(
  more: Readonly<Record<string, unknown>> = {},
  { clock }: { readonly clock?: Clock } = {},
): Promise<Pair> {
  const place = await engine.makePlace();
  const seats = engine.name === "sqlite" ? createSeats(names.length) : [];
  const folderOf = (name: string) => (seats.length > 0 ? place.folder : join(place.folder, name));
  const start = async (name: string, tokenOf: string): Promise<Process> => {
    const flags = { listen: "127.0.0.1:0", dev: true, ...more, data: folderOf(name) };
    const seat = seats[names.indexOf(name)];
    const config = parseConfig({ ...place.flags, ...flags }, {});
    const app = await startApp(config, {
      logger: pino({ level: "silent" }),
      version: "0.0.0-test",
      shared: seat && sharedAt(seat),
      ...(clock === undefined ? {} : { clock }),
      onFatal: (error) => {
        throw error;
      },
    });
    const clients = Object.fromEntries(
      lanes.map((lane) => [lane, createLaneClient(lane, app.url)]),
    ) as Record<Lane, LaneClient>; // one for each lane
    const adminToken = readFileSync(join(folderOf(tokenOf), "admin.token"), "utf8").trim();
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
    change: (sql) => place.raw.damage(sql),
    async close() {
      await Promise.all([one.stop(), other.stop()]);
      await place.remove();
    },
  };
}
