import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { projections } from "../../../src/app/installation.ts";
import { eventDefinitions } from "../../../src/kernel/events/catalogue.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import type { EventType } from "../../../src/kernel/events/payloads.ts";
import { engine } from "../../support/engine/engine.ts";
import { lifeEvents } from "./life-events.ts";
import { canary, humanRest, ids, sampleEvents } from "./sample-events.ts";
import { openTestLog, organizationAdded, originOf, type TestLog } from "./test-log.ts";

/** Returns the events of the sample that are of that type. */
function samplesOf<T extends EventType>(type: T): readonly Extract<NewEvent, { type: T }>[] {
  return sampleEvents.filter((event): event is Extract<NewEvent, { type: T }> => event.type === type);
}

let log: TestLog;

beforeEach(async () => {
  log = await openTestLog();
});

afterEach(() => log.close());

describe("the sample logs", () => {
  test("hold every type of event", () => {
    const types = new Set<string>([...sampleEvents, ...lifeEvents].map((event) => event.type));
    expect([...types].toSorted()).toEqual(Object.keys(eventDefinitions).toSorted());
  });
});

test("every type of event is applied by a projection, but those that change nothing", () => {
  const applied = new Set(projections.flatMap((projection) => Object.keys(projection.on)));
  expect(Object.keys(eventDefinitions).filter((type) => !applied.has(type))).toEqual([
    "user.phone.delivery.failed",
    "user.email.delivery.failed",
    "user.password.check.failed",
    "application.logout_token.dropped",
    "hook.refused",
    "instance.exported",
  ]);
});

describe("append", () => {
  test("gives consecutive sequences, and the last one as the date of all", async () => {
    const date = await log.append([organizationAdded("1"), organizationAdded("2"), organizationAdded("3")]);
    const places = (await log.events()).map((row) => [row.aggregate_id, row.sequence, row.date]);
    expect(places).toEqual([
      ["1", date - 2, date],
      ["2", date - 1, date],
      ["3", date, date],
    ]);
  });

  test("gives objects the date of their command, not the sequence of their event", async () => {
    const date = await log.append([organizationAdded("1"), organizationAdded("2")]);
    expect((await log.dump())["organizations"]).toMatchObject([
      { id: "1", sequence: date, creation_date: date },
      { id: "2", sequence: date, creation_date: date },
    ]);
  });

  test.each([
    ["stands still", 0],
    ["goes on", 1],
    ["goes back an hour", -3_600_000],
  ])("starts the next command after the date of the one before when the clock %s", async (_how, byMs) => {
    const date = await log.append([organizationAdded("1"), organizationAdded("2")]);
    log.clock.turn(byMs);
    await log.append([organizationAdded("3"), organizationAdded("4")]);
    const [, , third] = await log.events();
    expect(third?.sequence).toBeGreaterThan(date);
  });

  test("dates a command by the wall clock in microseconds", async () => {
    expect(await log.append([organizationAdded("1")])).toBe(log.clock.nowMs() * 1000);
  });

  test("records who, for whom, in which request and in which version", async () => {
    await log.append([organizationAdded("1")], originOf("77"));
    expect(await log.events()).toMatchObject([
      {
        aggregate_type: "organization",
        aggregate_id: "1",
        type: "organization.added",
        version: 1,
        resource_owner: "1",
        editor: "77",
        request_id: "request-9",
        payload: '{"name":"Organization 1"}',
        personal: null,
      },
    ]);
  });

  test("shows readers an event of an older version as it was recorded", async () => {
    const removed = { type: "user.token.removed", payload: { token_id: ids.token } } as const;
    const date = await log.append([
      ...sampleEvents,
      { ...removed, aggregateId: ids.service, resourceOwner: ids.organization },
    ]);
    await log.run("UPDATE events SET version = 1 WHERE sequence = ?", [date]);
    await log.rebuild();
    const read = await log.database.read((tx) => log.context.log.read(tx, [date]));
    expect(read).toMatchObject([{ version: 1, payload: { token_id: ids.token } }]);
    expect(read[0]?.payload).toStrictEqual({ token_id: ids.token });
  });

  test("counts the revisions of each aggregate by itself", async () => {
    await log.append(sampleEvents);
    const revisions = Map.groupBy(await log.events(), (row) => `${row.aggregate_type} ${row.aggregate_id}`);
    for (const rows of revisions.values()) {
      expect(rows.map((row) => row.revision)).toEqual(rows.map((_, index) => index + 1));
    }
    expect(revisions.get(`user ${ids.human}`)).toHaveLength(38);
  });

  test("leaves nothing of a command when one of its events cannot be applied", async () => {
    await log.append([organizationAdded("1", "Taken")]);
    const before = await log.dump();
    await expect(log.append([organizationAdded("2"), organizationAdded("3", "TAKEN")])).rejects.toThrow(
      engine.words.notUnique("stored_organizations"),
    );
    expect(await log.events()).toHaveLength(1);
    expect(await log.dump()).toEqual(before);
  });

  test("leaves no key of a user who could not be added", async () => {
    const [user] = samplesOf("user.added");
    await expect(log.append([user!])).rejects.toThrow(engine.words.brokenForeignKey);
    const secrets = await log.database.read((tx) => tx.all("SELECT id FROM secrets"));
    expect(secrets).toEqual([]);
  });
});

