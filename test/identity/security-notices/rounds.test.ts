// The mails that tell users of changes: what they say, that they go out once, and what becomes of those that do not.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { noLinks } from "../../../src/identity/branding/legal-links.ts";
import { noticeClaimMs, noticeTries } from "../../../src/identity/security-notices/security-notice.ts";
import { addHumanUser } from "../../../src/identity/people/user/user.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { liveLabel } from "../../support/live-label.ts";
import { humanProfile } from "../../support/samples.ts";
import { addVerified, createTeller, listNotices, type UserEvent } from "./ground.ts";

const minute = 60_000;
let fixture: FeatureFixture;
let organizationId: OrganizationId;
let teller: ReturnType<typeof createTeller>;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  organizationId = await fixture.addOrganization();
  teller = createTeller(fixture);
});
afterEach(() => fixture.close());

const codes: UserEvent = { type: "user.recovery_codes.added", payload: { codes_id: "14", count: 10 } };
const removed: UserEvent = { type: "user.recovery_codes.removed", payload: { codes_id: "14" } };
const withoutPassword: UserEvent = { type: "user.password.removed", payload: {} };
const failed = async () =>
  (
    await fixture.database.read((tx) =>
      tx.all<{ payload: string }>("SELECT payload FROM events WHERE type = 'user.email.delivery.failed'"),
    )
  ).map(({ payload }) => payload);

/** The name may be one of those that no user can have any more. */
async function addAdministrator(name: string): Promise<UserId> {
  const id = toId<UserId>(fixture.context.ids.next());
  const added = addHumanUser(id, organizationId, humanProfile({ username: id }));
  await fixture.record({ ...added, payload: { ...added.payload, display_name: name } } as NewEvent); // with its field
  return id;
}

describe("a mail", () => {
  test("says what has changed, when, by whom, and where to look", async () => {
    const user = await addVerified(fixture, organizationId);
    const date = await user.record([codes]);
    await teller.tell();
    expect(teller.mails).toEqual([
      {
        id: `security-notice-${date}-1`,
        to: user.email,
        subject: "Your sign-in details have changed",
        text: `Hello

This has changed on your account:

- Recovery codes were made
  1 June 2026 at 13:00 (UTC)
  By somebody using your account, from the address 203.0.113.7

If you did this or know about it, you need not do anything.

If not, check your account now: change your password, remove everything that you do not recognize, and end all other sessions.

https://id.example/account?organization=${organizationId}

If you cannot sign in any more, ask an administrator of your organization for help.
`,
      },
    ]);
    expect(await listNotices(fixture)).toEqual([]);
    await teller.tell();
    expect(teller.mails).toHaveLength(1);
  });

  test("has the name of the organization with its branding, always that of the product, and none of the links in it", async () => {
    const links = { ...noLinks, helpUrl: "https://evil.example/help", supportEmail: "help@evil.example" };
    const about = { aggregateId: fixture.context.ids.next(), resourceOwner: organizationId };
    await fixture.record(...liveLabel(about, { links, hideProductName: true }));
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    await teller.tell();
    expect(teller.mails[0]?.text).toMatch(/\n-- \n.+\nGatehouse\n$/);
    expect(JSON.stringify(teller.mails)).not.toContain("evil");
  });

  test("is in the language of the user", async () => {
    const user = await addVerified(fixture, organizationId, { preferredLanguage: "de-CH" });
    await user.record([codes], "system");
    await teller.tell();
    const [mail] = teller.mails;
    expect(mail?.subject).toBe("Ihre Anmeldung wurde geändert");
    expect(mail?.text).toContain(
      "- Wiederherstellungscodes wurden erstellt\n  1. Juni 2026 um 13:00 (UTC)\n  Durch den Dienst selbst\n",
    );
  });

  test.each([
    ["Grace Hopper", "By an administrator with the name \u2068Grace Hopper\u2069\n"],
    [
      "Bank\r\n\u202Ehttps://evil.example/?a=1 <b>@x",
      "By an administrator with the name \u2068Bank https evil example a 1 b x\u2069\n",
    ],
    ["José Ñandú-O’Neil", "By an administrator with the name \u2068José Ñandú-O’Neil\u2069\n"],
    ["...", "By an administrator\n"],
  ])("names an administrator, and nothing more that %j may say; nor where they are", async (name, line) => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes], await addAdministrator(name));
    await teller.tell();
    expect(teller.mails[0]?.text).toContain(line);
    expect(teller.mails[0]?.text).not.toContain("203.0.113.7");
  });

  test("does not know the name of an administrator who is gone", async () => {
    const user = await addVerified(fixture, organizationId);
    const id = await addAdministrator("Grace Hopper");
    await user.record([codes], id);
    await fixture.record({
      type: "user.removed",
      aggregateId: id,
      resourceOwner: organizationId,
      payload: {},
    });
    await teller.tell();
    expect(teller.mails[0]?.text).toContain("By an administrator\n");
  });

  test("tells of everything that waits for its user, of the first 20 by name", async () => {
    const user = await addVerified(fixture, organizationId);
    for (let index = 0; index < 11; index++) for (const event of [codes, removed]) await user.record([event]);
    await teller.tell();
    expect(teller.mails).toHaveLength(1);
    expect(teller.mails[0]?.text.match(/^- /gm)).toHaveLength(20);
    expect(teller.mails[0]?.text).toContain("\n\nOther changes: 2.\n\n");
  });

  test("goes to the former address, and later ones to the new one once that is verified", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([{ type: "user.email.set", payload: { email: "new@example.com" } }, codes]);
    await user.record([{ type: "user.email.verified", payload: {} }]);
    await user.record([removed]);
    await teller.tell();
    expect(teller.mails.map(({ to }) => to)).toEqual([user.email]);
    fixture.clock.turn(30_000);
    await teller.tell();
    expect(teller.mails.map(({ to }) => to)).toEqual([user.email, "new@example.com"]);
  });
});

