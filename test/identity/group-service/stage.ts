import type { Call } from "../../../src/kernel/base/call.ts";
import type { GroupId, OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import {
  createGroupServiceCommands,
  type GroupServiceCommands,
} from "../../../src/identity/group-service/commands.ts";
import type { GroupSource } from "../../../src/identity/groups/group.ts";
import {
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import {
  createUserGrantCommands,
  type UserGrantCommands,
} from "../../../src/identity/user-grants/commands.ts";
import { rolePayload } from "../../support/samples.ts";
import { callBy, instanceId, openSetup, type Setup } from "../memberships/setup.ts";

/** Groups, on the objects of the tests of memberships. */
export interface GroupStage extends Setup {
  readonly groups: GroupServiceCommands;
  readonly memberships: MembershipCommands;
  readonly userGrants: UserGrantCommands;
  /** A call on home, or another organization, of somebody who holds these roles. */
  by(held: readonly HeldRoles[], organizationId?: OrganizationId): Call;
  /** A call of somebody who may do everything. */
  readonly owner: Call;
  onHome(...roles: readonly Role[]): HeldRoles;
  addGroup(name: string, source?: GroupSource): Promise<GroupId>;
  /** Makes users members. */
  join(groupId: string, ...userIds: readonly string[]): Promise<void>;
  /** Makes a group a member of another one. */
  nest(groupId: string, ...groupIds: readonly string[]): Promise<void>;
  leave(groupId: string, ...userIds: readonly string[]): Promise<void>;
  addRoles(projectId: string, ...keys: readonly string[]): Promise<void>;
  /** Empties and refills all tables, and throws if they differ afterwards. */
  rebuilt(): Promise<{ readonly before: object; readonly after: object }>;
}

/** Opens a new database with these objects. */
export async function openGroupStage(): Promise<GroupStage> {
  const setup = await openSetup();
  const { log, home } = setup;
  const groups = createGroupServiceCommands(log.context);
  const by = (held: readonly HeldRoles[], organizationId = home): Call => ({
    ...callBy(organizationId, ...held),
    access: { organizationId, projects: "all", projectGrants: "all" },
  });
  const owner = by([{ scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] }]);
  const change = (groupId: string, userIds: readonly string[], groupIds: readonly string[] = []) =>
    groups.members.add(owner, groupId, { userIds, groupIds });
  return {
    ...setup,
    groups,
    memberships: createMembershipCommands(log.context, instanceId),
    userGrants: createUserGrantCommands(log.context),
    by,
    owner,
    onHome: (...roles) => ({ scope: setup.scopes.home, roles }),
    addGroup: async (name, source) =>
      (await groups.add(owner, { name, description: "", externalId: "", source })).id,
    join: async (groupId, ...userIds) => void (await change(groupId, userIds)),
    nest: async (groupId, ...groupIds) => void (await change(groupId, [], groupIds)),
    leave: async (groupId, ...userIds) =>
      void (await groups.members.remove(owner, groupId, { userIds, groupIds: [] })),
    addRoles: async (projectId, ...keys) => {
      await log.append(
        keys.map(
          (key): NewEvent => ({
            type: "project.role.added",
            aggregateId: projectId,
            resourceOwner: home,
            payload: rolePayload(key),
          }),
        ),
      );
    },
    async rebuilt() {
      const before = await log.dump();
      await log.rebuild();
      return { before, after: await log.dump() };
    },
  };
}

/** Adds users of home. */
export async function addUsers(stage: GroupStage, count: number): Promise<readonly UserId[]> {
  const users: UserId[] = [];
  for (let index = 0; index < count; index += 1) users.push(await stage.addUser(stage.home));
  return users;
}
