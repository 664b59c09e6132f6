import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Caller } from "../../../src/base/call.ts";
import { type OrganizationId, toId } from "../../../src/base/ids.ts";
import type { Access } from "../../../src/base/permission.ts";
import { type AccessRequest, authorize, confirm } from "../../../src/features/memberships/access-control.ts";
import { authenticate } from "../../../src/features/memberships/authentication.ts";
import { createCredentials } from "../../../src/features/memberships/credentials.ts";
import { removeToken } from "../../../src/features/users/token.ts";
import { instanceId, openSetup, type Setup } from "./setup.ts";

let setup: Setup;
let caller: Caller;
const request = (): AccessRequest => ({
  permission: "user.credential.write",
  on: { kind: "user", userId: setup.partnerUserId, isSelfAllowed: true, guardsCredentials: true },
});

beforeEach(async () => {
  setup = await openSetup();
  await setup.give(setup.userId, setup.scopes.partner, "ORGANIZATION_USER_MANAGER");
  const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
  caller = await authenticate(
    { findCredentials: createCredentials(setup.log.database), clock: setup.log.clock },
    `Bearer ${text}`,
  );
});

afterEach(() => setup.close());

/** Does what a command does first in its write, after the call was let in. */
async function confirmAfter(change: () => Promise<unknown>) {
  const { database, clock } = setup.log;
  const { access } = await authorize({ database, instanceId }, caller, request());
  await change();
  return await database.write((tx) =>
    confirm({ clock, instanceId }, tx, { caller, request: request(), access }),
  );
}

describe("a call that was let in", () => {
  test("goes on, with what the caller holds then", async () => {
    const held = await confirmAfter(() => setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER"));
    expect(held).toHaveLength(2);
  });

  test("is refused in its write when the user became mightier than the caller in between", async () => {
    const promote = () => setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_OWNER");
    await expect(confirmAfter(promote)).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  });

  test("is refused in its write when its token was removed in between", async () => {
    const token = { tokenId: caller.tokenId, userId: caller.userId, organizationId: caller.organizationId };
    const remove = () => setup.log.append([removeToken(token)]);
    await expect(confirmAfter(remove)).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
  });

  test("is refused in its write when its organization is gone by then", async () => {
    const { database, clock } = setup.log;
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const gone = toId<OrganizationId>("9");
    const onGone: AccessRequest = { permission: "project.create", on: { kind: "organization", id: gone } };
    const access: Access = { organizationId: gone, projects: "all", projectGrants: "all" };
    const confirmed = database.write((tx) =>
      confirm({ clock, instanceId }, tx, { caller, request: onGone, access }),
    );
    await expect(confirmed).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "organization", name: "9" },
    });
  });

  test.each([
    ["all projects, and one is", "all" as const, "PERMISSION_DENIED"],
    ["two projects, and one is", new Set(["another"]), "PERMISSION_DENIED"],
    ["no project, and one is", new Set<string>(), undefined],
  ])("when it began with %s open to him by then: %s", async (_what, projects, reason) => {
    const { database, clock } = setup.log;
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    const onHome: AccessRequest = {
      permission: "project.write",
      on: { kind: "organization", id: caller.organizationId },
    };
    const access = { organizationId: caller.organizationId, projects, projectGrants: new Set<string>() };
    const confirmed = database.write((tx) =>
      confirm({ clock, instanceId }, tx, { caller, request: onHome, access }),
    );
    const outcome = await confirmed.then(
      () => undefined,
      (error: unknown) => (error as { reason: string }).reason,
    );
    expect(outcome).toBe(reason);
  });
});
