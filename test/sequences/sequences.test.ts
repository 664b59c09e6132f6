import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createRandom } from "../hostile/support/random.ts";
import { type Actor, createActors } from "./support/actors.ts";
import { listVisits, listVisitsAndGifts } from "./support/events.ts";
import { readLayout } from "./support/findings.ts";
import { startGround } from "./support/ground.ts";
import { type Given, readGiven } from "./support/given.ts";
import { listPairs } from "./support/list-pairs.ts";
import { takeDrawnPair, takePair } from "./support/pairs.ts";
import { createReport } from "./support/report.ts";
import { beginTrial, nameIds, type Seen, type Trial } from "./support/trial.ts";
import { createWorld, type World } from "./support/world.ts";

// A matrix of single calls cannot see what two calls give together. Here an actor with a given set of rights makes two calls that it is
// allowed, and then everything is looked at that the actor holds and learns: the rights must explain it.

const { GATEHOUSE_PROPERTY_SEED, GATEHOUSE_SEQUENCES_SECONDS, GATEHOUSE_SEQUENCES_ALL } = process.env;
const seed = Number(GATEHOUSE_PROPERTY_SEED ?? Date.now() % 2 ** 31);
const isAll = GATEHOUSE_SEQUENCES_ALL !== undefined;
const seconds = Number(GATEHOUSE_SEQUENCES_SECONDS ?? (isAll ? 840 : 5));
const setupMs = 60_000;
const limitMs = (seconds + 120) * 1000;

let world: World;
let actors: readonly Actor[];
let given: Given;
/** What each actor can do and know before any call. */
const before = new Map<Actor, Seen>();

beforeAll(async () => {
  const ground = await startGround();
  world = await createWorld(ground);
  actors = await createActors(world);
  given = await readGiven(world, await readLayout(world));
  await ground.keep();
  for (const actor of actors) {
    const trial = await beginTrial(world, actor, given);
    before.set(actor, await trial.look());
    await ground.reset();
  }
}, setupMs);

afterAll(async () => {
  world.provider.stop();
  world.evil.stop();
  await world.ground.stop();
}, setupMs);

test("before any call nobody has what their rights do not explain", () => {
  expect(seenBefore(({ unexplained }) => unexplained)).toEqual([]);
});

test("what the rights explain is seen by every way that there is", () => {
  const seen = seenBefore(({ explained }) => explained).map((one) => one.replaceAll(/\d{15,19} /g, ""));
  expect(seen).toEqual(
    expect.arrayContaining([
      "a user of b with PROJECT_OWNER on q: their own token reaches project.write on project (q)",
      "a user of b with PROJECT_OWNER on q: (game) learns sub of bob",
      "a user of b with PROJECT_OWNER on q: (portal) learns UserID of bob",
      "a user of b with PROJECT_OWNER on q: (portal) learns UserID of anna",
      "a user of a with ORGANIZATION_OWNER on a: (shop) learns sub of alice",
      "whoever runs the provider of a: a login at a provider as a known subject reaches project.read on organization (a)",
      "whoever runs the provider of a: the password of (uma) reaches project.read on organization (a)",
      "whoever runs the provider of a: hears the secret provider of a",
    ]),
  );
});

test("what somebody keeps who runs a provider reaches what the user may do at home", async () => {
  const reached: string[] = [];
  for (const actor of actors.filter(({ runsProvider }) => runsProvider))
    for (const visit of listVisits(world)) {
      const trial = await beginTrial(world, actor, given);
      await trial.take(visit);
      const { explained } = await trial.look();
      await world.ground.reset();
      reached.push(...Array.from(explained, (one) => one.replaceAll(/\d{15,19}/g, "id")));
    }
  expect(reached).toEqual(
    expect.arrayContaining([
      "the session of uma reaches project.read on organization id",
      "the access token of uma reaches project.read on organization id",
      "the personal access token of uma reaches project.read on organization id",
      "a refresh token reaches project.read on organization id",
    ]),
  );
});

function seenBefore(which: (seen: Seen) => ReadonlySet<string>): readonly string[] {
  const all = [...before].flatMap(([{ name }, seen]) => Array.from(which(seen), (one) => `${name}: ${one}`));
  return all.map((one) => nameIds(world.things, one));
}

test(
  "two calls give nobody what the rights of the caller do not explain",
  async () => {
    const report = createReport();
    const count = isAll ? await tryAll(report) : await tryDrawn(report);
    process.stdout.write(`GATEHOUSE_PROPERTY_SEED=${seed}: ${count}\n`);
    expect(report.text()).toBe("");
  },
  limitMs,
);

/** Draws pairs until the time is over, or there is enough to look into. */
async function tryDrawn(report: ReturnType<typeof createReport>): Promise<string> {
  const end = performance.now() + seconds * 1000;
  let index = 0;
  while (performance.now() < end && !report.isLong()) {
    const random = createRandom(seed, index++);
    const actor = random.pick(actors);
    const trial = await beginTrial(world, actor, given);
    await takeDrawnPair({ world, actor, random }, trial);
    report.add(`pair ${index}`, { trial, actor, found: await judge(trial, actor) });
  }
  return `${index} pairs of calls`;
}

/** Tries every pair of kinds of calls, those first that may be about the same object. */
async function tryAll(report: ReturnType<typeof createReport>): Promise<string> {
  const end = performance.now() + seconds * 1000;
  for (const actor of actors.filter(({ runsProvider }) => runsProvider))
    for (const steps of listVisitsAndGifts(world, actor)) {
      const trial = await beginTrial(world, actor, given);
      for (const step of steps) await trial.take(step);
      report.add("a visit", { trial, actor, found: await judge(trial, actor) });
    }
  const all = listPairs(actors, world.things, createRandom(seed, 0));
  let [tried, allowed] = [0, 0];
  for (const pair of all) {
    if (performance.now() > end) break;
    const { actor } = pair;
    const random = createRandom(seed, ++tried);
    const trial = await beginTrial(world, actor, given);
    if (await takePair({ world, actor, random }, trial, pair)) allowed++;
    if (trial.steps.length > 0)
      report.add(`pair ${tried}`, { trial, actor, found: await judge(trial, actor) });
  }
  return `${tried} of ${all.length} pairs of kinds of calls, ${allowed} of them allowed`;
}

/** Returns what the rights do not explain now and did before, and puts the world back. */
async function judge(trial: Trial, actor: Actor): Promise<readonly string[]> {
  const { unexplained } = await trial.look();
  await world.ground.reset();
  return [...unexplained.difference(before.get(actor)?.unexplained ?? new Set())];
}
