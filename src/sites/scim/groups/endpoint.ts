import { GroupService } from "../../../../gen/gatehouse/v1/group_service_pb.ts";
import type { ScimEndpoint } from "../lists/endpoint.ts";
import type { ListQuery } from "../lists/list-query.ts";
import { readOperations } from "../patches/operations.ts";
import { patchResource } from "../patches/patch.ts";
import { groupType } from "../schemas/group-schema.ts";
import { readResource } from "../schemas/read-value.ts";
import type { ScimResource } from "../schemas/resource.ts";
import { isAttributeShown } from "../schemas/shown-attributes.ts";
import { toGroupResource } from "./group-resource.ts";
import { readMemberIds, splitOperations } from "./member-changes.ts";
import { groupRows, narrowGroups, readScimGroups, type StoredGroup } from "./repository.ts";
import { changeGroup, createGroup, deleteGroup, getStoredGroup } from "./write-group.ts";

/** So many members a page of groups has, unless its first group alone has more. */
const maxMembersOfPage = 50_000;

/** Groups: each request is the calls of GroupService that it stands for. */
export const groupsEndpoint: ScimEndpoint = {
  type: groupType,
  like: { method: GroupService.method.listGroups, request: {} },
  list: ({ organizationId, baseUrl }, query) => {
    const hasMembers = isAttributeShown(groupType, query.shown, "members");
    const toResources = (stored: readonly StoredGroup[]) =>
      stored.map((each) => toGroupResource(each, baseUrl));
    return {
      type: groupType,
      rows: groupRows,
      narrowTerm: narrowGroups,
      look: async (tx, ids) =>
        toResources(await readScimGroups(tx, { organizationId, hasMembers: comparesMembers(query) }, ids)),
      read: async (tx, ids) =>
        toResources(fit(await readScimGroups(tx, { organizationId, hasMembers }, ids))),
    };
  },
  read: async (request, id, shown) => {
    const hasMembers = isAttributeShown(groupType, shown, "members");
    const read = request.options.database.read((tx) => getStoredGroup(request, tx, id, hasMembers));
    return toGroupResource(await read, request.baseUrl);
  },
  create: (request, body) => createGroup(request, readResource(groupType, body)),
  replace(request, id, { body, require }) {
    const wanted = readResource(groupType, body);
    const decide = (before: ScimResource): ScimResource => {
      require(before);
      return wanted;
    };
    const members = [{ kind: "replace" as const, ids: readMemberIds(wanted["members"]) }];
    return changeGroup(request, id, { decide, members, hasMembers: true });
  },
  async patch(request, id, { body, require }) {
    const { ofGroup, ofMembers } = splitOperations(readOperations(body));
    const decide = (before: ScimResource): ScimResource => {
      require(before);
      return patchResource(groupType, before, ofGroup);
    };
    await changeGroup(request, id, { decide, members: ofMembers, hasMembers: false });
    return undefined; // a group may have more members than anybody wants to hear of with each change
  },
  remove: (request, id, require) => deleteGroup(request, id, require),
};

function comparesMembers({ filterText, sort }: ListQuery): boolean {
  return /members/i.test(filterText) || sort?.by.attribute.name === "members";
}

function fit(stored: readonly StoredGroup[]): readonly StoredGroup[] {
  let count = 0;
  return stored.filter(({ members = [] }, index) => {
    count += members.length;
    return index === 0 || count <= maxMembersOfPage;
  });
}
