import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { projections } from "../../../src/app/installation.ts";
import { eventDefinitions } from "../../../src/kernel/events/catalogue.ts";
import type { NewEvent, Projection, RecordedEvent } from "../../../src/kernel/events/event.ts";
import { removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { lifeEvents, lifeIds } from "./life-events.ts";
import { canary, humanFields, humanRest, ids, sampleEvents, serviceFields } from "./sample-events.ts";
import { openTestLog, type TestLog } from "./test-log.ts";

/** A projection without tables that keeps what it is shown. */
function createRecorder() {
  const shown: RecordedEvent[] = [];
  const record = async (_tx: unknown, event: RecordedEvent) => {
    shown.push(event);
  };
  const on = Object.fromEntries(Object.keys(eventDefinitions).map((type) => [type, record]));
  return { projection: { tables: [], on } satisfies Projection, shown };
}

let recorder: ReturnType<typeof createRecorder>;
let log: TestLog;

beforeEach(async () => {
  recorder = createRecorder();
  log = await openTestLog([...projections, recorder.projection]);
});

afterEach(() => log.close());

const shownOf = (type: string) => recorder.shown.filter((event) => event.type === type);
const destroyKey = (userId: string) => log.database.write((tx) => removeSecret(tx, `user-key:${userId}`));

describe("rebuild", () => {
  test("makes every table again as it was, in one command or in many", async () => {
    await log.append(sampleEvents.slice(0, 20));
    for (const event of sampleEvents.slice(20)) await log.append([event]);
    const before = await log.dump();
    expect(await log.rebuild()).toBe(sampleEvents.length);
    expect(await log.dump()).toEqual(before);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  });

  test("makes every table again after objects were changed, stopped and removed", async () => {
    await log.append(sampleEvents);
    for (const event of lifeEvents) await log.append([event]);
    const before = await log.dump();
    recorder.shown.length = 0;
    expect(await log.rebuild()).toBe(sampleEvents.length + lifeEvents.length);
    expect(await log.dump()).toEqual(before);
    const gone = Object.entries(lifeIds).flatMap(([name, id]) => (name.startsWith("gone") ? [id] : []));
    const left = new Set<unknown>(
      Object.values(before)
        .flat()
        .flatMap((row) => Object.values(row)),
    );
    expect(gone.filter((id) => left.has(id))).toEqual([]);
  });

  test("mends what was changed, added or lost in the tables", async () => {
    await log.append(sampleEvents);
    const before = await log.dump();
    await log.run("UPDATE stored_organizations SET name = 'broken'");
    await log.run("DELETE FROM project_grant_roles");
    await log.run("UPDATE stored_users SET username = NULL, folded_username = NULL, phone = 'broken'");
    await log.run("DELETE FROM credentials");
    expect(await log.dump()).not.toEqual(before);
    await log.rebuild();
    expect(await log.dump()).toEqual(before);
  });

  test("shows each event to the projections exactly as it was shown when it happened", async () => {
    const unset: NewEvent = {
      type: "user.token.added",
      aggregateId: ids.service,
      resourceOwner: ids.organization,
      payload: { token_id: "79", made_with_token_id: undefined, expiration_date: undefined },
    };
    await log.append([...sampleEvents, unset]);
    const first = [...recorder.shown];
    recorder.shown.length = 0;
    await log.rebuild();
    expect(recorder.shown).toStrictEqual(first);
    expect(recorder.shown.map((event) => event.type)).toEqual([
      ...sampleEvents.map((event) => event.type),
      unset.type,
    ]);
    expect(recorder.shown.at(-1)?.payload).toStrictEqual({ token_id: "79" });
  });

  test("reads a log of several batches to its end, in order", async () => {
    const names = Array.from({ length: 1203 }, (_, index) => `Organization ${index}`);
    const events = names.map((name, index): NewEvent => {
      const id = `${index}`;
      return { type: "organization.added", aggregateId: id, resourceOwner: id, payload: { name } };
    });
    await log.append(events.slice(0, 700));
    await log.append(events.slice(700));
    const before = await log.dump();
    recorder.shown.length = 0;
    expect(await log.rebuild()).toBe(1203);
    expect(await log.dump()).toEqual(before);
    expect(recorder.shown.map((event) => event.aggregateId)).toEqual(names.map((_, index) => `${index}`));
  });

  test.each([
    ["a token", "user.token.removed", ids.service, { token_id: ids.token }],
    ["a user", "user.removed", ids.service, {}],
    ["an organization", "organization.removed", ids.organization, {}],
  ] as const)(
    "takes along what was made for others with the tokens of %s that was removed when the log had version 1",
    async (_what, type, aggregateId, payload) => {
      const made = (token_id: string, made_with_token_id: string, userId: string): NewEvent => ({
        type: "user.token.added",
        aggregateId: userId,
        resourceOwner: ids.partner,
        payload: { token_id, made_with_token_id },
      });
      const profile = { kind: "service", username: "other", name: "Other", description: "" } as const;
      await log.append([
        ...sampleEvents,
        { type: "user.added", aggregateId: "29", resourceOwner: ids.partner, payload: profile },
        made("75", ids.token, "29"),
        made("76", "75", "29"),
      ]);
      await log.append([{ type, aggregateId, resourceOwner: ids.organization, payload } as NewEvent]);
      const ofOther = async () =>
        (await log.dump())["credentials"]
          ?.filter((row) => "user_id" in row && row.user_id === "29")
          .map((row) => "id" in row && row.id);
      expect(await ofOther()).toEqual(["75", "76"]);
      await log.rebuild();
      expect(await ofOther()).toEqual(["75", "76"]);
      await log.run("UPDATE events SET version = 1 WHERE type = ?", [type]);
      await log.rebuild();
      expect(await ofOther()).toEqual([]);
    },
  );

  test("does nothing on an empty log", async () => {
    expect(await log.rebuild()).toBe(0);
  });

  test("keeps the log and the secrets", async () => {
    await log.append(sampleEvents);
    const read = () =>
      log.database.read(async (tx) => ({
        events: await tx.all("SELECT * FROM events"),
        secrets: await tx.all("SELECT * FROM secrets"),
      }));
    const before = await read();
    await log.rebuild();
    expect(await read()).toEqual(before);
    expect(before.secrets).toHaveLength(3); // the keys of two users, and that of their organization
  });

  test("gives the next command a sequence after the log", async () => {
    const date = await log.append(sampleEvents);
    await log.rebuild();
    log.clock.turn(-3_600_000);
    expect(
      await log.append([
        { type: "organization.added", aggregateId: "9", resourceOwner: "9", payload: { name: "Next" } },
      ]),
    ).toBe(date + 1);
  });
});

describe("a log that cannot be read", () => {
  let before: Awaited<ReturnType<TestLog["dump"]>>;

  beforeEach(async () => {
    await log.append(sampleEvents);
    before = await log.dump();
  });

  test.each<readonly [what: string, sql: string, ...parameters: readonly Uint8Array[]]>([
    [
      "a type that this version does not know",
      "UPDATE events SET type = 'project.renamed' WHERE type = 'project.changed'",
    ],
    ["a type that every object has", "UPDATE events SET type = 'constructor' WHERE type = 'project.changed'"],
    [
      "personal fields of another user",
      `UPDATE events SET personal = (SELECT personal FROM events WHERE aggregate_id = '${ids.service}' AND revision = 1)
       WHERE aggregate_id = '${ids.human}' AND revision = 1`,
    ],
    [
      "personal fields of another event of the user",
      `UPDATE events SET personal = (SELECT personal FROM events WHERE type = 'user.u2f.verified')
       WHERE type = 'user.phone.set'`,
    ],
    ["personal fields of another version", "UPDATE events SET version = 2 WHERE type = 'user.phone.set'"],
    [
      "personal fields in an unknown format",
      "UPDATE events SET personal = ? WHERE type = 'user.phone.set'",
      Uint8Array.of(2, ...Array<number>(60).fill(7)),
    ],
    [
      "a version that is not written yet",
      `UPDATE events SET version = ${eventDefinitions["project.changed"].version + 1} WHERE type = 'project.changed'`,
    ],
    ["a payload that is no JSON", "UPDATE events SET payload = '{' WHERE type = 'project.changed'"],
  ])("with %s is refused, and leaves the tables as they were", async (_what, sql, ...parameters) => {
    expect(await log.run(sql, parameters)).toBe(1);
    await expect(log.rebuild()).rejects.toThrow();
    expect(await log.dump()).toEqual(before);
  });
});

describe("a user whose key is destroyed", () => {
  beforeEach(async () => {
    await log.append(sampleEvents);
    recorder.shown.length = 0;
  });

  test("is replayed without personal fields, and with all others", async () => {
    await destroyKey(ids.human);
    await log.rebuild();
    expect(shownOf("user.added").map((event) => event.payload)).toStrictEqual([
      humanRest,
      { kind: "service", ...serviceFields },
    ]);
    expect(shownOf("user.phone.set").map((event) => event.payload)).toStrictEqual([{}]);
    expect(shownOf("user.u2f.verified").map((event) => event.payload)).toMatchObject([
      { u2f_id: ids.factor, credential_id: "AAEC" },
    ]);
  });

  test("was replayed with them before", async () => {
    await log.rebuild();
    expect(shownOf("user.added")[0]?.payload).toStrictEqual({ ...humanRest, ...humanFields });
  });

  test("has none left in the tables after a rebuild, and everybody else has theirs", async () => {
    const before = await log.dump();
    await destroyKey(ids.human);
    await log.rebuild();
    const after = await log.dump();
    const mine = [after["users"]?.[0], after["second_factors"]];
    expect(JSON.stringify(before)).toContain(`${canary}-factor`);
    expect(JSON.stringify(mine)).not.toContain(canary);
    expect(after["users"]?.[0]).toMatchObject({
      id: ids.human,
      username: null,
      folded_username: null,
      phone: null,
    });
    expect(after["users"]?.[1]).toEqual(before["users"]?.[1]);
    expect(after["memberships"]).toEqual(before["memberships"]);
  });

  test("can be one of several: their absent usernames do not clash", async () => {
    await destroyKey(ids.human);
    await destroyKey(ids.service);
    expect(await log.rebuild()).toBe(sampleEvents.length);
  });

  test("leaves nothing personal in events that are still added about them", async () => {
    await destroyKey(ids.human);
    await log.append([
      {
        type: "user.phone.set",
        aggregateId: ids.human,
        resourceOwner: ids.organization,
        payload: { phone: `${canary}-late` },
      },
    ]);
    const last = (await log.events()).at(-1);
    expect(last).toMatchObject({ payload: "{}", personal: null });
  });
});
