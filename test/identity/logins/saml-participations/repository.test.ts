import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type OrganizationId,
  type ProjectId,
  type SessionId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import type { SamlNameIdFormat } from "../../../../src/identity/applications/saml/saml-settings.ts";
import {
  countNamesOfPart,
  deleteExpiredParticipations,
  findLastName,
  findParticipations,
  listNamesOfSessions,
  listParticipationsOfSessions,
  putParticipation,
  removeParticipation,
} from "../../../../src/identity/logins/saml-participations/repository.ts";
import {
  createParticipation,
  hashNameId,
  maxNamesOfFormat,
  openNameId,
  type SamlNameId,
} from "../../../../src/identity/logins/saml-participations/saml-participation.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";

let fixture: FeatureFixture;
let organization: OrganizationId;
let guests: OrganizationId;
let project: ProjectId;
let user: UserId;
let guest: UserId;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  organization = await fixture.addOrganization();
  guests = await fixture.addOrganization();
  project = await fixture.addProject(organization);
  user = await fixture.addUser(organization);
  guest = await fixture.addUser(guests);
});
afterEach(() => fixture.close());

const nameId: SamlNameId = { format: "TRANSIENT", value: "_a", nameQualifier: "idp", spNameQualifier: "sp" };

async function addApplication(of: ProjectId = project): Promise<ApplicationId> {
  const id = toId<ApplicationId>(fixture.context.ids.next());
  await fixture.record({
    type: "application.added",
    aggregateId: id,
    resourceOwner: organization,
    payload: {
      project_id: of,
      name: id,
      metadata_url: "https://sp.test/",
      metadata_error: "SAML_METADATA_UNREACHABLE",
    },
  });
  return id;
}

/** Adds two, in the order of their ids. */
async function addTwo(): Promise<readonly [ApplicationId, ApplicationId]> {
  const [one, two] = [await addApplication(), await addApplication()];
  return one < two ? [one, two] : [two, one];
}

interface Given {
  readonly session: string;
  readonly application: ApplicationId;
  readonly nameId?: SamlNameId;
  readonly sessionIndex?: string;
  readonly atMs?: number;
  readonly expirationMs?: number;
  readonly user?: UserId;
}

function made(given: Given) {
  return createParticipation(fixture.context.keyring, {
    sessionId: toId<SessionId>(given.session),
    applicationId: given.application,
    userId: given.user ?? user,
    userOrganizationId: given.user === guest ? guests : organization,
    applicationOrganizationId: organization,
    sessionIndex: given.sessionIndex ?? `_${given.session}`,
    authenticationDateMs: given.atMs ?? 1,
    expirationMs: given.expirationMs ?? 1000,
    nameId: given.nameId ?? nameId,
  });
}

async function put(...all: readonly Given[]): Promise<void> {
  await fixture.database.write(async (tx) => {
    for (const given of all) await putParticipation(tx, made(given));
  });
}

/** Makes names of one format, from 1 on. */
const manyOf = (format: SamlNameIdFormat, count: number): readonly SamlNameId[] =>
  Array.from({ length: count }, (_, at) => ({ format, value: `${format} ${at + 1}` }));

const sessionsLeft = () =>
  fixture.database.read(async (tx) => {
    const rows = await tx.all<{ id: string }>(
      "SELECT session_id AS id FROM saml_participations ORDER BY session_id, application_id",
    );
    return rows.map(({ id }) => id);
  });

const partOf = (session: string, applicationId: ApplicationId) =>
  ({ sessionId: toId<SessionId>(session), applicationId }) as const;

/** Lists the names that the application is asked by when the session ends. */
const namesOf = (session: string, application: ApplicationId) =>
  fixture.database.read(async (tx) => {
    const names = await listNamesOfSessions(tx, [toId(session)]);
    return names.filter(({ applicationId }) => applicationId === application);
  });

/** Lists the hashes of all names that are remembered, the last first. */
const hashesOf = (session: string, application: ApplicationId) =>
  fixture.database.read(async (tx) => {
    const rows = await tx.all<{ hash: string }>(
      `SELECT name_id_hash AS hash FROM saml_participations WHERE session_id = ? AND application_id = ?
       ORDER BY name_number DESC`,
      [session, application],
    );
    return rows.map(({ hash }) => hash);
  });

