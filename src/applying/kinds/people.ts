import type { JsonObject } from "@bufbuild/protobuf";
import { GroupGrantSchema, GroupMemberSchema, GroupSchema } from "../../../gen/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { type User, UserSchema } from "../../../gen/gatehouse/v1/user_pb.ts";
import { UserGrantSchema } from "../../../gen/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import { metadataOf } from "./metadata.ts";
import type { ObjectKind } from "./object-kind.ts";
import { flatten, toStored } from "./stored.ts";

/** The service users of an organization. People are in no file. */
const serviceUsers: ObjectKind = {
  key: "service_users",
  noun: "service user",
  form: "list",
  names: ["username"],
  isFolded: true,
  own: "user_id",
  add: "addServiceUser",
  updates: ["updateServiceUser"],
  remove: "removeUser",
  switches: { deactivate: "deactivateUser", reactivate: "reactivateUser" },
  order: 20,
  target: "user",
  children: [metadataOf("User", { user_id: "service_users" })],
  async read(reader, { organizationId }, names) {
    const service = reader.in(organizationId, UserService);
    const found: User[] = [];
    for (const username of names ?? [""])
      found.push(...(await collect(listAll(service.listUsers, { username }))));
    return found.flatMap((user) => {
      if (user.type.case !== "service") return [];
      const { settings, ...rest } = toStored(UserSchema, user);
      return [{ ...rest, settings: flatten(settings, "service") }];
    });
  },
};

const groupMembers: ObjectKind = {
  key: "members",
  noun: "member",
  form: "list",
  names: ["user_ids", "group_ids"],
  add: "addGroupMembers",
  updates: ["addGroupMembers"],
  remove: "removeGroupMembers",
  path: { group_id: "groups" },
  order: 40,
  children: [],
  async read(reader, { organizationId, ids: { groups: groupId = "" } }) {
    const service = reader.in(organizationId, GroupService);
    const all = await collect(listAll(service.listGroupMembers, { groupId }));
    return all.map((member) => {
      const { settings } = toStored(GroupMemberSchema, member);
      const { user_id: userId, group_id: subgroupId, ...rest } = settings;
      const ids: JsonObject =
        userId === undefined ? { group_ids: [subgroupId ?? ""] } : { user_ids: [userId] };
      return { id: "", settings: { ...rest, ...ids } };
    });
  },
};

const groupGrants: ObjectKind = {
  key: "grants",
  noun: "group grant",
  form: "list",
  names: ["project_id", "project_grant_id"],
  own: "grant_id",
  add: "addGroupGrant",
  updates: ["updateGroupGrant"],
  remove: "removeGroupGrant",
  switches: { deactivate: "deactivateGroupGrant", reactivate: "reactivateGroupGrant" },
  path: { group_id: "groups" },
  order: 60,
  children: [],
  async read(reader, { organizationId, ids: { groups: groupId = "" } }) {
    const service = reader.in(organizationId, GroupService);
    const all = await collect(listAll(service.listGroupGrants, { groupId }));
    return all.map((grant) => toStored(GroupGrantSchema, grant));
  },
};

const groups: ObjectKind = {
  key: "groups",
  noun: "group",
  form: "list",
  names: ["name"],
  isFolded: true,
  own: "id",
  add: "addGroup",
  updates: ["updateGroup"],
  remove: "removeGroup",
  order: 30,
  target: "group",
  children: [groupMembers, groupGrants, metadataOf("Group", { group_id: "groups" })],
  async read(reader, { organizationId }) {
    const service = reader.in(organizationId, GroupService);
    const all = await reader.once(`groups ${organizationId}`, () => collect(listAll(service.listGroups, {})));
    // The answer holds memberships beside the groups, for lists of one user's groups alone.
    return all.flatMap((group) =>
      group.$typeName === "gatehouse.v1.Group" ? [toStored(GroupSchema, group)] : [],
    );
  },
};

const userGrants: ObjectKind = {
  key: "user_grants",
  noun: "user grant",
  form: "list",
  names: ["user_id", "project_id", "project_grant_id"],
  own: "grant_id",
  add: "addUserGrant",
  updates: ["updateUserGrant"],
  remove: "removeUserGrant",
  switches: { deactivate: "deactivateUserGrant", reactivate: "reactivateUserGrant" },
  order: 60,
  children: [],
  async read(reader, { organizationId }) {
    const service = reader.in(organizationId, UserGrantService);
    const all = await collect(listAll(service.listUserGrants, {}));
    return all.map((grant) => toStored(UserGrantSchema, grant));
  },
};

/** The kinds that are about users: service users, groups, and what users are given. */
export const peopleKinds: readonly ObjectKind[] = [serviceUsers, groups, userGrants];
