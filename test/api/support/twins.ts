import { join } from "node:path";
import pino from "pino";
import { startApp } from "../../../src/app.ts";
import { parseConfig } from "../../../src/config/config.ts";
import { copyDataFolder } from "../../process/support/tables.ts";
import { createTestClock } from "../../support/clock.ts";
import { createFixedRandom } from "../../support/fixed-random.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

/** A service on a copy of a data folder, with the time and the randomness that every other copy has too. */
export interface Twin {
  readonly port: number;
  readonly databaseFile: string;
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
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
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string): void => void logLines.push(JSON.parse(line));
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
  return { port, databaseFile: join(data, "gatehouse.db"), logLines, stop, remove: () => parent.remove() };
}
