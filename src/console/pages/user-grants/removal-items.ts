import type { MessageInitShape } from "@bufbuild/protobuf";
import { itemIfUnchanged } from "../../api/item-condition.ts";
import type { WriteItemSchema, WriteResponse } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import type { Removed } from "../../gen/gatehouse/v1/object_pb.ts";
import type { UserGrant } from "../../gen/gatehouse/v1/user_grant_pb.ts";

type Item = MessageInitShape<typeof WriteItemSchema>;

/** Makes the items of a batch that removes the user grants, each only if nobody else has changed it since. */
export function toGrantRemovals(grants: readonly Pick<UserGrant, "id" | "userId" | "details">[]): Item[] {
  return grants.map(({ id, userId, details }) => ({
    ...itemIfUnchanged(details),
    request: { case: "removeUserGrant", value: { userId, grantId: id } },
  }));
}

/** Returns all that goes with the removals of a batch. */
export function readGrantRemovals({ results }: Pick<WriteResponse, "results">): readonly Removed[] {
  return results.flatMap(({ result }) => (result.case === "removeUserGrant" ? result.value.removed : []));
}