/** Returns the sessions that a LogoutRequest names. */
const foundUnder = (applicationId: ApplicationId, value: string, ...sessionIndexes: readonly string[]) =>
  fixture.database.read(async (tx) => {
    const asked = { applicationId, nameIdHash: hashNameId(value), sessionIndexes };
    return (await findParticipations(tx, asked)).map(({ sessionId }) => sessionId);
  });

describe("a participation", () => {
  test("is found by session and application, and gives the NameID back", async () => {
    const application = await addApplication();
    await put({ session: "1", application, atMs: 7 });
    const [found, ...more] = await namesOf("1", application);
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      sessionId: "1",
      applicationId: application,
      userId: user,
      nameIdFormat: "TRANSIENT",
      nameIdHash: hashNameId("_a"),
      sessionIndex: "_1",
      authenticationDateMs: 7,
      expirationMs: 1000,
    });
    expect(found && openNameId(fixture.context.keyring, found)).toEqual(nameId);
    expect(await namesOf("2", application)).toEqual([]);
  });

  test("holds the NameID only as a hash and encrypted, for this session, application and name alone", async () => {
    const [application, another] = await addTwo();
    await put({ session: "1", application, nameId: { format: "EMAIL_ADDRESS", value: "jo@example.com" } });
    expect(JSON.stringify((await fixture.place.raw.dump())["saml_participations"])).not.toContain("jo@");
    const own = made({ session: "1", application });
    const { keyring } = fixture.context;
    expect(() => openNameId(keyring, { ...own, applicationId: another })).toThrow();
    expect(() => openNameId(keyring, { ...own, sessionId: toId("2") })).toThrow();
    expect(() => openNameId(keyring, { ...own, nameIdHash: hashNameId("_b") })).toThrow();
  });

  test("gives no NameID back when its master key is gone", async () => {
    const own = made({ session: "1", application: await addApplication() });
    const others = createKeyring(parseMasterKeys(newMasterKeyText(systemRandom)), systemRandom);
    expect(openNameId(others, own)).toBeUndefined();
  });

  test("stays beside those under other names, of which the last one is listed", async () => {
    const [application, another] = await addTwo();
    const second: SamlNameId = { format: "PERSISTENT", value: "b" };
    await put({ session: "1", application, atMs: 1 }, { session: "1", application: another });
    await put({ session: "1", application, nameId: second, atMs: 9 });
    const listed = async () => {
      const found = await fixture.database.read((tx) => listParticipationsOfSessions(tx, [toId("1")]));
      return found.map(({ applicationId, nameIdHash }) => [applicationId, nameIdHash]);
    };
    const ofAnother = [another, hashNameId("_a")];
    expect(await listed()).toEqual([[application, hashNameId("b")], ofAnother]);
    const [last, first] = await namesOf("1", application);
    expect(last && openNameId(fixture.context.keyring, last)).toEqual(second);
    expect(first && openNameId(fixture.context.keyring, first)).toEqual(nameId);
    for (const value of ["_a", "b"]) expect(await foundUnder(application, value)).toEqual(["1"]);
    await put({ session: "1", application, atMs: 9, expirationMs: 2000 }); // the first name again, at the same time
    expect(await listed()).toEqual([[application, hashNameId("_a")], ofAnother]);
    expect(await namesOf("1", application)).toMatchObject([
      { nameIdHash: hashNameId("_a"), authenticationDateMs: 9, expirationMs: 2000 },
      { nameIdHash: hashNameId("b") },
    ]);
  });

  test("takes, of many of one format, the place of the one that was given longest ago", async () => {
    const [application, another] = await addTwo();
    const formats = ["USERNAME", "PERSISTENT", "EMAIL_ADDRESS", "TRANSIENT"] as const;
    const all = formats.flatMap((format) => manyOf(format, maxNamesOfFormat[format] + 3));
    await put({ session: "1", application: another }, { session: "2", application });
    await put(...all.map((each) => ({ session: "1", application, nameId: each })));
    const kept = all.filter(({ value }) => Number(value.split(" ")[1]) > 3);
    expect(kept).toHaveLength(106);
    expect(await hashesOf("1", application)).toEqual(kept.map(({ value }) => hashNameId(value)).toReversed());
    await put({ session: "1", application, nameId: { format: "TRANSIENT", value: "TRANSIENT 4" } }); // it is there
    expect(await hashesOf("1", application)).toHaveLength(106);
    expect([await namesOf("1", another), await namesOf("2", application)]).toMatchObject([[{}], [{}]]);
  });

  test("is counted with others of its format, of which the last one is found", async () => {
    const [application, another] = await addTwo();
    const counted = (session: string, of: ApplicationId, format: SamlNameIdFormat) =>
      fixture.database.read((tx) => countNamesOfPart(tx, partOf(session, of), format));
    const last = (session: string, of: ApplicationId, format: SamlNameIdFormat) =>
      fixture.database.read(async (tx) => (await findLastName(tx, partOf(session, of), format))?.nameIdHash);
    const names = [...manyOf("TRANSIENT", 3), ...manyOf("PERSISTENT", 1)];
    await put(...names.map((each) => ({ session: "1", application, nameId: each })));
    await put({ session: "1", application: another }, { session: "2", application });
    expect(await counted("1", application, "TRANSIENT")).toEqual({ sessionIndex: "_1", count: 3 });
    expect(await counted("1", application, "USERNAME")).toEqual({ sessionIndex: "_1", count: 0 });
    expect(await counted("3", application, "TRANSIENT")).toEqual({ sessionIndex: undefined, count: 0 });
    expect(await last("1", application, "TRANSIENT")).toBe(hashNameId("TRANSIENT 3"));
    expect(await last("1", application, "PERSISTENT")).toBe(hashNameId("PERSISTENT 1"));
    expect(await last("1", application, "USERNAME")).toBeUndefined();
    expect(await last("1", another, "TRANSIENT")).toBe(hashNameId("_a"));
  });

  test("is among the last two or the first two of its format, or its application is not asked by it", async () => {
    const [application, another] = await addTwo();
    const names = [...manyOf("PERSISTENT", 1), ...manyOf("TRANSIENT", 7), ...manyOf("EMAIL_ADDRESS", 2)];
    await put(...names.map((each) => ({ session: "1", application, nameId: each })));
    await put({ session: "1", application: another }, { session: "2", application });
    const asked = ["EMAIL_ADDRESS 2", "EMAIL_ADDRESS 1", ...[7, 6, 2, 1].map((at) => `TRANSIENT ${at}`)];
    expect((await namesOf("1", application)).map(({ nameIdHash }) => nameIdHash)).toEqual(
      [...asked, "PERSISTENT 1"].map(hashNameId),
    );
    expect([await namesOf("1", another), await namesOf("2", application)]).toMatchObject([[{}], [{}]]);
  });

  test("goes under all names when the application has ended its session", async () => {
    const [application, another] = await addTwo();
    const second: SamlNameId = { format: "PERSISTENT", value: "b" };
    await put({ session: "1", application }, { session: "1", application, nameId: second });
    await put({ session: "1", application: another }, { session: "2", application });
    const part = { sessionId: toId<SessionId>("1"), applicationId: application };
    await fixture.database.write((tx) => removeParticipation(tx, part));
    expect(await sessionsLeft()).toEqual(["1", "2"]);
    expect(await namesOf("1", application)).toEqual([]);
  });
});

