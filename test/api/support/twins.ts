import pino from "pino";
import { startApp } from "../../../src/app/app.ts";
import { createTestClock } from "../../support/clock.ts";
import type { TestPlace } from "../../support/engine/engine.ts";
import { configOf } from "../../support/engine/service-config.ts";
import { createFixedRandom } from "../../support/fixed-random.ts";

/** A service on a copy of what another one has stored, with the time and the randomness that every other copy has too. */
export interface Twin {
  readonly port: number;
  readonly place: TestPlace;
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
  /** Removes its copy. */
  remove(): Promise<void>;
}

/** The instant that all copies stand still at: later than whatever made the data folder. Ids of 63 bits end in 2095. */
const nowMs = Date.UTC(2090, 0, 1);

/** Starts one. The other service may run, but does nothing at the moment. */
export async function startTwin(
  other: TestPlace,
  flags: Readonly<Record<string, unknown>>,
  { isUnaryLaneOff }: { readonly isUnaryLaneOff: boolean },
): Promise<Twin> {
  const place = await other.copy();
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string): void => void logLines.push(JSON.parse(line));
  const { port, stop } = await startApp(configOf(place, flags), {
    logger: pino({ level: "debug" }, { write }),
    version: "0.0.0-test",
    onFatal: (error) => {
      throw error;
    },
    clock: createTestClock(nowMs),
    random: createFixedRandom(),
    isUnaryLaneOff,
  });
  return { port, place, logLines, stop, remove: () => place.remove() };
}
