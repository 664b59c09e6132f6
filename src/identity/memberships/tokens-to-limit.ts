import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import type { MembershipId, OrganizationId, TokenId, UserId } from "../../kernel/base/ids.ts";
import { findMissing, type HeldRoles, type Role, type Scope } from "../../kernel/base/permission.ts";
import { isOutside } from "../held-roles/outside.ts";
import { toAnswerable } from "../logins/login-origins/login-origin.ts";
import { listLineages, type TokenLineage } from "../programs/tokens/repository.ts";
import { listRolesAround } from "../held-roles/carried-roles-repository.ts";

/** Roles that a user gains on a scope, in the write that is under way. */
export interface Gain {
  readonly userId: UserId;
  /** The organization of the user. */
  readonly organizationId: OrganizationId;
  readonly scope: Scope;
  readonly gained: readonly Role[];
  /** When the user loses them again; absent: never. */
  readonly until?: Instant | undefined;
  /** The membership that gains them, and those of its roles that it keeps; undefined: the user has had nothing of it. */
  readonly changed?: { readonly membershipId: MembershipId; readonly kept: readonly Role[] } | undefined;
}

/**
 * Finds the tokens of the user that are not to carry the roles, oldest first. A token is checked if another user made it, or
 * if it was made with a token that is checked. It carries the roles if the token that it was made with carries them at this
 * moment; a token that is gone carries nothing. A token that was made without one is checked against what its maker holds. Tokens
 * that the service itself made are not checked.
 */
export async function findTokensToLimit(tx: WriteTransaction, gain: Gain): Promise<readonly TokenId[]> {
  if (gain.gained.length === 0) return [];
  const checked = new Set<TokenId>();
  const limited = new Set<TokenId>();
  const verdicts = new Map<string, boolean>();
  for (const token of await listLineages(tx, gain.userId)) {
    const { id, creator, madeWithTokenId: parent } = token;
    const isByAnother = creator !== gain.userId && creator !== "system";
    // A parent of the same user is older, so it has been checked already.
    if (!isByAnother && (parent === undefined || !checked.has(parent))) continue;
    checked.add(id);
    if (checked.size % pauseAfter === 0) await tx.pause();
    // A token that the user made with a token that carries the roles needs no look-up.
    if (!isByAnother && parent !== undefined && !limited.has(parent)) continue;
    const decide = () =>
      isByAnother ? isCarriedByMaker(tx, token, gain) : isCarriedByParent(tx, token, gain);
    if (!(await once(verdicts, keyOf(token), decide))) limited.add(id);
  }
  return [...limited];
}

/** After this many tokens other work gets a turn: a user may have ten thousand. */
const pauseAfter = 500;

/**
 * Checks whether the user who made a token, key, secret or password for another holds the roles that the user gains. The
 * administrators of an identity provider hold none outside of the user's organization, and are trusted with those inside.
 */
export async function isCarriedByMaker(
  tx: ReadTransaction,
  {
    creator,
    madeWithTokenId,
    parentUserId,
  }: Pick<TokenLineage, "creator" | "madeWithTokenId" | "parentUserId">,
  gain: Gain,
): Promise<boolean> {
  const { scope } = gain;
  const { isByProvider, maker: userId } = toAnswerable(creator);
  if (isByProvider && isOutside(scope, gain.organizationId)) return false;
  if (userId === undefined) return true;
  if (madeWithTokenId === undefined) return isEnough(gain, await listRolesAround(tx, { userId }, scope));
  if (parentUserId === undefined) return false;
  const maker = { userId: parentUserId, tokenId: madeWithTokenId };
  return isEnough(gain, await listRolesAround(tx, maker, scope));
}

/** Names what decides over a token, so that it is looked up once: tokens of one maker carry the same unless one is limited. */
function keyOf({ creator, madeWithTokenId, parentUserId, isParentLimited }: TokenLineage): string {
  if (madeWithTokenId === undefined) return creator;
  if (parentUserId === undefined) return "";
  return isParentLimited ? madeWithTokenId : parentUserId;
}

/** Checks whether the parent, a token of the user that does not carry the roles, has their permissions by other roles. */
async function isCarriedByParent(
  tx: ReadTransaction,
  { madeWithTokenId: tokenId }: TokenLineage,
  gain: Gain,
): Promise<boolean> {
  const around = await listRolesAround(tx, { userId: gain.userId, tokenId }, gain.scope);
  const { membershipId, kept = [] } = gain.changed ?? {};
  const after = around.map((held) => ({
    scope: held.scope,
    roles: held.membershipId === membershipId ? held.roles.filter((role) => kept.includes(role)) : held.roles,
  }));
  return isEnough(gain, after);
}

function isEnough({ scope, gained }: Gain, held: readonly HeldRoles[]): boolean {
  return findMissing(held, [{ scope, roles: gained }]) === undefined;
}

async function once(
  known: Map<string, boolean>,
  key: string,
  decide: () => Promise<boolean>,
): Promise<boolean> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const verdict = await decide();
  known.set(key, verdict);
  return verdict;
}