describe("participations", () => {
  test("of several sessions are listed session by session; of none there are none", async () => {
    const [application, another] = await addTwo();
    await put(
      { session: "2", application },
      { session: "1", application: another },
      { session: "1", application },
    );
    const listed = (...ids: readonly string[]) =>
      fixture.database.read(async (tx) => {
        const found = await listParticipationsOfSessions(tx, ids.map(toId<SessionId>));
        return found.map(({ sessionId, applicationId }) => [sessionId, applicationId]);
      });
    expect(await listed("2", "1", "3")).toEqual([
      ["1", application],
      ["1", another],
      ["2", application],
    ]);
    expect(await listed("1")).toHaveLength(2);
    expect(await listed()).toEqual([]);
    const second: SamlNameId = { format: "PERSISTENT", value: "b" };
    await put({ session: "1", application, nameId: second });
    expect(await listed("2", "1")).toHaveLength(3);
    const names = await fixture.database.read((tx) => listNamesOfSessions(tx, [toId("2"), toId("1")]));
    expect(names.map((each) => [each.sessionId, each.applicationId, each.nameIdHash])).toEqual([
      ["1", application, hashNameId("b")],
      ["1", application, hashNameId("_a")],
      ["1", another, hashNameId("_a")],
      ["2", application, hashNameId("_a")],
    ]);
  });

  test("are found by application, NameID and indexes, the latest first (SAML Core §3.7.1)", async () => {
    const [application, another] = await addTwo();
    const other: SamlNameId = { format: "TRANSIENT", value: "_other" };
    await put(
      { session: "1", application, atMs: 1 },
      { session: "2", application, atMs: 3 },
      { session: "3", application, atMs: 2 },
      { session: "4", application, nameId: other },
      { session: "5", application: another },
    );
    const found = foundUnder.bind(undefined, application);
    expect(await found("_a")).toEqual(["2", "3", "1"]);
    expect(await found("_a", "_1", "_3", "_4")).toEqual(["3", "1"]);
    expect(await found("_a", "_5")).toEqual([]); // of another application
    expect(await found("_other", "_4")).toEqual(["4"]);
    expect(await found("_A")).toEqual([]);
  });

  test("stay when their session ends or their user is locked, and go once their time is over", async () => {
    const application = await addApplication();
    await put(
      { session: "1", application, expirationMs: 1000 },
      { session: "2", application, expirationMs: 2000 },
      { session: "3", application, expirationMs: 2000, user: guest },
    );
    await fixture.record(
      {
        type: "session.terminated",
        aggregateId: "2",
        resourceOwner: organization,
        payload: { reason: "logout" },
      },
      { type: "user.locked", aggregateId: guest, resourceOwner: guests, payload: {} },
    );
    const sweep = (nowMs: number, limit = 10) =>
      fixture.database.write((tx) => deleteExpiredParticipations(tx, { nowMs, limit }));
    expect(await sweep(999)).toBe(0);
    expect(await sweep(1000)).toBe(1);
    expect(await sessionsLeft()).toEqual(["2", "3"]);
    expect([await sweep(5000, 1), await sweep(5000, 1), await sweep(5000, 1)]).toEqual([1, 1, 0]);
  });

  test("are kept by a rebuild, but for those of objects that are gone", async () => {
    const application = await addApplication();
    await put({ session: "1", application });
    await fixture.rebuild();
    expect(await sessionsLeft()).toEqual(["1"]);
  });
});

