import type { MembershipScope } from "./roles.ts";

/** A scope on which a membership can be added. */
export interface ScopeChoice {
  readonly scope: MembershipScope;
  /** The organization of the scope; absent for the instance. */
  readonly ownerId: string | undefined;
  readonly title: string;
}

/** Writes a scope as a form keeps it. A restored form may meet another list of scopes, so its place in the list would not do. */
export function keyOfScope({ case: kind, value }: MembershipScope): string {
  return `${kind}:${value}`;
}

/** Returns the choice whose scope has the key; undefined when it is no longer offered. */
export function findChoice(choices: readonly ScopeChoice[], key: string): ScopeChoice | undefined {
  return choices.find(({ scope }) => keyOfScope(scope) === key);
}
