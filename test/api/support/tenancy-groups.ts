import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";

/** Makes a group of the organization with a member, and another one of the giver with a grant. */
export async function createGroups(
  service: TestService,
  of: {
    readonly organization: string;
    readonly userId: string;
    readonly giver: string;
    readonly projectId: string;
    readonly projectGrantId: string;
  },
) {
  const { organization, userId, giver, projectId, projectGrantId } = of;
  const group = await createGroup(service, organization);
  const member = { groupId: group, userIds: [userId] };
  await createCaller(service, organization)(GroupService.method.addGroupMembers, member);
  const groupId = await createGroup(service, giver);
  const grant = { groupId, projectId, projectGrantId };
  const granted = await createCaller(service, giver)(GroupService.method.addGroupGrant, grant);
  return { group, grant_group: groupId, group_grant: idOf(granted, "groupGrantId") };
}

/** Makes a group and returns its id. */
export async function createGroup(service: TestService, organization: string): Promise<string> {
  const inside = createCaller(service, organization);
  return idOf(await inside(GroupService.method.addGroup, { name: uniqueName("Group") }), "id");
}
