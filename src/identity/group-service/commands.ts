import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { GroupId, OrganizationId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { change, type FeatureContext, write } from "../context.ts";
import { createGroupGrantCommands, type GroupGrantCommands } from "../group-grants/commands.ts";
import {
  addGroup,
  type Group,
  groupNameTaken,
  type GroupSettings,
  groupSourced,
  type GroupSource,
  isNewSource,
  removeGroup,
  updateGroup,
} from "../groups/group.ts";
import { findUserAsMember, type GroupMember } from "../groups/member-list-repository.ts";
import { getGroup, groupList, isGroupNameTaken } from "../groups/repository.ts";
import { searchedGroups } from "../groups/search-repository.ts";
import { hookNotFound } from "../hooks/hook/hook.ts";
import { getHook } from "../hooks/hook/repository.ts";
import type { ListedPage } from "../list.ts";
import { getUser } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import { getIdentityProvider } from "../providers/repository.ts";
import { remove, type Removal } from "../removal.ts";
import { readFound } from "../search/read-found.ts";
import type { SearchFilter } from "../search/searched.ts";
import { createMemberCommands, keepInstanceOwner, type MemberCommands } from "./member-commands.ts";
import { requireMayGive } from "./reach.ts";

/** The use cases of groups, their members and their grants. */
export interface GroupServiceCommands {
  /** Raises NOT_FOUND (source), ALREADY_EXISTS for a name that is taken in the organization. */
  add(call: Call, settings: GroupSettings): Promise<{ readonly id: GroupId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<Group>;
  /** With a user also that user as a member of each of the groups, in their order. Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    filter: { readonly userId: string; readonly sourceUserId?: string } & SearchFilter,
    page: PageRequest,
  ): Promise<ListedPage<Group> & { readonly members: readonly GroupMember[] }>;
  /** Replaces all settings. Raises NOT_FOUND (group, source), PERMISSION_DENIED, ALREADY_EXISTS, GROUP_SOURCED. Harmless to repeat. */
  update(call: Call, id: string, settings: GroupSettings): Promise<Details>;
  /** Also removes its grants and memberships. Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. */
  remove(call: Call, id: string): Promise<Removal>;
  readonly members: MemberCommands;
  readonly grants: GroupGrantCommands;
}

/** Creates the commands of groups. */
export function createGroupServiceCommands(context: FeatureContext): GroupServiceCommands {
  return {
    add: (call, settings) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        const id = tx.nextId<GroupId>();
        const added = addGroup(id, organizationId, settings);
        await requireSourceExists(tx, organizationId, settings.source);
        if (await isGroupNameTaken(tx, organizationId, settings.name)) throw groupNameTaken(settings.name);
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getGroup(tx, call.access.organizationId, id)),
    list: (call, { userId, sourceUserId = "", search }, page) =>
      context.database.read(async (tx) => {
        const { organizationId } = call.access;
        const asked = { organizationId, userId, sourceUserId };
        const listed = await readFound(context, tx, {
          list: groupList,
          call,
          asked,
          among: (ids) => ({ ...asked, among: ids }),
          text: search,
          searched: searchedGroups,
          ownerId: organizationId,
          nameOf: ({ name }) => name,
          page,
        });
        const ids = listed.page.items.map(({ id }) => id);
        const members = userId === "" || ids.length === 0 ? [] : await findUserAsMember(tx, userId, ids);
        return { ...listed, members };
      }),
    update: (begun, id, settings) =>
      change(context, begun, {
        load: ({ tx, call }) => getGroup(tx, call.access.organizationId, id),
        async decide(group, { tx, call }) {
          const events = updateGroup(group, settings);
          if (events.length === 0) return events;
          if (isNewSource(group, settings)) {
            const memberships = await requireMayGive(tx, call.caller.held, group.id);
            await requireSourceExists(tx, group.organizationId, settings.source);
            if (memberships.length > 0) throw groupSourced(group.id);
          }
          if (await isGroupNameTaken(tx, group.organizationId, settings.name, group))
            throw groupNameTaken(settings.name);
          return events;
        },
      }),
    remove: (begun, id) =>
      remove(context, begun, {
        load: ({ tx, call }) => getGroup(tx, call.access.organizationId, id),
        async decide(group, command) {
          await requireMayGive(command.tx, command.call.caller.held, group.id);
          await keepInstanceOwner(command, group);
          return [removeGroup(group)];
        },
      }),
    members: createMemberCommands(context),
    grants: createGroupGrantCommands(context),
  };
}

/** A source is an identity provider, a service user or a hook of the organization. Raises NOT_FOUND. */
async function requireSourceExists(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  source: GroupSource | undefined,
): Promise<void> {
  switch (source?.kind) {
    case undefined:
      return;
    case "provider":
      await getIdentityProvider(tx, organizationId, source.idpId);
      return;
    case "hook": {
      const { kind } = await getHook(tx, [organizationId], source.hookId);
      if (kind !== "AFTER_EXTERNAL_LOGIN") throw hookNotFound(source.hookId);
      return;
    }
    case "user": {
      const user = await getUser(tx, organizationId, source.userId);
      if (user.kind !== "service") throw userNotFound(source.userId);
    }
  }
}
