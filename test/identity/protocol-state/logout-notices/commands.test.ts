import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findApplication } from "../../../../src/identity/applications/repository.ts";
import { dropNotices } from "../../../../src/identity/protocol-state/logout-notices/commands.ts";
import type { LogoutNotice } from "../../../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { layLogoutGround, type LogoutGround } from "../../../support/logout-ground.ts";

let fixture: FeatureFixture;
let ground: LogoutGround;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  ground = await layLogoutGround(fixture);
});
afterEach(() => fixture.close());

const waiting = () => ground.rowsOf("logout_notices");
const drop = (notices: readonly LogoutNotice[]) =>
  fixture.database.write((tx) => dropNotices(tx, fixture.context, { notices, cause: "unreachable" }));
const dropped = () =>
  fixture.database.read((tx) =>
    tx.all(
      `SELECT aggregate_id, resource_owner, editor, remote_address, payload FROM events
       WHERE type = 'application.logout_token.dropped' ORDER BY sequence`,
    ),
  );

describe("notices that are given up", () => {
  test("go, and are events of their applications, which do not change", async () => {
    const application = await ground.addApplication("https://app.example/");
    await ground.endSessions(2, application);
    const before = await fixture.database.read((tx) => findApplication(tx, application));
    const notices = await waiting();
    expect(await drop(notices)).toEqual(notices);
    expect(await waiting()).toEqual([]);
    expect(await dropped()).toEqual(
      notices.map(({ sessionId }) => ({
        aggregate_id: application,
        resource_owner: ground.organizationId,
        editor: "system",
        remote_address: null,
        payload: JSON.stringify({ session_id: sessionId, cause: "unreachable" }),
      })),
    );
    expect(await fixture.database.read((tx) => findApplication(tx, application))).toEqual(before);
  });

  test("are one event, if two processes give up the same", async () => {
    await ground.endSessions(1, await ground.addApplication("https://app.example/"));
    const notices = await waiting();
    expect([(await drop(notices)).length, (await drop(notices)).length]).toEqual([1, 0]);
    expect(await dropped()).toHaveLength(1);
  });

  test("are no event if somebody else has begun another try", async () => {
    await ground.endSessions(1, await ground.addApplication("https://app.example/"));
    const notices = await waiting();
    await fixture.database.write((tx) => tx.run("UPDATE logout_notices SET tries = 1"));
    expect(await drop(notices)).toEqual([]);
    expect([(await waiting()).length, await dropped()]).toEqual([1, []]);
  });

  test("are no event if their application is gone, and those of others are", async () => {
    const [gone, left] = [
      await ground.addApplication("https://gone.example/"),
      await ground.addApplication("https://left.example/"),
    ];
    await ground.endSessions(1, gone, left);
    const notices = await waiting();
    // As if it went between the look and the write of another process.
    await fixture.database.write((tx) => tx.run("DELETE FROM stored_applications WHERE id = ?", [gone]));
    expect(await drop(notices)).toHaveLength(2);
    expect(await dropped()).toMatchObject([{ aggregate_id: left }]);
  });
});
