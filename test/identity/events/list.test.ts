import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type ApplicationId, type OrganizationId, type UserId } from "../../../src/kernel/base/ids.ts";
import { removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { type AskedEvents, createEventCommands } from "../../../src/identity/events/commands.ts";
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
  asked: Partial<AskedEvents> = {},
) {
  const request = { pageSize: 0, pageToken: "", countTotal: false, ...page };
  const commands = createEventCommands(log.context, limits);
  return (await commands.list(callBy(instanceWide), { filter: everything, after: 0, ...asked }, request))
    .page;
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
    expect((await list({ countTotal: true }, { filter: { ...everything, editor: "21" } })).totalResult).toBe(
      1000,
    );
  });
});

describe("a list from the newest event on", () => {
  const few = (count: number) => Array.from({ length: count }, (_, place) => sampleEvent(4, place, "10"));
  const sequencesOf = (items: readonly { readonly sequence: number }[]) =>
    items.map(({ sequence }) => sequence);

  test("goes back page by page, whatever happens meanwhile", async () => {
    await log.append(few(7), originBy("20"));
    const all = sequencesOf((await list()).items);
    const first = await list({ pageSize: 4, countTotal: true }, { newestFirst: true });
    await log.append(few(3), originBy("20"));
    const second = await list({ pageSize: 4, pageToken: first.nextPageToken }, { newestFirst: true });
    expect([...sequencesOf(first.items), ...sequencesOf(second.items)]).toEqual(all.toReversed());
    expect([first.totalResult, second.nextPageToken]).toEqual([7, ""]);
  });

  test("lies between two sequences, in either order", async () => {
    await log.append(few(7), originBy("20"));
    const all = sequencesOf((await list()).items);
    for (const newestFirst of [false, true]) {
      const asked = { after: all[1] ?? 0, before: all[5] ?? 0, newestFirst };
      const found = sequencesOf((await list({}, asked)).items);
      expect(found).toEqual(newestFirst ? all.slice(2, 5).toReversed() : all.slice(2, 5));
    }
  });

  test("has page tokens of its own", async () => {
    await log.append(few(7), originBy("20"));
    const { nextPageToken: pageToken } = await list({ pageSize: 2 }, { newestFirst: true });
    for (const asked of [{}, { newestFirst: true, before: 5 }, { newestFirst: true, after: 1 }])
      await expect(list({ pageToken }, asked)).rejects.toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
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
