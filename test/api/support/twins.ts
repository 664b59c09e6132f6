import { join } from "node:path";
import pino from "pino";
import { startApp } from "../../../src/app.ts";
import { parseConfig } from "../../../src/config/config.ts";
import { copyDataFolder } from "../../process/support/tables.ts";
import { createTestClock } from "../../support/clock.ts";
import { createFixedRandom } from "../../support/fixed-random.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { callOf } from "../../transport/support/lane-twins.ts";

/** A service on a copy of a data folder, with the time and the randomness that every other copy has too. */
export interface Twin {
  readonly port: number;
  readonly databaseFile: string;
  /** What was logged of each call. */
  readonly calls: readonly object[];
  stop(): Promise<void>;
  /** Removes its data folder. */
  remove(): void;
}

/** The instant that all copies stand still at: later than whatever made the data folder. */
const nowMs = Date.UTC(2100, 0, 1);

/** Starts one. The data folder may be that of a service that runs, but does nothing at the moment. */
export async function startTwin(
  dataFolder: string,
  flags: Readonly<Record<string, unknown>>,
  { isUnaryLaneOff }: { readonly isUnaryLaneOff: boolean },
): Promise<Twin> {
  const parent = makeTemporaryFolder();
  const data = copyDataFolder(dataFolder, parent.path);
  const calls: object[] = [];
  const write = (text: string): void => {
    const line = JSON.parse(text) as Record<string, unknown>; // every line is an object
    if (String(line["msg"]).startsWith("call.")) calls.push(callOf(line));
  };
  const { port, stop } = await startApp(parseConfig({ listen: "127.0.0.1:0", data, ...flags }, {}), {
    logger: pino({ level: "debug" }, { write }),
    version: "0.0.0-test",
    onFatal: (error) => {
      throw error;
    },
    clock: createTestClock(nowMs),
    random: createFixedRandom(),
    isUnaryLaneOff,
  });
  return { port, databaseFile: join(data, "gatehouse.db"), calls, stop, remove: () => parent.remove() };
}
