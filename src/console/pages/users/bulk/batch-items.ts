import type { MessageInitShape } from "@bufbuild/protobuf";
import { itemIfUnchanged } from "../../../api/item-condition.ts";
import type { WriteItemSchema } from "../../../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import { type User, UserState } from "../../../../../gen/console/gatehouse/v1/user_pb.ts";

/** What can be done to the state of several users at once. */
export const stateChanges = ["lock", "unlock", "deactivate", "reactivate"] as const;

/** A change of the state of several users. */
export type StateChange = (typeof stateChanges)[number];

/** The state that users must be in for a change, and the name of the change in a batch. */
const changes = {
  lock: { from: UserState.ACTIVE, request: "lockUser" },
  unlock: { from: UserState.LOCKED, request: "unlockUser" },
  deactivate: { from: UserState.ACTIVE, request: "deactivateUser" },
  reactivate: { from: UserState.INACTIVE, request: "reactivateUser" },
} as const;

/** Returns the users that can be changed: the others are left as they are. */
export function choosePossible(users: readonly User[], change: StateChange): readonly User[] {
  return users.filter(({ state }) => state === changes[change].from);
}

type Item = MessageInitShape<typeof WriteItemSchema>;

/** Makes the items of a batch that changes the state of the users, each only if nobody else has changed the user since. */
export function toStateItems(users: readonly User[], change: StateChange): Item[] {
  const name = changes[change].request;
  return users.map((user) => ({
    ...itemIfUnchanged(user.details),
    request: { case: name, value: { userId: user.id } },
  }));
}

/** Returns the user that made a batch fail, if the error names one. */
export function findCause<Person>(
  users: readonly Person[],
  metadata: Readonly<Record<string, string>>,
): Person | undefined {
  const { item } = metadata;
  return item === undefined ? undefined : users[Number(item)];
}
