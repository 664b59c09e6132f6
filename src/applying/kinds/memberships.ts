import type { MessageInitShape } from "@bufbuild/protobuf";
import { MembershipSchema } from "../../../gen/gatehouse/v1/membership_pb.ts";
import {
  type ListMembershipsRequestSchema,
  MembershipService,
} from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import type { ObjectKind } from "./object-kind.ts";
import { toStored } from "./stored.ts";

/** What a membership is on: the field of requests that says so. */
type Scope = "instance" | "organization_id" | "project_id" | "project_grant_id";

const scopes: readonly Scope[] = ["instance", "organization_id", "project_id", "project_grant_id"];

function filterOf(scope: Scope, id: string): MessageInitShape<typeof ListMembershipsRequestSchema> {
  switch (scope) {
    case "instance":
      return { instance: true };
    case "organization_id":
      return { organizationId: id };
    case "project_id":
      return { projectId: id };
    case "project_grant_id":
      return { projectGrantId: id };
  }
}

/** Returns the memberships on the instance, or on what the kind `key` says. */
export function membershipsOn(scope: Scope, key: string): ObjectKind {
  return {
    key: "memberships",
    noun: "membership",
    form: "list",
    names: ["user_id", "group_id"],
    own: "membership_id",
    add: "addMembership",
    updates: ["updateMembership"],
    remove: "removeMembership",
    ...(scope === "instance" ? { fixed: { instance: true } } : { path: { [scope]: key } }),
    leftOut: scopes.filter((other) => other !== scope),
    order: 70,
    children: [],
    async read(reader, { ids }) {
      const service = reader.in("", MembershipService);
      const all = await collect(listAll(service.listMemberships, filterOf(scope, ids[key] ?? "")));
      return all.map((membership) => toStored(MembershipSchema, membership));
    },
  };
}
