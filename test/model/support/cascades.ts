/** What a change takes along: decisions 14 and 21, written down again. Survivors that lose something get its date. */
import { type Held, heldBy, lacks } from "./permissions.ts";
import type { Organization, Project, ProjectGrant, Token, User, World } from "./world.ts";

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

/** Those that were made with it go too, whosever they are. */
export function removeToken(world: World, { id }: Token): void {
  world.tokens.remove((token) => token.id === id);
  for (const child of world.tokens.where(({ madeWithId }) => madeWithId === id)) removeToken(world, child);
}

/** Who gets more than he had loses the tokens that somebody made who does not hold all of what is his then. */
export function removeWeakTokens(
  world: World,
  userId: string,
  { before, after }: { readonly before: readonly Held[]; readonly after: readonly Held[] },
): void {
  if (!lacks(before, after)) return;
  const byOthers = world.tokens.where(
    (token) => token.userId === userId && token.creatorId !== userId && token.creatorId !== "system",
  );
  const weak = byOthers.filter(({ creatorId }) => lacks(heldBy(world, creatorId), after));
  for (const token of weak) removeToken(world, token);
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
