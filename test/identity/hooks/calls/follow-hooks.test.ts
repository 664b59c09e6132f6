import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { followHooks } from "../../../../src/identity/hooks/calls/follow-hooks.ts";
import { getUser } from "../../../../src/identity/people/user/repository.ts";
import { addHumanUser } from "../../../../src/identity/people/user/user.ts";
import type { HookedIdentity } from "../../../../src/identity/people/identity-links/external-identity.ts";
import {
  type HookId,
  type InstanceId,
  type OrganizationId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { humanProfile } from "../../../support/samples.ts";

let fixture: FeatureFixture;
beforeAll(async () => {
  fixture = await openFeatureFixture();
});
afterAll(() => fixture.close());

const instanceId = toId<InstanceId>("1");

/** Adds an organization with a hook, and with a group whose members it says, and somebody. */
async function lay(resourceOwner?: string) {
  const organizationId = await fixture.addOrganization();
  const [hookId, groupId] = [fixture.context.ids.next<HookId>(), String(fixture.context.ids.next())];
  const about = { aggregateId: hookId, resourceOwner: resourceOwner ?? organizationId };
  const settings = { name: hookId, url: "https://hooks.example.com/", timeout_ms: 500, fail_closed: false };
  await fixture.record(
    {
      type: "hook.added",
      ...about,
      payload: { ...settings, metadata_keys: ["a", "b"], kind: "AFTER_EXTERNAL_LOGIN", secret_id: "9" },
    },
    {
      type: "group.added",
      aggregateId: groupId,
      resourceOwner: organizationId,
      payload: { name: "Staff", description: "", external_id: "staff", source_hook_id: hookId },
    },
  );
  const userId = fixture.context.ids.next<UserId>();
  await fixture.record(addHumanUser(userId, organizationId, humanProfile({ username: userId })));
  return { organizationId, hookId, groupId, userId, about };
}

/** Decides for somebody, and records it. */
async function follow(
  { organizationId, userId }: { readonly organizationId: OrganizationId; readonly userId: string },
  hooked: readonly HookedIdentity[],
) {
  const events = await fixture.database.read(async (tx) => {
    const user = await getUser(tx, organizationId, userId);
    return await followHooks(tx, { instanceId }, { hooked, user });
  });
  if (events.length > 0) await fixture.record(...events);
  return events.map(({ type, aggregateId }) => [type, aggregateId]);
}

test("a user gets metadata and groups once, and loses them again", async () => {
  const place = await lay();
  const { hookId, groupId, userId } = place;
  const given = [{ hookId, metadata: { a: "1", b: "2" }, groups: ["staff"] }];
  const set = ["user.metadata.set", userId];
  expect(await follow(place, given)).toEqual([set, ["group.member.added", groupId]]);
  expect(await follow(place, given)).toEqual([]);
  expect(await follow(place, [{ hookId, metadata: { a: "3", b: null }, groups: [""] }])).toEqual([
    ["user.metadata.removed", userId],
    set,
    ["group.member.removed", groupId],
  ]);
});

test("nothing comes of a hook that is inactive meanwhile, and of keys that it may not set any more", async () => {
  const place = await lay();
  const { hookId, about } = place;
  expect(await follow(place, [{ hookId, metadata: { c: "1" } }])).toEqual([]);
  await fixture.record({ type: "hook.deactivated", ...about, payload: {} });
  expect(await follow(place, [{ hookId, metadata: { a: "1" }, groups: ["staff"] }])).toEqual([]);
});

test("a user with all keys that one may have gets no more, and can sign in", async () => {
  const place = await lay();
  const { hookId, organizationId, userId } = place;
  const entries = Array.from({ length: 99 }, (_, index) => ({ key: `key-${index}`, value: "" }));
  await fixture.record({
    type: "user.metadata.set",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { entries },
  });
  await follow(place, [{ hookId, metadata: { a: "1", b: "2" } }]);
  const rows = await fixture.database.read((tx) =>
    tx.all<{ key: string }>("SELECT key FROM metadata WHERE object_id = ? AND key IN ('a', 'b')", [userId]),
  );
  expect(rows).toEqual([{ key: "a" }]);
});

test("a hook of the instance sets metadata, and a group of another organization is none of the user's", async () => {
  const place = await lay(instanceId);
  const other = await lay();
  const changes = { hookId: place.hookId, metadata: { a: "1" }, groups: ["staff"] };
  expect(await follow(other, [changes])).toEqual([["user.metadata.set", other.userId]]);
});
