import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** The ids of groups that stay, of one that goes, and of the grants to them. */
const groupIds = { group: "230", inner: "231", gone: "232", grant: "233", goneGrant: "234" } as const;

interface Objects {
  readonly organization: string;
  readonly user: string;
  readonly project: string;
}

/** The life of groups: a group in another, with a member, a grant and a membership. */
export function groupEvents({ organization, user, project }: Objects): readonly NewEvent[] {
  const about = (aggregateId: string) => ({ aggregateId, resourceOwner: organization });
  const settings = { name: "Group", description: "What it is for", external_id: "x-1" };
  const { group, inner, grant } = groupIds;
  return [
    { type: "group.added", ...about(group), payload: { ...settings, source_user_id: user } },
    { type: "group.added", ...about(inner), payload: { ...settings, name: "Inner", source_idp_id: "31" } },
    { type: "group.changed", ...about(group), payload: { ...settings, source_hook_id: "260" } },
    { type: "group.changed", ...about(group), payload: settings },
    { type: "group.member.added", ...about(group), payload: { user_ids: [user], group_ids: [inner] } },
    {
      type: "group_grant.added",
      ...about(grant),
      payload: {
        group_id: group,
        project_id: project,
        project_grant_id: "",
        role_keys: [],
        held_at_home: true,
      },
    },
    {
      type: "membership.added",
      ...about("235"),
      payload: { group_id: group, organization_id: organization, roles: ["ORGANIZATION_VIEWER"] },
    },
  ];
}

/** A group that is removed again, and what else ends before it. */
export function goneGroup({ organization, user, project }: Objects): readonly NewEvent[] {
  const about = (aggregateId: string) => ({ aggregateId, resourceOwner: organization });
  const { gone, goneGrant } = groupIds;
  const grant = about(goneGrant);
  return [
    { type: "group.added", ...about(gone), payload: { name: "Gone", description: "", external_id: "" } },
    { type: "group.member.added", ...about(gone), payload: { user_ids: [user], group_ids: [] } },
    { type: "group.member.removed", ...about(gone), payload: { user_ids: [user], group_ids: [] } },
    { type: "group.member.added", ...about(gone), payload: { user_ids: [user], group_ids: [] } },
    {
      type: "group_grant.added",
      ...grant,
      payload: {
        group_id: gone,
        project_id: project,
        project_grant_id: "",
        role_keys: [],
        held_at_home: false,
      },
    },
    { type: "group_grant.changed", ...grant, payload: { role_keys: [] } },
    { type: "group_grant.deactivated", ...grant, payload: {} },
    { type: "group_grant.reactivated", ...grant, payload: {} },
    { type: "group_grant.removed", ...grant, payload: {} },
    { type: "group.removed", ...about(gone), payload: {} },
  ];
}
