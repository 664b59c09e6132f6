import type { NamedObject } from "../../ui/names/named-object.ts";

/** A name that was typed, and the user that it found. */
export interface NamedUser {
  readonly typed: string;
  readonly user: NamedObject | undefined;
}

/** A user grant that is there already. */
export interface HeldGrant {
  readonly id: string;
  readonly userId: string;
  readonly roleKeys: readonly string[];
  /** The version with which a change is refused if somebody else has changed it since. */
  readonly sequence: bigint;
}

/** What is to be done for one of the users. */
export type Step =
  | { readonly kind: "missing"; readonly typed: string }
  | { readonly kind: "add"; readonly user: NamedObject }
  /** The user has a grant for the project: these roles come to it. */
  | {
      readonly kind: "extend";
      readonly user: NamedObject;
      readonly held: HeldGrant;
      readonly added: readonly string[];
    }
  | { readonly kind: "keep"; readonly user: NamedObject };

/** The most that a batch takes. */
export const mostUsers = 1000;

/**
 * Plans the changes after which each user has the roles, in addition to the present ones. A user who is named twice counts once.
 */
export function planSteps(
  named: readonly NamedUser[],
  held: readonly HeldGrant[],
  roleKeys: readonly string[],
): readonly Step[] {
  const byUser = new Map(held.map((grant) => [grant.userId, grant]));
  const seen = new Set<string>();
  return named.flatMap(({ typed, user }): readonly Step[] => {
    if (user === undefined) return [{ kind: "missing", typed }];
    if (seen.has(user.id)) return [];
    seen.add(user.id);
    const grant = byUser.get(user.id);
    if (grant === undefined) return [{ kind: "add", user }];
    const added = roleKeys.filter((role) => !grant.roleKeys.includes(role));
    return [added.length === 0 ? { kind: "keep", user } : { kind: "extend", user, held: grant, added }];
  });
}

/** A step that changes something. */
export type ActiveStep = Extract<Step, { kind: "add" | "extend" }>;

/** Returns the steps that change something. */
export function activeSteps(steps: readonly Step[]): readonly ActiveStep[] {
  return steps.filter((step): step is ActiveStep => step.kind === "add" || step.kind === "extend");
}

/** Calls `load` for each value, a few at a time, and returns the results in the order of the values. */
export async function mapSome<Value, Result>(
  values: readonly Value[],
  load: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const width = 6;
  for (let start = 0; start < values.length; start += width)
    results.push(...(await Promise.all(values.slice(start, start + width).map(load))));
  return results;
}
