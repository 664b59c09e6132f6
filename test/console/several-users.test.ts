import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { WriteResponseSchema } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { type User, UserSchema, UserState } from "../../gen/gatehouse/v1/user_pb.ts";
import { choosePossible, findCause, toStateItems } from "../../src/console/pages/users/bulk/batch-items.ts";
import { readRemoved, toRemovalItems } from "../../src/console/ui/batch-removal.ts";

const userIn = (id: string, state: UserState): User =>
  create(UserSchema, { id, state, details: { sequence: BigInt(id) * 10n } });
const users = [
  userIn("1", UserState.ACTIVE),
  userIn("2", UserState.LOCKED),
  userIn("3", UserState.INACTIVE),
  userIn("4", UserState.ACTIVE),
];

describe("several users", () => {
  test.each([
    ["lock", ["1", "4"]],
    ["unlock", ["2"]],
    ["deactivate", ["1", "4"]],
    ["reactivate", ["3"]],
  ] as const)("%s only those whose state allows it", (change, ids) => {
    expect(choosePossible(users, change).map(({ id }) => id)).toEqual(ids);
  });

  test("are changed each only as it was read", () => {
    expect(toStateItems(users.slice(0, 2), "lock")).toEqual([
      { ifMatch: '"10"', request: { case: "lockUser", value: { userId: "1" } } },
      { ifMatch: '"20"', request: { case: "lockUser", value: { userId: "2" } } },
    ]);
  });

  test("are removed each only as it was read, and what goes with them is told", () => {
    const toRemoval = ({ id }: User) => ({ case: "removeUser", value: { userId: id } }) as const;
    expect(toRemovalItems(users.slice(3), toRemoval)).toEqual([
      { ifMatch: '"40"', request: { case: "removeUser", value: { userId: "4" } } },
    ]);
    const { results } = create(WriteResponseSchema, {
      results: [
        { result: { case: "removeUser", value: { removed: [{ type: "session", count: 2n }] } } },
        { result: { case: "removeUser", value: { removed: [{ type: "user_grant", count: 1n }] } } },
      ],
    });
    const removed = readRemoved({ results });
    expect(removed.map(({ type, count }) => [type, count])).toEqual([
      ["session", 2n],
      ["user_grant", 1n],
    ]);
  });

  test("are named when one of them is in the way", () => {
    expect(findCause(users, { item: "2" })?.id).toBe("3");
    expect(findCause(users, {})).toBeUndefined();
  });
});
