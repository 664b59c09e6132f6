import { createRandom, type Random } from "../../hostile/support/random.ts";
import type { Entity, Scope, Shelf, Token, World } from "./world.ts";

/** What is random in one call. All of it follows from one number and what is in the world. */
export interface Draw extends Random {
  /** The id of an object: one that is there, now and then one that was removed or never existed. */
  id<T extends Entity>(shelf: Shelf<T>): string;
  /** An object that is there; undefined when there is none. */
  live<T extends Entity>(shelf: Shelf<T>): T | undefined;
  /** The header x-service-orgid: mostly the organization that fits. */
  header(fitting?: string): string | undefined;
  /** A name out of few, now and then written otherwise, so that they meet. */
  name(kind: string): string;
  /** Some of these values, in any order, now and then one twice. */
  some(values: readonly string[]): readonly string[];
  /** Role keys of a project, now and then one that it does not have, or those that are held now. */
  roleKeys(projectId: string, held?: readonly string[]): readonly string[];
  caller(): Token;
  scope(): Scope;
  state(prefix: string): string;
}

export const neverExisted = "4611686018427387904";

export function createDraw(world: World, seed: number): Draw {
  const random = createRandom(seed, 0);
  const live = <T extends Entity>(shelf: Shelf<T>): T | undefined => {
    const own = shelf.where((entity) => !world.base.has(entity.id));
    if (own.length === 0 || random.chance(0.04)) return pickOr(random, shelf.all());
    return random.pick(own);
  };
  const draw: Draw = {
    ...random,
    live,
    id(shelf) {
      if (random.chance(0.04)) return neverExisted;
      const gone = random.chance(0.08) ? pickOr(random, shelf.gone()) : undefined;
      return (gone ?? live(shelf))?.id ?? neverExisted;
    },
    header(fitting) {
      if (fitting !== undefined && random.chance(0.75)) return fitting;
      return random.chance(0.3) ? undefined : draw.id(world.organizations);
    },
    name(kind) {
      const name = `${kind} ${random.pick(["Ångström", "Beta", "Gamma", "Delta", "Epsilon"])}`;
      if (random.chance(0.85)) return name;
      return random.pick([name.toUpperCase(), ` ${name}`, name.normalize("NFD")]);
    },
    some(values) {
      const chosen = values.filter(() => random.chance(0.6)).toSorted(() => random.next() - 0.5);
      return random.chance(0.1) ? [...chosen, ...chosen.slice(0, 1)] : chosen;
    },
    roleKeys(projectId, held) {
      if (held !== undefined && random.chance(0.2)) return held;
      const project = world.projects.find(projectId);
      const known = draw.some([...(project?.roles.keys() ?? [])]);
      return random.chance(0.06) ? [...known, "nobody"] : known;
    },
    caller() {
      const [first] = world.tokens.all();
      if (first === undefined) throw new Error("nobody can call");
      if (random.chance(0.45)) return first;
      const gone = random.chance(0.03) ? pickOr(random, world.tokens.gone()) : undefined;
      return gone ?? live(world.tokens) ?? first;
    },
    scope() {
      const shelf = random.next();
      if (shelf < 0.15) return { kind: "instance" };
      if (shelf < 0.5) return { kind: "organization", id: draw.id(world.organizations) };
      if (shelf < 0.75) return { kind: "project", id: draw.id(world.projects) };
      return { kind: "projectGrant", id: draw.id(world.projectGrants) };
    },
    state: (prefix) => `${prefix}_STATE_${random.pick(["UNSPECIFIED", "UNSPECIFIED", "ACTIVE", "INACTIVE"])}`,
  };
  return draw;
}

function pickOr<T>(random: Random, list: readonly T[]): T | undefined {
  return list.length === 0 ? undefined : random.pick(list);
}
