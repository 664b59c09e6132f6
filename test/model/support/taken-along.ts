/** What a removal says that it took along: the objects that are gone afterwards, without those that it was about. */
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import type { World } from "./world.ts";

/** The type of what each removal is about. */
const removedBy: Readonly<Record<string, string>> = {
  RemoveOrganization: "organization",
  RemoveUser: "user",
  RemovePersonalAccessToken: "user.token",
  RemoveMembership: "membership",
  RemoveIdentityProvider: "identity_provider",
  RemoveProject: "project",
  RemoveProjectRole: "project.role",
  RemoveProjectGrant: "project_grant",
  RemoveUserGrant: "user_grant",
  RemoveApplication: "application",
};

/** Makes a change in the model, and returns what the answer says of what went along; nothing for a call that is no removal. */
export function noteRemoved(world: World, { name }: DescMethodUnary, change: () => void): JsonObject {
  const before = countObjects(world);
  change();
  const own = removedBy[name];
  if (own === undefined) return {};
  const after = countObjects(world);
  const removed = Object.keys(before)
    .filter((type) => type !== own || !isAlone(name))
    .map((type) => ({ type, count: (before[type] ?? 0) - (after[type] ?? 0) - (type === own ? 1 : 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((left, right) => (left.type < right.type ? -1 : 1));
  return { removed: removed.map(({ type, count }) => ({ type, count: String(count) })) };
}

/** Only tokens take along others of their own type. */
function isAlone(name: string): boolean {
  return name !== "RemovePersonalAccessToken";
}

function countObjects(world: World): Readonly<Record<string, number>> {
  return {
    organization: world.organizations.all().length,
    user: world.users.all().length,
    "user.token": world.tokens.all().length,
    membership: world.memberships.all().length,
    identity_provider: world.providers.all().length,
    project: world.projects.all().length,
    "project.role": world.projects.all().reduce((sum, { roles }) => sum + roles.size, 0),
    project_grant: world.projectGrants.all().length,
    user_grant: world.userGrants.all().length,
    application: world.applications.all().length,
  };
}
