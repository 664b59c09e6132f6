// Asks oidc-provider, which others have written and certified, the same questions as Gatehouse: what the one refuses the other
// refuses too, for the same reason, but for the differences that are listed with their reasons.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sized } from "../../../support/size.ts";
import { type Case, drawPairs, listCases, play, titleOf } from "./support/cases.ts";
import { type Difference, differences, findDifference } from "./support/differences.ts";
import { startGatehouse } from "./support/gatehouse.ts";
import type { Party } from "./support/party.ts";
import { startReference } from "./support/reference.ts";

/** The requests with two mistakes are the same in every run. */
const seed = 20_261_122;
const stride = sized({ small: 79, full: 1 });
const pairsOfBase = 30;
const strideOfPairs = sized({ small: 127, full: 1 });

const realNow = Date.now;
let parties: readonly [reference: Party, gatehouse: Party];
let singles: readonly Case[];
const met = new Set<Difference>();
let asked = 0;

beforeAll(async () => {
  const { party: gatehouse, userId } = await startGatehouse();
  // oidc-provider has no other clock.
  Date.now = () => gatehouse.clock.nowMs();
  const { clients, clock } = gatehouse;
  const reference = await startReference({ clients, userId, clock });
  parties = [reference, gatehouse];
  for (const party of parties) await party.logIn();
  singles = await listCases(gatehouse);
}, 60_000);

afterAll(async () => {
  for (const party of parties) await party.stop();
  Date.now = realNow;
});

interface Outcomes {
  readonly reference: string;
  readonly gatehouse: string;
}

const known = new Map<string, Promise<Outcomes | undefined>>();

/** Asks both; a case with one alteration is asked once. */
function askBoth(one: Case): Promise<Outcomes | undefined> {
  const title = titleOf(one);
  const before = known.get(title);
  if (before !== undefined) return before;
  const asking = play(parties, one).then(([reference, gatehouse]) => {
    if (reference === undefined || gatehouse === undefined) return undefined;
    asked += 1;
    return { reference, gatehouse };
  });
  known.set(title, asking);
  return asking;
}

const accepted = new Set(["code", "login", "accepted", "active"]);
const isAccepted = (outcome: string) => outcome.split(", then ").every((part) => accepted.has(part));

/** Says what is wrong with a case that has at most one alteration, or returns undefined. */
function judge(one: Case, outcomes: Outcomes): string | undefined {
  if (outcomes.reference === outcomes.gatehouse) return undefined;
  const difference = findDifference(one, outcomes);
  if (difference === undefined)
    return `${titleOf(one)}: oidc-provider ${outcomes.reference}, Gatehouse ${outcomes.gatehouse}`;
  met.add(difference);
  return undefined;
}

/** Which of two mistakes is named is nobody's business, as long as it is one of them. */
async function judgePair(one: Case, outcomes: Outcomes): Promise<string | undefined> {
  if (outcomes.reference === outcomes.gatehouse) return undefined;
  const alone: (Outcomes | undefined)[] = [];
  for (const alteration of one.alterations)
    alone.push(await askBoth({ base: one.base, alterations: [alteration] }));
  const isKnown = alone.some(
    (each) => each !== undefined && isAccepted(each.reference) !== isAccepted(each.gatehouse),
  );
  if (isAccepted(outcomes.reference) !== isAccepted(outcomes.gatehouse) && isKnown) return undefined;
  const isNamed = alone.some((each) => each?.gatehouse === outcomes.gatehouse);
  if (isAccepted(outcomes.reference) === isAccepted(outcomes.gatehouse) && isNamed) return undefined;
  return judge(one, outcomes);
}

describe("Gatehouse answers as oidc-provider does", () => {
  test("to good requests, and to each with one mistake", async () => {
    const complaints: string[] = [];
    for (const [index, one] of singles.entries()) {
      if (one.alterations.length > 0 && index % stride !== 0) continue;
      const outcomes = await askBoth(one);
      const complaint = outcomes && judge(one, outcomes);
      if (complaint !== undefined) complaints.push(complaint);
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test("to requests with two mistakes, of which it may name either", async () => {
    const complaints: string[] = [];
    for (const [index, one] of drawPairs(singles, pairsOfBase, seed).entries()) {
      if (index % strideOfPairs !== 0) continue;
      const outcomes = await askBoth(one);
      const complaint = outcomes && (await judgePair(one, outcomes));
      if (complaint !== undefined) complaints.push(complaint);
    }
    expect(complaints).toEqual([]);
  }, 300_000);

  test("in as many cases as were meant, and the list of differences has no line that none of them needs", () => {
    expect(asked).toBeGreaterThan(sized({ small: 60, full: 4_000 }));
    const unused = differences.filter((difference) => !met.has(difference));
    expect(sized({ small: [], full: unused })).toEqual([]);
  });
});