describe("the engine", () => {
  const insert = `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner,
    editor, request_id, payload) VALUES (?, 1, ?, '1', ?, 'organization.added', 1, '1', 'system', '', '{}')`;

  test("refuses two events of an aggregate with the same revision", async () => {
    await log.append([organizationAdded("1")]);
    await expect(log.run(insert, [1, "organization", 1])).rejects.toThrow(engine.words.notUnique("events"));
  });

  test("lets aggregates of other types have the same id and revision", async () => {
    await log.append([organizationAdded("1")]);
    expect(await log.run(insert, [1, "project", 1])).toBe(1);
  });

  test("refuses two events with the same sequence", async () => {
    const date = await log.append([organizationAdded("1")]);
    await expect(log.run(insert, [date, "organization", 2])).rejects.toThrow(
      engine.words.notUnique("events"),
    );
  });
});

describe("personal fields", () => {
  const personalTypes = Object.entries(eventDefinitions).flatMap(([type, { personal }]) =>
    personal === undefined ? [] : [{ type, personal }],
  );

  test("are all filled in the sample log", () => {
    for (const { type, personal } of personalTypes) {
      const samples = [...sampleEvents, ...lifeEvents].filter((event) => event.type === type);
      const filled = new Set(samples.flatMap((event) => Object.keys(event.payload)));
      expect([...filled]).toEqual(expect.arrayContaining([...personal]));
    }
  });

  test("are in no column of the table of events in clear, under whatever encoding", async () => {
    await log.append(sampleEvents);
    for (const row of await log.events()) {
      for (const value of Object.values(row)) {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value);
        expect(text).not.toContain(canary);
        expect(text).not.toContain(Buffer.from(canary).toString("base64").slice(0, -3));
      }
    }
  });

  test("are nowhere in the files of a log without tables of users", async () => {
    const bare = await openTestLog([]);
    await bare.append(sampleEvents, originOf(ids.human, `${canary}-address`));
    const bytes = await bare.place.bytes();
    await bare.close();
    expect(bytes.includes("Portal 2")).toBe(true); // what is not personal is found this way
    expect(bytes.includes(canary)).toBe(false);
    expect(bytes.includes(Buffer.from(canary, "utf16le"))).toBe(false);
  });

  test("are not in the payload, which keeps the others", async () => {
    await log.append(sampleEvents);
    const payloads = (await log.events())
      .filter((row) => row.personal !== null)
      .map((row) => [row.type, JSON.parse(row.payload)]);
    expect(payloads).toEqual([
      ["user.added", humanRest],
      ["user.added", { kind: "service" }],
      ["user.phone.set", {}],
      ["user.email.set", {}],
      ["user.u2f.verified", expect.not.objectContaining({ name: expect.anything() })],
      ["user.passkey.verified", expect.not.objectContaining({ name: expect.anything() })],
      [
        "user.idp_link.added",
        { link_id: ids.link, idp_id: ids.oidc, issuer: "https://idp.test", made_with_token_id: ids.token },
      ],
      ["user.idp_link.added", { link_id: ids.removedLink, idp_id: ids.jwt, issuer: "https://idp.test" }],
      ["session.added", expect.not.objectContaining({ user_agent: expect.anything() })],
      ["user.metadata.set", {}],
      ["user.metadata.removed", {}],
    ]);
  });

  test("are sealed anew each time: equal fields give different bytes", async () => {
    const set: NewEvent = {
      type: "user.phone.set",
      aggregateId: ids.human,
      resourceOwner: ids.organization,
      payload: { phone: "+41790000000" },
    };
    await log.append([...sampleEvents, set, set]);
    const [first, second] = (await log.events()).slice(-2);
    expect(first?.personal).toHaveLength(second?.personal?.length ?? 0);
    expect(first?.personal).not.toEqual(second?.personal);
  });

  test("can be opened only as the user, in the event and with the bytes that they were sealed for", async () => {
    await log.append(sampleEvents);
    const sealed = (await log.events()).find((row) => row.type === "user.phone.set")!.personal!;
    const open = (userId: string, bytes: Uint8Array, context: string) =>
      log.database.read((tx) => log.personalData.open(tx, userId, bytes, context));
    const context = `${ids.human}user.phone.set1`;
    expect(await open(ids.human, sealed, context)).toBe(`{"phone":"${canary}-other-phone"}`);
    await expect(open(ids.service, sealed, context)).rejects.toThrow();
    await expect(open(ids.human, sealed, `${ids.human}user.phone.set2`)).rejects.toThrow();
    for (const [index, byte] of sealed.entries()) {
      await expect(open(ids.human, sealed.with(index, byte ^ 1), context)).rejects.toThrow();
      await expect(open(ids.human, sealed.subarray(0, index), context)).rejects.toThrow();
    }
  });

  test("lie behind a format byte and a nonce of 12 bytes, before a tag of 16", async () => {
    await log.append(sampleEvents);
    const set = (await log.events()).find((row) => row.type === "user.phone.set");
    const plain = JSON.stringify({ phone: `${canary}-other-phone` });
    expect(set?.personal?.[0]).toBe(1);
    expect(set?.personal).toHaveLength(1 + 12 + plain.length + 16);
  });
});

test("every table of the database is made by one projection, or is known not to be made from the log", async () => {
  const ofSigningIn = [
    "access_tokens",
    "active_users",
    "activity_hours",
    "authorization_codes",
    "authorizations",
    "client_tries",
    "device_authorizations",
    "imported_hashes",
    "imported_objects", // by imports, for the next one
    "interactions",
    "jwt_logins",
    "label_images",
    "known_browsers",
    "login_challenges",
    "logout_notices",
    "provider_visits",
    "pushed_requests",
    "refresh_tokens",
    "revoked_access_tokens",
    "saml_logouts",
    "saml_participations",
    "security_notices",
    "session_values",
    "target_deliveries",
    "target_positions",
    "tries",
    "used_assertions",
    "used_setup_links",
    "used_totp_steps",
  ];
  const known = ["events", "idempotent_answers", "metadata_refreshes", "migrations", "secrets", "settings"];

  const made = projections.flatMap((projection) => projection.tables);
  expect(Object.keys(await log.place.raw.dump()).toSorted()).toEqual(
    [...made, ...known, ...ofSigningIn].toSorted(),
  );
});
