import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LogoutNotice } from "../../../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import {
  claimNotice,
  findNextNoticeMs,
  listDueNotices,
  listWaitingApplications,
  postponeNotice,
  removeNotice,
} from "../../../../src/identity/protocol-state/logout-notices/repository.ts";
import { toId } from "../../../../src/kernel/base/ids.ts";
import { engine } from "../../../support/engine/engine.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { layLogoutGround, type LogoutGround, toGranted } from "../../../support/logout-ground.ts";

const uri = "https://app.example/back-channel";

let fixture: FeatureFixture;
let ground: LogoutGround;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  ground = await layLogoutGround(fixture);
});
afterEach(() => fixture.close());

const applicationsOf = async (table: Parameters<LogoutGround["rowsOf"]>[0]) =>
  (await ground.rowsOf(table)).map(({ applicationId }) => applicationId);

describe("a rebuild", () => {
  test("finds again who takes part, tells nobody a second time, and keeps what waits", async () => {
    const application = await ground.addApplication(uri);
    const [open, ended, waiting] = [
      await ground.logIn(application),
      await ground.logIn(application),
      await ground.logIn(application),
    ];
    await ground.end(ended);
    await fixture.database.write((tx) => tx.run("DELETE FROM logout_notices")); // it was told
    await ground.end(waiting);
    const before = [await ground.rowsOf("session_applications"), await ground.rowsOf("logout_notices")];
    expect(before.map((rows) => rows.map(({ sessionId }) => sessionId))).toEqual([[open.id], [waiting.id]]);
    await fixture.rebuild();
    expect([await ground.rowsOf("session_applications"), await ground.rowsOf("logout_notices")]).toEqual(
      before,
    );
  });

  test("tells nobody of users who were removed, one by one or with their organization", async () => {
    const application = await ground.addApplication(uri);
    const { userId } = await ground.logIn(application);
    const guests = await fixture.addOrganization();
    const guest = { id: toId<never>("7001"), userId: await fixture.addUser(guests) };
    const expiration = { expiration_date: "2099-01-01T00:00:00.000Z" };
    await fixture.record(
      {
        type: "session.added",
        aggregateId: guest.id,
        resourceOwner: guests,
        payload: { user_id: guest.userId, methods: ["PASSWORD"], ...expiration },
      },
      toGranted(guest, application, { id: toId("7002"), organizationId: guests }),
    );
    const removal = { payload: { takes_tokens_for_others: true } } as const;
    await fixture.record({
      type: "user.removed",
      aggregateId: userId,
      resourceOwner: ground.organizationId,
      ...removal,
    });
    await fixture.record({
      type: "organization.removed",
      aggregateId: guests,
      resourceOwner: guests,
      ...removal,
    });
    const notices = await ground.rowsOf("logout_notices");
    expect(notices).toHaveLength(2);
    expect(new Set(notices.map((notice) => notice.userId))).toEqual(new Set([userId, guest.userId]));
    await fixture.database.write((tx) => tx.run("DELETE FROM logout_notices"));
    await fixture.rebuild();
    expect(await ground.rowsOf("logout_notices")).toEqual([]);
    expect(await ground.rowsOf("session_applications")).toEqual([]);
  });
});

test("the migration finds who takes part, as a rebuild does", async () => {
  const application = await ground.addApplication(uri);
  await ground.logIn(application, application, await ground.addApplication(""));
  await ground.end(await ground.logIn(application));
  const before = await ground.rowsOf("session_applications");
  expect(before).toHaveLength(2);
  const file = `../../../../src/kernel/storage/${engine.name}/migrations/0025-logout-notices.sql`;
  const migration = readFileSync(join(import.meta.dirname, file), "utf8");
  const [fill = ""] = /INSERT INTO session_applications[^;]*/.exec(migration) ?? [];
  await fixture.database.write((tx) => tx.run("DELETE FROM session_applications"));
  await fixture.database.write((tx) => tx.run(fill));
  expect(await ground.rowsOf("session_applications")).toEqual(before);
});

