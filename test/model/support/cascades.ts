/** What a change takes along: decisions 14 and 21, written down again. Survivors that lose something get its date. */
import { carriedBy, held, lacks } from "./permissions.ts";
import type { Membership, Organization, Project, ProjectGrant, Token, User, World } from "./world.ts";

export function removeOrganization(world: World, { id }: Organization): void {
  const isOfIt = ({ resourceOwner }: { readonly resourceOwner: string }) => resourceOwner === id;
  for (const grant of world.projectGrants.where(({ grantedId }) => grantedId === id))
    removeProjectGrant(world, grant);
  for (const project of world.projects.where(isOfIt)) removeProject(world, project);
  world.providers.remove(isOfIt);
  world.userGrants.remove(isOfIt);
  for (const user of world.users.where(isOfIt)) removeUser(world, user);
  world.memberships.remove(({ scope }) => scope.kind === "organization" && scope.id === id);
  world.organizations.remove((organization) => organization.id === id);
}

export function removeUser(world: World, { id }: User): void {
  for (const token of world.tokens.where(({ userId }) => userId === id)) removeToken(world, token);
  world.memberships.remove(({ userId }) => userId === id);
  world.userGrants.remove(({ userId }) => userId === id);
  world.users.remove((user) => user.id === id);
}

/** Those go too that its user made with it for themselves. */
export function removeToken(world: World, { id, userId }: Token): void {
  world.tokens.remove((token) => token.id === id);
  const children = world.tokens.where((token) => token.madeWithId === id && token.userId === userId);
  for (const child of children) removeToken(world, child);
}

/**
 * Judges the tokens of a user who has gained roles by then: those that somebody else made, and those that were made with
 * them. The roles are left out for each whose parent does not carry what they give. Roles that are gone are forgotten.
 */
export function judgeTokens(world: World, membership: Membership, before: readonly string[]): void {
  const { id, userId, scope, roles } = membership;
  const gained = roles.filter((role) => !before.includes(role));
  const wanted = held(world, scope, gained);
  const judged = new Set<string>();
  for (const token of world.tokens.where((each) => each.userId === userId)) {
    const old = [...(token.leftOut.get(id) ?? [])].filter((role) => roles.includes(role));
    token.leftOut.set(id, new Set(old));
    const isByAnother = token.creatorId !== userId && token.creatorId !== "system";
    if (!isByAnother && !judged.has(token.madeWithId ?? "")) continue;
    judged.add(token.id);
    const parent = world.tokens.find(token.madeWithId ?? "");
    const carried = parent === undefined ? [] : carriedBy(world, parent);
    if (wanted !== undefined && lacks(carried, [wanted])) token.leftOut.set(id, new Set([...old, ...gained]));
  }
}

export function removeProject(world: World, { id }: Project): void {
  for (const grant of world.projectGrants.where(({ projectId }) => projectId === id))
    removeProjectGrant(world, grant);
  world.applications.remove(({ projectId }) => projectId === id);
  world.userGrants.remove(({ projectId }) => projectId === id);
  world.memberships.remove(({ scope }) => scope.kind === "project" && scope.id === id);
  world.projects.remove((project) => project.id === id);
}

export function removeRole(world: World, project: Project, key: string, date: number): void {
  project.roles.delete(key);
  const losing = [...world.projectGrants.all(), ...world.userGrants.all()].filter(
    (grant) => grant.projectId === project.id && grant.roleKeys.includes(key),
  );
  for (const grant of losing) {
    grant.roleKeys = grant.roleKeys.filter((other) => other !== key);
    grant.sequence = date;
  }
}

/** Gives the project grant other roles; the user grants on it lose those that it has no more. */
export function changeProjectGrant(
  world: World,
  grant: ProjectGrant,
  roleKeys: readonly string[],
  date: number,
): void {
  grant.roleKeys = roleKeys;
  for (const resting of world.userGrants.where(({ projectGrantId }) => projectGrantId === grant.id)) {
    const kept = resting.roleKeys.filter((key) => roleKeys.includes(key));
    if (kept.length === resting.roleKeys.length) continue;
    resting.roleKeys = kept;
    resting.sequence = date;
  }
}

export function removeProjectGrant(world: World, { id }: ProjectGrant): void {
  world.userGrants.remove(({ projectGrantId }) => projectGrantId === id);
  world.memberships.remove(({ scope }) => scope.kind === "projectGrant" && scope.id === id);
  world.projectGrants.remove((grant) => grant.id === id);
}
