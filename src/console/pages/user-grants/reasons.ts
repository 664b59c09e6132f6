/** The things that must be active for a user grant to count, in the order in which they are shown. */
const linkKinds = [
  "grant",
  "user",
  "userOrganization",
  "givingOrganization",
  "project",
  "owner",
  "projectGrant",
] as const;

/** One of the things that a user grant rests on. */
export type LinkKind = (typeof linkKinds)[number];

/** What is known of one of these things. */
export interface GrantLink {
  readonly kind: LinkKind;
  /** What it is called. */
  readonly title: string;
  /** The page of the thing, if there is one for the user of the console. */
  readonly to?: string | undefined;
  /** The number of its state, as every enum of states has it; absent where it may not be read. */
  readonly state: number | undefined;
  /** Whether its time is still to come or over, though it is active. */
  readonly standing?: "later" | "ended" | undefined;
}

/** Why a user grant counts or does not. */
export type Verdict =
  | { readonly kind: "counts"; readonly roles: readonly string[] }
  /** It counts for as many roles as it has: none. */
  | { readonly kind: "empty" }
  /** These are not active, or not in their time. */
  | { readonly kind: "hindered"; readonly links: readonly GrantLink[] }
  /** All that may be read is active, so it is one of these. */
  | { readonly kind: "unseen"; readonly links: readonly GrantLink[] };

const activeState = 1;

/**
 * Says why a user grant counts or does not. `effective` are the roles that the service says the user holds by this grant: it alone knows
 * all states, and is right where what was read a moment before differs.
 */
export function explain(
  links: readonly GrantLink[],
  roles: readonly string[],
  effective: readonly string[],
): Verdict {
  if (effective.length > 0) return { kind: "counts", roles: effective };
  const hindering = links.filter(
    ({ state, standing }) => (state !== undefined && state !== activeState) || standing !== undefined,
  );
  if (hindering.length > 0) return { kind: "hindered", links: hindering };
  if (roles.length === 0) return { kind: "empty" };
  return { kind: "unseen", links: links.filter(({ state }) => state === undefined) };
}
