import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  uniqueName,
} from "../../support/world.ts";
import { changesDates, dates, type EffectCase, type Ground, type Read } from "./field-effect.ts";
import { newHook } from "./hook-effect-cases.ts";

const groups = GroupService.method;

const insideOf = ({ service, world }: Ground) => createCaller(service, world.organizationId);

/** Adds a group to the world, and returns its id. */
export const newGroupIn = async (ground: Ground): Promise<string> =>
  idOf(await insideOf(ground)(groups.addGroup, { name: uniqueName("Group") }), "id");

const ofGroup = (id: string): Read => [groups.getGroup, { id }];

const newSources = async ({ service, world }: Ground) => ({
  source_idp_id: world.idpId,
  source_user_id: (await createServiceUser(service, world.organizationId)).id,
  source_hook_id: await newHook({ service, world }, HookKind.AFTER_EXTERNAL_LOGIN),
});

/** The rpcs that add groups, members and grants, or change them. */
export const groupEffectCases: Readonly<Record<string, EffectCase>> = {
  AddGroup: {
    prepare: async (ground) => ({
      given: await newSources(ground),
      read: (answer) => ofGroup(idOf(answer, "id")),
    }),
  },
  UpdateGroup: {
    async prepare(ground) {
      const id = await newGroupIn(ground);
      return { given: { id, ...(await newSources(ground)) }, read: () => ofGroup(id) };
    },
  },
  AddGroupMembers: {
    alternatives: [["start_date", "end_date"], ["group_ids"]],
    async prepare(ground) {
      const groupId = await newGroupIn(ground);
      const userId = await createHumanUser(ground.service, ground.world.organizationId);
      const given = { group_id: groupId, user_ids: [userId], group_ids: [await newGroupIn(ground)] };
      return { given, read: () => [groups.listGroupMembers, { groupId }] };
    },
    seenAs: {
      user_ids: ({ value, read }) => JSON.stringify(read).includes((value as readonly string[])[0] ?? "?"),
      group_ids: ({ value, read }) => JSON.stringify(read).includes((value as readonly string[])[0] ?? "?"),
    },
  },
  AddGroupGrant: {
    alternatives: [["project_grant_id"], []],
    async prepare(ground, without) {
      const { service, world, partnerId } = ground;
      const organizationId = without.includes("project_grant_id") ? world.organizationId : partnerId;
      const inside = createCaller(service, organizationId);
      const groupId = idOf(await inside(groups.addGroup, { name: uniqueName("Group") }), "id");
      return {
        organizationId,
        given: {
          group_id: groupId,
          project_id: world.projectId,
          project_grant_id: world.projectGrantId,
          role_keys: ["reader"],
        },
        read: (answer) => [groups.getGroupGrant, { groupId, grantId: idOf(answer, "groupGrantId") }],
      };
    },
  },
  UpdateGroupGrant: {
    ...changesDates,
    async prepare(ground) {
      const groupId = await newGroupIn(ground);
      const projectId = await createProject(ground.service, ground.world.organizationId, [
        "reader",
        "writer",
      ]);
      const grant = { groupId, projectId, roleKeys: ["reader"], ...dates };
      const grantId = idOf(await insideOf(ground)(groups.addGroupGrant, grant), "groupGrantId");
      return {
        given: { group_id: groupId, grant_id: grantId, role_keys: ["writer"] },
        read: () => [groups.getGroupGrant, { groupId, grantId }],
      };
    },
  },
};
