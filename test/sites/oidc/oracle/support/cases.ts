import { createHash } from "node:crypto";
import { createRandom, type Random } from "../../../../hostile/support/random.ts";
import { type Alteration, alterationsOf } from "./alterations.ts";
import { type Base, bases } from "./bases.ts";
import { ask, type OracleRequest, type Party } from "./party.ts";

/** A request that both parties are asked: a good one, and what is altered of it. */
export interface Case {
  readonly base: Base;
  /** None: the good request; two: both mistakes in one. */
  readonly alterations: readonly Alteration[];
}

/** Returns what a case is about. */
export function titleOf({ base, alterations }: Case): string {
  return [base.name, ...alterations.map(({ name }) => name)].join(": ");
}

/** Returns every request with no mistake and with one. `sample` gives a good request of each base, to learn its parameters. */
export async function listCases(party: Party): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const base of bases) {
    const sample = await base.make(party);
    cases.push({ base, alterations: [] });
    for (const alteration of alterationsOf(base, sample)) cases.push({ base, alterations: [alteration] });
  }
  return cases;
}

/** Draws requests with two mistakes of those with one: as many for each base, and the same ones whatever other bases there are. */
export function drawPairs(singles: readonly Case[], perBase: number, seed: number): readonly Case[] {
  return bases.flatMap((base) => {
    const random: Random = createRandom(seed, streamOf(base));
    const altered = singles.filter((one) => one.base === base && hasOneMistake(one));
    const pairs: Case[] = [];
    while (pairs.length < perBase) {
      const first = altered[random.below(altered.length)];
      const second = altered[random.below(altered.length)];
      if (first === undefined || second === undefined || first === second) continue;
      pairs.push({ base, alterations: [...first.alterations, ...second.alterations] });
    }
    return pairs;
  });
}

function hasOneMistake({ alterations }: Case): boolean {
  return alterations.length === 1 && alterations[0]?.isRepeated !== true;
}

/** A number that follows from the name. */
function streamOf({ name }: Base): number {
  return createHash("sha256").update(name).digest().readUInt32BE();
}

/**
 * Plays a case at both parties, at the same time of the same clock, and says what came of it at each; undefined when there was
 * nothing to alter.
 */
export async function play(parties: readonly Party[], one: Case): Promise<readonly (string | undefined)[]> {
  const { base, alterations } = one;
  const requests: (OracleRequest | undefined)[] = [];
  for (const party of parties) requests.push(await makeRequest(party, one));
  const lateSeconds = Math.max(0, ...alterations.map((alteration) => alteration.lateSeconds ?? 0));
  parties[0]?.clock.turn(1000 * lateSeconds);
  const outcomes: (string | undefined)[] = [];
  for (const [index, party] of parties.entries()) {
    const request = requests[index];
    outcomes.push(request && (await askOnceOrTwice(party, request, one)));
  }
  // Sessions may have ended meanwhile, or be older than an application wants them.
  if (lateSeconds > longSeconds)
    for (const party of parties) {
      party.agent.cookies.clear();
      await party.logIn();
    }
  return outcomes;

  async function askOnceOrTwice(
    party: Party,
    request: OracleRequest,
    { alterations: all }: Case,
  ): Promise<string> {
    const first = await ask(party, request, base.withSession);
    if (!all.some(({ isRepeated }) => isRepeated === true)) return first;
    return `${first}, then ${await ask(party, request, base.withSession)}`;
  }
}

/** As many times as this happens between two logins, a session lasts longer than that. */
const longSeconds = 300;

async function makeRequest(party: Party, { base, alterations }: Case): Promise<OracleRequest | undefined> {
  let request: OracleRequest | undefined = await base.make(party);
  for (const alteration of alterations) request = request && (await alteration.apply(request, party, base));
  return request;
}
