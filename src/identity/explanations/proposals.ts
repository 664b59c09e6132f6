import { type Change, answer, type AccessFacts, type AccessNeed, type Step } from "./explanation.ts";

/** Changes that together allow what was denied. */
export type Proposal = readonly Change[];

/** So many proposals are made. */
const maxProposals = 10;
/** So many of the shortest proposals for each need are combined with those for the others. */
const maxCombined = 32;

/**
 * Finds the shortest proposals for a denial, each of which would allow it. Only what the caller may read takes part: there are none for
 * what rests on anything else.
 */
export function propose(facts: AccessFacts): readonly Proposal[] {
  if (answer(facts).isAllowed !== false) return [];
  let proposals: readonly Proposal[] = toList(repair(facts.steps));
  for (const need of facts.needs) {
    const ways = shortest(waysOf(need), maxCombined);
    proposals = shortest(
      proposals.flatMap((proposal) => ways.map((way) => distinct([...proposal, ...way]))),
      maxCombined,
    );
  }
  const [first] = proposals;
  return distinct(proposals.filter(({ length }) => length === first?.length)).slice(0, maxProposals);
}

function waysOf({ ways, openings }: AccessNeed): readonly Proposal[] {
  return [...ways.flatMap(({ steps }) => toList(repair(steps))), ...openings.map((opening) => [opening])];
}

/** Finds what makes all of the steps allow; undefined if nothing does, or if one of them must not be told. */
function repair(steps: readonly Step[]): Proposal | undefined {
  const changes: Change[] = [];
  for (const { isVisible, isMet, remedy } of steps) {
    if (!isVisible) return undefined;
    if (isMet) continue;
    if (remedy === undefined) return undefined;
    changes.push(remedy);
  }
  return distinct(changes);
}

function toList(proposal: Proposal | undefined): readonly Proposal[] {
  return proposal === undefined ? [] : [proposal];
}

function shortest(proposals: readonly Proposal[], limit: number): readonly Proposal[] {
  return proposals.toSorted((left, right) => left.length - right.length).slice(0, limit);
}

function distinct<T extends object>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
