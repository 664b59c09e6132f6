import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type MembershipId, toId, type TokenId } from "../../../src/kernel/base/ids.ts";
import { authorize, confirm } from "../../../src/identity/access/authorization.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { createUserGrantCommands } from "../../../src/identity/user-grants/commands.ts";
import { removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { callBy, instanceId, openSetup, type Setup } from "../../identity/memberships/setup.ts";
import { enterWith } from "../../support/no-access-tokens.ts";
import { tokenIdOf } from "../../support/token-id-of.ts";

let setup: Setup;

beforeEach(async () => {
  setup = await openSetup();
});

afterEach(() => setup.close());

describe("a command that is written together with a change to the access of its caller", () => {
  type By = { readonly token: TokenId; readonly membershipId: MembershipId };

  /** Adds a user grant behind the change, and returns whether that was done, or why not. */
  async function addBehind(change: (by: By) => NewEvent | undefined): Promise<unknown> {
    const { log, userId, scopes, home, projectId } = setup;
    const { database, clock, context } = log;
    const watch = database.watch(accessTables);
    const membershipId = await setup.give(userId, scopes.home, "ORGANIZATION_OWNER");
    const { text } = await setup.addToken({ userId, by: "system" });
    const findCredentials = createCredentials({ database, clock }, watch);
    const caller = await enterWith({ findCredentials, clock }, `Bearer ${text}`);
    const begun = {
      caller,
      request: { permission: "user.grant.write" as const, on: { kind: "organization" as const, id: home } },
    };
    const { access } = await authorize({ database, instanceId }, caller, begun.request);
    const call: Call = {
      ...callBy(home),
      caller,
      access,
      confirm: (tx) => confirm({ clock, instanceId, watch }, tx, { ...begun, access }),
    };
    const event = change({ token: tokenIdOf(caller), membershipId });
    const changed = log.append(event === undefined ? [] : [event]);
    const added = createUserGrantCommands(context)
      .add(call, { userId: toId(userId), projectId, projectGrantId: "", roleKeys: [] })
      .then(
        () => "added",
        (error: unknown) => error,
      );
    await changed;
    return await added;
  }

  test.each<[what: string, change: (by: By) => NewEvent, reason: string]>([
    [
      "its token is removed",
      ({ token }) => removeToken({ tokenId: token, userId: setup.userId, organizationId: setup.home }),
      "TOKEN_INVALID",
    ],
    [
      "its role is taken",
      ({ membershipId }) => ({
        type: "membership.removed",
        aggregateId: membershipId,
        resourceOwner: setup.home,
        payload: {},
      }),
      "PERMISSION_DENIED",
    ],
    [
      "its user is deactivated",
      () => ({
        type: "user.deactivated",
        aggregateId: setup.userId,
        resourceOwner: setup.home,
        payload: {},
      }),
      "TOKEN_INVALID",
    ],
  ])("is refused when %s", async (_what, change, reason) => {
    expect(await addBehind(change)).toMatchObject({ reason });
    const grants = await setup.log.database.read((tx) => tx.all("SELECT id FROM user_grants"));
    expect(grants).toEqual([]);
  });

  test("goes on when there is none", async () => {
    expect(await addBehind(() => undefined)).toBe("added");
  });
});
