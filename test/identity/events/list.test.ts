import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type ApplicationId, type OrganizationId, type UserId } from "../../../src/kernel/base/ids.ts";
import { removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { createEventCommands } from "../../../src/identity/events/commands.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import type { TestLog } from "../../kernel/events/test-log.ts";
import { callBy, everything, instanceWide, openEventLog, originBy, sampleEvent } from "./fixture.ts";
import { serviceProfile } from "../../support/samples.ts";

let log: TestLog;

beforeEach(async () => {
  log = await openEventLog();
});
afterEach(() => log.close());

const limits = { watchMaxLagMs: 1000, maxWatches: 1, maxWatchesPerOrganization: 1 };

async function list(
  page: { pageSize?: number; pageToken?: string; countTotal?: boolean } = {},
  filter = everything,
) {
  const request = { pageSize: 0, pageToken: "", countTotal: false, ...page };
  const commands = createEventCommands(log.context, limits);
  return (await commands.list(callBy(instanceWide), { filter, after: 0 }, request)).page;
}

describe("a page", () => {
  test("ends before its size when its events are large, and the next ones hold the rest", async () => {
    const count = 13;
    for (let index = 0; index < count; index += 1) {
      await log.append([
        {
          type: "application.metadata.fetched",
          aggregateId: log.context.ids.next<ApplicationId>(),
          resourceOwner: log.context.ids.next<OrganizationId>(),
          payload: { entity_id: "x", metadata_xml: "x".repeat(500_000), assertion_consumer_services: [] },
        },
      ]);
    }
    const sizes: number[] = [];
    let pageToken = "";
    do {
      const page = await list({ pageSize: 1000, pageToken });
      sizes.push(page.items.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(sizes).toEqual([4, 4, 4, 1]);
  });

  test("holds 50 events unless another size is asked for, and 1,000 at most", async () => {
    const many = Array.from({ length: 1200 }, (_, place) => sampleEvent(4, place, "10"));
    await log.append(many, originBy("20"));
    expect((await list()).items).toHaveLength(50);
    expect((await list({ pageSize: 4_000_000_000 })).items).toHaveLength(1000);
  });

  test("counts up to 10,000, and says 10,001 beyond", async () => {
    const many = Array.from({ length: 1000 }, (_, place) => sampleEvent(4, place, "10"));
    for (let round = 0; round < 10; round += 1) await log.append(many, originBy("20"));
    expect((await list({ countTotal: true })).totalResult).toBe(10_000);
    await log.append(many, originBy("21"));
    expect((await list({ countTotal: true })).totalResult).toBe(10_001);
    expect((await list({ countTotal: true }, { ...everything, editor: "21" })).totalResult).toBe(1000);
  });
});

describe("an event about a user", () => {
  test("tells what it says about them, and nothing of it once their key is destroyed", async () => {
    const userId = log.context.ids.next<UserId>();
    const profile = serviceProfile({ username: "ada", name: "Ada", description: "Engine" });
    const tokens = { access_token_type: "BEARER", signing_algorithm: "RS256" };
    const owner = log.context.ids.next<OrganizationId>();
    await log.append([addServiceUser(userId, owner, profile)]);
    const byHimself = { ...originBy(userId), remoteAddress: "192.0.2.7" };
    await log.append(
      [{ type: "user.unlocked", aggregateId: userId, resourceOwner: owner, payload: {} }],
      byHimself,
    );
    const before = (await list()).items;
    expect(before.map(({ payload, remoteAddress }) => ({ payload, remoteAddress }))).toEqual([
      {
        payload: { kind: "service", username: "ada", name: "Ada", description: "Engine", ...tokens },
        remoteAddress: undefined,
      },
      { payload: {}, remoteAddress: "192.0.2.7" },
    ]);
    await log.database.write((tx) => removeSecret(tx, `user-key:${userId}`));
    const after = (await list()).items;
    expect(after.map(({ payload, remoteAddress }) => ({ payload, remoteAddress }))).toEqual([
      { payload: { kind: "service", ...tokens }, remoteAddress: undefined },
      { payload: {}, remoteAddress: undefined },
    ]);
  });
});
