import type { Random } from "../../hostile/support/random.ts";
import type { Actor } from "./actors.ts";
import { allWrites, isSharp, mayCall, targetsOf, type Write } from "./calls.ts";
import type { Thing } from "./world.ts";

/** A pair of kinds of calls, who makes them, and what the first one is about; undefined: it is drawn. */
export interface PairOfWrites {
  readonly pair: readonly [Write, Write];
  readonly actor: Actor;
  readonly target: Thing | undefined;
}

/**
 * Lists all pairs of kinds of calls. Those that may be about the same object, and may both give something, come first, about
 * every object, by one of those whose rights open it; then each other pair once.
 */
export function listPairs(
  actors: readonly Actor[],
  things: readonly Thing[],
  random: Random,
): readonly PairOfWrites[] {
  const able = actors.filter(({ rights }) => rights.length > 0);
  const all = allWrites.flatMap((first) =>
    allWrites.flatMap((second) => {
      const both = able.filter((actor) => mayCall(actor, first) && mayCall(actor, second));
      return both.length === 0 ? [] : [{ pair: [first, second] as const, both }];
    }),
  );
  const isFirst = ({ pair }: { pair: readonly [Write, Write] }) => areNear(...pair) && pair.every(isSharp);
  const sharp = all.filter(isFirst).flatMap(({ pair, both }) =>
    things.flatMap((target) => {
      const near = both.filter((actor) => targetsOf(actor, pair[0], [target]).length > 0);
      return near.length === 0 ? [] : [{ pair, actor: random.pick(near), target }];
    }),
  );
  const others = all
    .filter((one) => !isFirst(one))
    .map(({ pair, both }) => ({ pair, actor: random.pick(both), target: undefined }));
  // Of those that have nothing to do with each other, one field of each rpc is enough.
  const far = new Map(shuffle(others, random).map((one) => [keyOf(one), one]));
  return [...shuffle(sharp, random), ...far.values()];
}

function keyOf({ pair }: PairOfWrites): string {
  const isFar = !areNear(...pair);
  return pair
    .map(({ method, field }) => (isFar ? method.name : `${method.name}.${field?.name ?? ""}`))
    .join(" ");
}

function shuffle<T>(all: readonly T[], random: Random): readonly T[] {
  return all
    .map((one) => ({ one, order: random.next() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ one }) => one);
}

/** Says whether both calls name an object of the same kind, or one names the project of the other. */
export function areNear({ method: first }: Write, { method: second }: Write): boolean {
  const [left, right] = [namesOf(first), namesOf(second)];
  const isOuter = (names: readonly string[]) => names.every((name) => name === "project_id");
  const shared = left.filter((name) => right.includes(name));
  return (
    shared.some((name) => name !== "project_id") || (shared.length > 0 && (isOuter(left) || isOuter(right)))
  );
}

/** The fields that name objects, but for organizations: everything lies in one. */
function namesOf({ input, parent }: Write["method"]): readonly string[] {
  const noun = parent.name === "OrganizationService" ? "organization_id" : "project_id";
  const names = input.fields.flatMap(({ name }) =>
    /(^|_)ids?$/.test(name) ? [name === "id" ? noun : name] : [],
  );
  return names.filter((name) => !name.endsWith("organization_id"));
}