describe("an application", () => {
  test("takes no part in a session that has ended", async () => {
    const application = await ground.addApplication(uri);
    const session = await ground.logIn();
    await ground.end(session);
    const { organizationId } = ground;
    await fixture.record(toGranted(session, application, { id: toId("7003"), organizationId }));
    expect(await ground.rowsOf("session_applications")).toEqual([]);
  });

  test("hears nothing of a session that has ended before, whose row an older process has left", async () => {
    const application = await ground.addApplication(uri);
    const [ended, open] = [await ground.logIn(application), await ground.logIn(application)];
    await fixture.database.write((tx) =>
      tx.run("UPDATE sessions SET state = 'TERMINATED' WHERE id = ?", [ended.id]),
    );
    const { organizationId: resourceOwner } = ground;
    const payload = { takes_tokens_for_others: true } as const;
    for (const { userId } of [ended, open])
      await fixture.record({ type: "user.removed", aggregateId: userId, resourceOwner, payload });
    expect((await ground.rowsOf("logout_notices")).map(({ sessionId }) => sessionId)).toEqual([open.id]);
    expect(await ground.rowsOf("session_applications")).toEqual([]);
  });

  test("is told if it has the URI when the session ends, not when the user has logged in", async () => {
    const [without, with_] = [await ground.addApplication(""), await ground.addApplication(uri)];
    await ground.end(await ground.logIn(without, with_));
    expect(await applicationsOf("logout_notices")).toEqual([with_]);
  });

  test.each(["application.removed", "project.removed"] as const)("leaves nothing: %s", async (type) => {
    const application = await ground.addApplication(uri);
    const sessions = [await ground.logIn(application), await ground.logIn(application)] as const;
    await ground.end(sessions[0]);
    const aggregateId = type === "project.removed" ? ground.projectId : application;
    await fixture.record({ type, aggregateId, resourceOwner: ground.organizationId, payload: {} });
    expect([await applicationsOf("session_applications"), await applicationsOf("logout_notices")]).toEqual([
      [],
      [],
    ]);
  });
});

describe("a claim", () => {
  async function waitingNotice(): Promise<LogoutNotice> {
    await ground.end(await ground.logIn(await ground.addApplication(uri)));
    const [notice] = await ground.rowsOf("logout_notices");
    if (notice === undefined) throw new Error("there is no notice");
    return notice;
  }
  const claim = (notice: LogoutNotice, untilMs: number) =>
    fixture.database.write((tx) => claimNotice(tx, notice, untilMs));

  test("is given once for what was read", async () => {
    const notice = await waitingNotice();
    const claims = await Promise.all([claim(notice, 5000), claim(notice, 5000), claim(notice, 6000)]);
    expect(claims.filter((each) => each !== undefined)).toEqual([{ ...notice, tries: 1, nextMs: 5000 }]);
  });

  test("that was taken over changes nothing any more", async () => {
    const notice = await waitingNotice();
    const first = (await claim(notice, 5000)) ?? notice;
    const second = (await claim(first, 9000)) ?? notice;
    await fixture.database.write((tx) => removeNotice(tx, first));
    await fixture.database.write((tx) => postponeNotice(tx, first, 1));
    expect(await ground.rowsOf("logout_notices")).toEqual([second]);
    await fixture.database.write((tx) => postponeNotice(tx, second, 20_000));
    expect(await fixture.database.read(findNextNoticeMs)).toBe(20_000);
    await fixture.database.write((tx) => removeNotice(tx, second));
    expect(await fixture.database.read(findNextNoticeMs)).toBeUndefined();
  });
});

test("applications with notices are listed once each, page by page, and notices in the order of their time", async () => {
  const applications = [];
  for (let index = 0; index < 3; index++) applications.push(await ground.addApplication(uri));
  for (let index = 0; index < 2; index++) await ground.end(await ground.logIn(...applications));
  const list = (after: string, limit: number) =>
    fixture.database.read(async (tx) =>
      (await listWaitingApplications(tx, { after, limit })).map(({ id }) => id),
    );
  const sorted = applications.toSorted();
  expect(await list("", 10)).toEqual(sorted);
  expect(await list("", 2)).toEqual(sorted.slice(0, 2));
  expect(await list(sorted[1] ?? "", 2)).toEqual(sorted.slice(2));
  const [applicationId = toId<never>("")] = sorted;
  const due = (nowMs: number, limit: number) =>
    fixture.database.read((tx) => listDueNotices(tx, { applicationId, nowMs, limit }));
  const [first, second] = await due(0, 10);
  if (first === undefined || second === undefined) throw new Error("two notices wait");
  await fixture.database.write((tx) => claimNotice(tx, first, 5000));
  expect(await due(4999, 10)).toEqual([second]);
  expect((await due(5000, 10)).map(({ sessionId }) => sessionId)).toEqual([
    second.sessionId,
    first.sessionId,
  ]);
  expect(await due(5000, 1)).toEqual([second]);
});
