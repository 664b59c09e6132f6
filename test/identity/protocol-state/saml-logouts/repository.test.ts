import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type InteractionId,
  type OrganizationId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import {
  deleteExpiredSamlLogouts,
  findSamlLogout,
  findSamlLogoutOfRequest,
  putSamlLogout,
  removeSamlLogout,
} from "../../../../src/identity/protocol-state/saml-logouts/repository.ts";
import type { StoredSamlLogout } from "../../../../src/identity/protocol-state/saml-logouts/saml-logout.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { layLogoutGround } from "../../../support/logout-ground.ts";

let fixture: FeatureFixture;
beforeEach(async () => {
  fixture = await openFeatureFixture();
});
afterEach(() => fixture.close());

const nowMs = 1_800_000_000_000;

const logoutOf = (more: Partial<StoredSamlLogout> = {}): StoredSamlLogout => ({
  id: toId<InteractionId>("1"),
  cookieHash: "cookie",
  userId: toId<UserId>("2"),
  applicationId: toId<ApplicationId>("3"),
  requestHash: "request",
  content: { keyId: "k", value: new Uint8Array([1, 2, 3]) },
  expirationMs: nowMs + 1,
  ...more,
});

const put = (...logouts: readonly StoredSamlLogout[]) =>
  fixture.database.write(async (tx) => {
    for (const logout of logouts) await putSamlLogout(tx, logout);
  });
const find = (more: { readonly cookieHash?: string; readonly nowMs?: number } = {}) =>
  fixture.database.read((tx) => findSamlLogout(tx, { id: "1", cookieHash: "cookie", nowMs, ...more }));
const findOfRequest = (requestHash: string, atMs = nowMs) =>
  fixture.database.read((tx) => findSamlLogoutOfRequest(tx, { requestHash, nowMs: atMs }));

describe("a logout that goes on", () => {
  test("is found by its cookie, and by the request that waits, in time", async () => {
    await put(logoutOf());
    expect(await find()).toEqual(logoutOf());
    expect(await findOfRequest("request")).toEqual(logoutOf());
    expect(await find({ cookieHash: "another" })).toBeUndefined();
    expect(await findOfRequest("another")).toBeUndefined();
    expect(await find({ nowMs: nowMs + 1 })).toBeUndefined();
    expect(await findOfRequest("request", nowMs + 1)).toBeUndefined();
  });

  test("is replaced, but for its browser and its time", async () => {
    const content = { keyId: "l", value: new Uint8Array([4]) };
    await put(logoutOf(), logoutOf({ requestHash: undefined, content, cookieHash: "x", expirationMs: 0 }));
    expect(await find()).toEqual(logoutOf({ requestHash: undefined, content }));
    expect(await findOfRequest("request")).toBeUndefined();
  });

  test("ends", async () => {
    await put(logoutOf());
    await fixture.database.write((tx) => removeSamlLogout(tx, toId<InteractionId>("1")));
    expect(await find()).toBeUndefined();
  });

  test("is swept when its time is over, so many at a time", async () => {
    const old = ["4", "5", "6"].map((id) => logoutOf({ id: toId<InteractionId>(id), expirationMs: nowMs }));
    await put(logoutOf(), ...old);
    const sweep = () => fixture.database.write((tx) => deleteExpiredSamlLogouts(tx, { nowMs, limit: 2 }));
    expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
    expect(await find()).toEqual(logoutOf());
  });
});

describe("a logout goes", () => {
  let organizationId: OrganizationId;
  const remove = (type: "user.removed" | "application.removed" | "project.removed", aggregateId: string) =>
    fixture.record({ type, aggregateId, resourceOwner: organizationId, payload: {} });

  test.each(["user.removed", "application.removed", "project.removed"] as const)("with %s", async (type) => {
    const ground = await layLogoutGround(fixture);
    ({ organizationId } = ground);
    const applicationId = await ground.addApplication("");
    const userId = await fixture.addUser(organizationId);
    const kept = logoutOf({ id: toId<InteractionId>("9"), requestHash: "kept", applicationId: undefined });
    await put(logoutOf({ userId, applicationId }), kept);
    const removed = {
      "user.removed": userId,
      "application.removed": applicationId,
      "project.removed": ground.projectId,
    };
    await remove(type, removed[type]);
    expect(await find()).toBeUndefined();
    expect(await findOfRequest("kept")).toEqual(kept);
  });

  test.each(["user", "application"] as const)("with the organization of its %s at once", async (whose) => {
    const [ground, elsewhere] = [await layLogoutGround(fixture), await layLogoutGround(fixture)];
    const of = { user: ground, application: ground, [whose]: elsewhere };
    const userId = await fixture.addUser(of.user.organizationId);
    const applicationId = await of.application.addApplication("");
    const kept = logoutOf({
      id: toId<InteractionId>("9"),
      requestHash: "kept",
      userId: await fixture.addUser(ground.organizationId),
      applicationId: await ground.addApplication(""),
    });
    await put(logoutOf({ userId, applicationId }), kept);
    const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
    const removed = {
      type: "organization.removed",
      aggregateId: elsewhere.organizationId,
      resourceOwner: elsewhere.organizationId,
      payload: { takes_tokens_for_others: true },
    } as const;
    await fixture.database.write(async (tx) => {
      await fixture.context.log.append(tx, origin, [removed]);
      // Before the write ends, and before anything is swept.
      expect(await findSamlLogout(tx, { id: "1", cookieHash: "cookie", nowMs })).toBeUndefined();
    });
    expect(await findOfRequest("kept")).toEqual(kept);
  });
});
