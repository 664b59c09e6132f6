import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { idOf, uniqueName, type World } from "../../support/world.ts";

const groups = GroupService.method;

/** Has groups with members, grants and a membership changed, stopped, started and removed. Some stay: returns the id of one. */
export async function liveGroups(
  act: <M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) => Promise<JsonObject>,
  { organizationId, projectId, userId }: World,
): Promise<string> {
  const add = async () => idOf(await act(groups.addGroup, { name: uniqueName("Group") }), "id");
  const [outer, inner, gone] = [await add(), await add(), await add()];
  await act(groups.updateGroup, { id: outer, name: uniqueName("Renamed"), description: "Outer" });
  const members = { groupId: outer, userIds: [userId], groupIds: [inner, gone] };
  await act(groups.addGroupMembers, members);
  await act(groups.addGroupMembers, { groupId: inner, userIds: [userId] });
  await act(groups.removeGroupMembers, { groupId: outer, userIds: [userId] });
  const scope = { case: "organizationId" as const, value: organizationId };
  const membership = { groupId: outer, scope, roles: ["ORGANIZATION_VIEWER"] };
  await act(MembershipService.method.addMembership, membership);
  for (const groupId of [outer, inner]) {
    const added = await act(groups.addGroupGrant, { groupId, projectId, roleKeys: ["reader"] });
    const grant = { groupId, grantId: idOf(added, "groupGrantId") };
    await act(groups.updateGroupGrant, { ...grant, roleKeys: ["reader", "writer"] });
    await act(groups.deactivateGroupGrant, grant);
    await act(groups.reactivateGroupGrant, grant);
    if (groupId === inner) await act(groups.removeGroupGrant, grant);
  }
  await act(groups.removeGroup, { id: gone });
  return outer;
}
