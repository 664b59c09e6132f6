import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import type { Random } from "../../hostile/support/random.ts";
import { type ConnectedService, type Place, usePlaces } from "../../process/support/place.ts";
import { engine } from "../../support/engine/engine.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import type { ServingProcess } from "../../support/process.ts";
import { sized } from "../../support/size.ts";
import { kill } from "./ground.ts";
import { useSeed } from "./seed.ts";

/**
 * When a process is killed: once the answer has come, shortly before that, as soon as the request is on its way. The first says how
 * long an answer takes; the second is somewhere in its latter half, in which the process commits.
 */
export type Moment = (typeof moments)[number];
const moments = ["after the answer", "on the way", "at once"] as const;

/** A service whose process is killed again and again, and the clients of the process that answers now. */
export interface Serving {
  readonly place: Place;
  readonly process: ServingProcess;
  readonly http: HttpClient;
  readonly service: ConnectedService;
  /** What is drawn. */
  readonly random: Random;
  /**
   * Ends the process by SIGKILL, unless it is gone, and lets the next one answer. On SQLite, that starts on what is left. On
   * PostgreSQL, it has been up beside the other since before the test began.
   */
  goOn(): Promise<void>;
  /** Sends a request, and goes on at that moment. Returns the answer; undefined: it was lost. */
  cutOff<T>(moment: Moment, send: () => Promise<T>): Promise<T | undefined>;
}

const isShared = engine.name === "postgres";

/** How often to kill: once at each moment, or in full. */
export const kills = sized({ small: moments.length, full: 10 });

/** The numbers of as many rounds, with the moments by turns. */
export const rounds: readonly (readonly [round: number, moment: Moment])[] = Array.from(
  { length: kills },
  (_, index) => [index + 1, moments[index % 3] ?? "on the way"],
);

/** Serves a new place, with those options, for the tests of this file. */
export function useServing(args: readonly string[]): Serving {
  const newPlace = usePlaces();
  const random = useSeed()(0);
  let place: Place;
  let current: ServingProcess;
  let service: ConnectedService;
  let http: HttpClient;
  let other: Promise<ServingProcess> | undefined;
  /** How long the last answer took. */
  let lastMs = 0;
  const serve = async () => await place.serve(args);
  const take = (serving: ServingProcess) => {
    current = serving;
    service = place.connect(serving);
    http = createHttpClient(serving.url);
    if (!isShared) return;
    other = serve();
    other.catch(() => {}); // whoever waits for it learns it
  };
  const goOn = async () => {
    http.close();
    await kill(current);
    const code = await current.exited;
    if (code !== null) throw new Error(`the process has ended with ${code}`);
    // Its last COMMIT may be on its way: the server holds the lock for writes until that is done.
    if (isShared) await place.look(async (raw) => await (await raw.holdWrites())());
    take(await (other ?? serve()));
  };
  beforeAll(async () => {
    place = newPlace();
    take(await serve());
  }, 60_000);
  beforeEach(async () => void (await other));
  afterAll(() => http.close());
  return {
    get place() {
      return place;
    },
    get process() {
      return current;
    },
    get http() {
      return http;
    },
    get service() {
      return service;
    },
    random,
    goOn,
    async cutOff(moment, send) {
      const { child } = current;
      const delayMs = moment === "at once" ? 0 : (0.5 + random.next() / 2) * lastMs;
      if (moment !== "after the answer") setTimeout(() => child.kill("SIGKILL"), delayMs);
      const beginMs = performance.now();
      const answer = await send().catch(() => undefined);
      if (answer !== undefined) lastMs = performance.now() - beginMs;
      await goOn();
      return answer;
    },
  };
}
