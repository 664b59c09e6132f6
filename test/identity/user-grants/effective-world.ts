import type { OrganizationId, ProjectGrantId, ProjectId, UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import {
  createUserGrantCommands,
  type UserGrantCommands,
} from "../../../src/identity/user-grants/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

/**
 * `owner` has the projects 0 and 1; project 0 is granted to `partner`. `home` is the organization of the users, with project 2
 * of its own. Each of the three has given both users roles.
 */
export interface EffectiveWorld {
  readonly fixture: FeatureFixture;
  readonly commands: UserGrantCommands;
  readonly owner: OrganizationId;
  readonly partner: OrganizationId;
  readonly home: OrganizationId;
  readonly projects: readonly [ProjectId, ProjectId, ProjectId];
  readonly projectGrant: ProjectGrantId;
  readonly users: readonly [UserId, UserId];
  /** Four of each user, in the same order, oldest first. */
  readonly grants: readonly GivenRoles[];
}

export interface GivenRoles {
  readonly id: string;
  readonly userId: UserId;
  readonly giver: OrganizationId;
  /** Which of the projects. */
  readonly project: 0 | 1 | 2;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** The roles of each project. */
export const keys = ["reader", "writer"];

/** Opens a new database with the objects in it. */
export async function openEffectiveWorld(): Promise<EffectiveWorld> {
  const fixture = await openFeatureFixture();
  const commands = createUserGrantCommands(fixture.context);
  const owner = await fixture.addOrganization();
  const partner = await fixture.addOrganization();
  const home = await fixture.addOrganization();
  const projects = [
    await fixture.addProject(owner, keys),
    await fixture.addProject(owner, keys),
    await fixture.addProject(home, keys),
  ] as const;
  const projectGrant = await fixture.addProjectGrant(projects[0], owner, partner, keys);
  const users = [await fixture.addUser(home), await fixture.addUser(home)] as const;
  const grants: GivenRoles[] = [];
  for (const userId of users) {
    for (const [giver, project, projectGrantId, roleKeys] of [
      [partner, 0, projectGrant, ["writer", "reader"]],
      [owner, 0, "", ["reader"]],
      [owner, 1, "", ["writer"]],
      [home, 2, "", ["reader"]],
    ] as const) {
      const call = callAs(giver, { held: [onInstance("INSTANCE_OWNER")], permission: "user.grant.write" });
      const projectId = projects[project];
      const { id } = await commands.add(call, { userId, projectId, projectGrantId, roleKeys });
      grants.push({ id, userId, giver, project, projectGrantId, roleKeys });
    }
  }
  return { fixture, commands, owner, partner, home, projects, projectGrant, users, grants };
}

/** Returns roles that hold for the whole instance. */
export function onInstance(...roles: readonly Role[]): HeldRoles {
  return { scope: { kind: "instance" }, roles };
}
