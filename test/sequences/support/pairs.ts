import type { Random } from "../../hostile/support/random.ts";
import type { Actor } from "./actors.ts";
import { allWrites, type Call, drawCall, mayCall, type Write } from "./calls.ts";
import { listGifts, listVisitsAndGifts } from "./events.ts";
import { areNear, type PairOfWrites } from "./list-pairs.ts";
import type { Trial } from "./trial.ts";
import type { Thing, World } from "./world.ts";

/** Somebody, and where the steps of a pair come from. */
export interface Drawing {
  readonly world: World;
  readonly actor: Actor;
  readonly random: Random;
}

/** The most calls that are tried for one step: some are refused. */
const maxTries = 8;

/** Takes two steps that are drawn. Most second calls are about an object of the first one. */
export async function takeDrawnPair({ world, actor, random }: Drawing, trial: Trial): Promise<void> {
  if (actor.runsProvider) return await takeVisit({ world, actor, random }, trial);
  const writes = allWrites.filter((write) => mayCall(actor, write));
  const draw = () => drawByWeight(random, writes);
  await tryFor(async () => takeCall({ world, actor, random }, trial, draw()));
  if (random.chance(0.15)) return await takeGift({ world, actor, random }, trial);
  const about = random.chance(0.75) ? namedIn(trial) : undefined;
  await tryFor(async () => takeCall({ world, actor, random }, trial, draw(), about));
}

/** Takes these two steps, the second about an object of the first if it can be. Returns whether both were allowed. */
export async function takePair(
  drawing: Drawing,
  trial: Trial,
  { pair, target }: PairOfWrites,
): Promise<boolean> {
  const [first, second] = pair;
  const tries = 3;
  if (!(await tryFor(async () => takeCall(drawing, trial, first, target), tries))) return false;
  const about = areNear(first, second) ? namedIn(trial) : undefined;
  return await tryFor(async () => takeCall(drawing, trial, second, about), tries);
}

async function tryFor(step: () => Promise<boolean>, most = maxTries): Promise<boolean> {
  for (let tries = 0; tries < most; tries++) if (await step()) return true;
  return false;
}

async function takeCall(
  { world, actor, random }: Drawing,
  trial: Trial,
  write: Write,
  about?: ReadonlySet<string> | Thing,
): Promise<boolean> {
  const call = await drawCall({ world, actor, things: trial.things, random }, write, about);
  return call !== undefined && (await trial.take(call)) === undefined;
}

/** Whoever runs a provider logs in as somebody, who then gains a role. */
async function takeVisit({ world, actor, random }: Drawing, trial: Trial): Promise<void> {
  for (const step of random.pick(listVisitsAndGifts(world, actor))) await trial.take(step);
}

async function takeGift({ world, actor, random }: Drawing, trial: Trial): Promise<void> {
  const about = namedIn(trial);
  const near = listGifts(
    world,
    actor,
    trial.things.filter(({ ids }) => about.has(ids["userId"] ?? "")),
  );
  await trial.take(random.pick(near.length === 0 ? listGifts(world, actor, trial.things) : near));
}

/** The ids in what was done so far, but for those of organizations: everything lies in one. */
function namedIn({ steps, things }: Trial): ReadonlySet<string> {
  const organizations = new Set(
    things.flatMap(({ kind, ids }) => (kind === "organization" ? ids["id"] : [])),
  );
  const calls = steps.filter((step): step is Call => "body" in step);
  const named = calls.flatMap(({ body }) => JSON.stringify(body).match(/\d{15,19}/g) ?? []);
  const made = things
    .slice(-1)
    .flatMap(({ name, ids }) => (name.startsWith("the new") ? Object.values(ids) : []));
  return new Set([...named, ...made].filter((id) => !organizations.has(id)));
}

/** Calls that only take away, and names, seldom help an attacker. */
function drawByWeight(random: Random, writes: readonly Write[]): Write {
  for (;;) {
    const write = random.pick(writes);
    const isDull =
      /^(?:Remove|BulkRemove|Deactivate|Lock|Terminate|Reset)/.test(write.method.name) ||
      /name|description|language|signing|styling|label/.test(write.field?.name ?? "");
    if (!isDull || random.chance(0.25)) return write;
  }
}