describe("in the transaction of a removal, participations go with", () => {
  const nothing = { payload: {} } as const;
  const removal = { payload: { takes_tokens_for_others: true } } as const;

  /** Returns whose participations are left before the write ends, and before anything is swept. */
  async function leftAfter(event: NewEvent): Promise<readonly string[]> {
    const { database, log } = fixture.context;
    const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
    return await database.write(async (tx) => {
      await log.append(tx, origin, [event]);
      const rows = await tx.all<{ id: string }>(
        "SELECT session_id AS id FROM saml_participations ORDER BY session_id",
      );
      return rows.map(({ id }) => id);
    });
  }

  let application: ApplicationId;
  beforeEach(async () => {
    application = await addApplication();
    const elsewhere = await addApplication(await fixture.addProject(organization));
    await put(
      { session: "1", application },
      { session: "2", application, user: guest },
      { session: "3", application: elsewhere },
    );
  });

  const removed = (type: "application" | "project" | "organization" | "user", id: string, owner: string) =>
    ({
      type: `${type}.removed`,
      aggregateId: id,
      resourceOwner: owner,
      ...(type === "application" || type === "project" ? nothing : removal),
    }) as NewEvent; // the payload is that of the type

  test.each<[what: string, event: () => NewEvent, left: readonly string[]]>([
    ["the application", () => removed("application", application, organization), ["3"]],
    ["its project", () => removed("project", project, organization), ["3"]],
    ["the organization of the application", () => removed("organization", organization, organization), []],
    ["the organization of the user", () => removed("organization", guests, guests), ["1", "3"]],
    ["the user", () => removed("user", user, organization), ["2"]],
  ])("%s", async (_what, event, left) => {
    expect(await leftAfter(event())).toEqual(left);
  });

  test("an application that has more of them than go at once", async () => {
    await put(...Array.from({ length: 1001 }, (_, at) => ({ session: `${1000 + at}`, application })));
    expect(await leftAfter(removed("application", application, organization))).toEqual(["3"]);
  });
});