describe("mails to a user", () => {
  test("have pauses of 30 seconds, in which their notices gather", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    await teller.tell();
    await user.record([removed]);
    await user.record([codes]);
    await teller.tell();
    expect(teller.mails).toHaveLength(1);
    expect((await listNotices(fixture)).map(({ tries }) => tries)).toEqual([0, 0]);
    fixture.clock.turn(30_000);
    await teller.tell();
    expect(teller.mails).toHaveLength(2);
    expect(await listNotices(fixture)).toEqual([]);
  });

  test("are 20 in 24 hours at most, and nothing is lost", async () => {
    const user = await addVerified(fixture, organizationId);
    for (let index = 0; index < 30; index++) {
      await user.record([index % 2 === 0 ? codes : removed]);
      await teller.tell();
      fixture.clock.turn(minute);
    }
    expect(teller.mails).toHaveLength(20);
    fixture.clock.turn(24 * 60 * minute);
    await teller.tell();
    expect(teller.mails).toHaveLength(21);
    expect(teller.mails.at(-1)?.text.match(/^- /gm)).toHaveLength(10);
  });

  test("wait beyond the limit of their organization, which holds up no other one", async () => {
    teller = createTeller(fixture, 1);
    const users = [];
    for (let index = 0; index < 2; index++) users.push(await addVerified(fixture, organizationId));
    users.push(await addVerified(fixture, await fixture.addOrganization()));
    for (const user of users) await user.record([withoutPassword]);
    await teller.tell();
    expect(teller.mails).toHaveLength(2);
    fixture.clock.turn(25 * 60 * minute);
    await teller.tell();
    expect(teller.mails.map(({ to }) => to).toSorted()).toEqual(users.map(({ email }) => email).toSorted());
  });
});

describe("a mail that is not delivered", () => {
  test("is tried again, and given up after six tries, of which the log has an event", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    teller.state.failWith = new Error(`no such box: ${user.email}`);
    for (let tries = 1; tries < noticeTries; tries++) {
      await teller.tell();
      expect((await listNotices(fixture)).map((row) => row.tries)).toEqual([tries]);
      fixture.clock.turn(24 * 60 * minute);
    }
    expect(await failed()).toEqual([]);
    await teller.tell();
    expect([await listNotices(fixture), await failed()]).toEqual([[], ['{"message":"security_notice"}']]);
    expect(new Set(teller.failures)).toEqual(new Set(["Error: no such box: [address]"]));
  });

  test("goes out with the next try", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    teller.state.failWith = new Error("not now");
    await teller.tell();
    teller.state.failWith = undefined;
    await teller.tell();
    expect(teller.mails).toEqual([]);
    fixture.clock.turn(minute);
    await teller.tell();
    expect([teller.mails.length, await listNotices(fixture)]).toEqual([1, []]);
  });
});

describe("several processes", () => {
  test("send each mail once", async () => {
    for (let index = 0; index < 12; index++)
      await (await addVerified(fixture, organizationId)).record([withoutPassword]);
    while ((await listNotices(fixture)).length > 0)
      await Promise.all([teller.tell(), teller.tell(), teller.tell()]);
    expect([teller.mails.length, new Set(teller.mails.map(({ to }) => to)).size]).toEqual([12, 12]);
  });

  test("take over from one that is dead, but not before it must be", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    const held = Promise.withResolvers<void>();
    teller.state.hold = held.promise;
    const dead = teller.start();
    dead.look();
    await eventually(() => teller.asked.length === 1);
    await dead.stop(Promise.resolve()); // as a killed one: it waits for nothing
    const other = createTeller(fixture);
    fixture.clock.turn(noticeClaimMs - 1);
    await other.tell();
    expect(other.mails).toEqual([]);
    fixture.clock.turn(1);
    await other.tell();
    expect([other.mails.length, await listNotices(fixture)]).toEqual([1, []]);
    held.resolve();
    await eventually(() => teller.mails.length === 1); // it was not dead after all: then the mail is the same
    expect(teller.mails).toEqual(other.mails);
  });

  test("give up what dies with each process that tries it", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([codes]);
    await fixture.database.write((tx) => tx.run("UPDATE security_notices SET tries = ?", [noticeTries]));
    await teller.tell();
    expect([teller.mails, await listNotices(fixture)]).toEqual([[], []]);
    expect(await failed()).toEqual(['{"message":"security_notice"}']);
  });
});
