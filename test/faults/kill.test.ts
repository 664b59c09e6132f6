import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Launch, ServingProcess } from "../support/process.ts";
import type { Random } from "../hostile/support/random.ts";
import { earlyAnswers, noTransactions } from "./support/crippled.ts";
import { sized } from "../support/size.ts";
import { endInOrder, kill, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters, type Writers } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();
/** Two services are killed in each, so that one starts while the other looks at its files. */
const rounds = sized({ small: 3, full: 50 });
/** Every so many rounds all things are read back, and the tables made again from the log. */
const thoroughEvery = sized({ small: 3, full: 10 });

/** A round of load is cut off somewhere between these numbers of acknowledged writes, and some microseconds later. */
const leastWrites = 5;
const mostWrites = 60;

/** What goes on from round to round. */
interface Rounds {
  readonly site: Site;
  readonly writers: Writers;
  readonly random: Random;
  readonly launch: Launch;
  lastSequence: number;
  eventCount: number;
}

async function createRounds(index: number, launch: Launch = {}): Promise<Rounds> {
  const site = await sites.create();
  const random = randomOf(index);
  const writers = createWriters(site.ground, random);
  return { site, writers, random, launch, lastSequence: 0, eventCount: 0 };
}

/** Serves, reads back what the last round left, writes, kills at a moment that nobody knows, and looks into the files. */
async function goRound(state: Rounds, isThorough: boolean): Promise<Complaints> {
  const { site, writers } = state;
  const complaints: string[] = [];
  const before = writers.acknowledged.length;
  const serving = await site.place.serve([], {}, state.launch);
  try {
    const which = isThorough ? "all" : "touched";
    complaints.push(...(await judgeThroughService(site.connect(serving), writers, which)));
    complaints.push(...(await load(state, serving)));
  } finally {
    await kill(serving);
  }
  const judged = await judgeFiles(site.place.path, writers, { isRebuilt: isThorough, newestFirst: before });
  complaints.push(...judged.complaints);
  const made = writers.acknowledged.slice(before);
  if (made.some(({ sequence }) => sequence <= state.lastSequence)) complaints.push("a sequence came twice");
  if (judged.eventCount < state.eventCount + made.length) complaints.push("lost: events of earlier rounds");
  ({ lastSequence: state.lastSequence, eventCount: state.eventCount } = judged);
  return complaints;
}

/** Writes, and kills in the middle of it. Some writers share connections of HTTP/2, the others keep one of HTTP/1.1. */
async function load({ site, writers, random }: Rounds, serving: ServingProcess): Promise<Complaints> {
  const shared = [site.connect(serving, "2"), site.connect(serving, "2")];
  const running = writers.start((writer) => shared[writer % 4] ?? site.connect(serving));
  await running.reach(leastWrites + random.below(mostWrites - leastWrites));
  await new Promise((resolve) => {
    setTimeout(resolve, random.next() * 4);
  });
  running.end();
  await kill(serving);
  await running.ended;
  return writers.others
    .filter(({ ending }) => ending.kind === "refused" && ending.status !== 0) // 0: was not sent
    .map(({ method, ending }) => `${method}: ${JSON.stringify(ending)}`);
}

describe("SIGKILL in the middle of a write load", () => {
  let states: readonly [Rounds, Rounds];
  let doubtful = 0;

  beforeAll(async () => {
    states = [await createRounds(0), await createRounds(1)];
  });

  test.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    "round %d: what was acknowledged is there, the rest wholly or not at all, and log, tables and indexes agree",
    async (round) => {
      const complaints = await Promise.all(
        states.map((state, index) => goRound(state, (round + 5 * index) % thoroughEvery === 0)),
      );
      expect(complaints.flat()).toEqual([]);
      for (const { writers } of states) doubtful += writers.doubtful().length;
    },
  );

  test("some of the writes were cut off before their answer", () => {
    expect(doubtful).toBeGreaterThan(rounds);
    for (const { writers } of states)
      expect(writers.acknowledged.length).toBeGreaterThan(rounds * leastWrites);
  });

  test("afterwards `gatehouse rebuild` applies every event, and the service goes on with all things", async () => {
    for (const { site, writers, eventCount } of states) {
      const rebuilt = await site.place.run(["rebuild"]);
      expect(rebuilt).toEqual({ code: 0, stdout: `${eventCount} events applied\n`, stderr: "" });
      const serving = await site.place.serve();
      expect(await judgeThroughService(site.connect(serving), writers, "all")).toEqual([]);
      expect(await endInOrder(serving)).toBe(0);
      expect(await site.place.run(["doctor"])).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

describe("control: the same rounds catch a build", () => {
  const controls = [
    ["that answers before it commits", earlyAnswers, /^lost: /],
    ["that has no transactions", noTransactions, /^(half|log and tables): |events were applied/],
  ] as const;

  /** Goes rounds until one has such a complaint: a kill hits the moment sooner or later. Returns all of that round. */
  const untilCaught = async (state: Rounds, pattern: RegExp): Promise<Complaints> => {
    let complaints: Complaints = [];
    for (let round = 0; round < 40 && !complaints.some((line) => pattern.test(line)); round += 1)
      complaints = await goRound(state, true);
    return complaints;
  };

  test.each(sized({ small: controls.slice(0, 1), full: [...controls] }))(
    "%s",
    async (title, crippling, pattern) => {
      const state = await createRounds(title.length, sites.cripple(crippling));
      expect(await untilCaught(state, pattern)).toContainEqual(expect.stringMatching(pattern));
    },
  );
});
