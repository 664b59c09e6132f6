import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import { createEmailCommands } from "../../../../src/identity/people/emails/commands.ts";
import { createMailer } from "../../../../src/identity/people/emails/mailer.ts";
import type { FailedMessage } from "../../../../src/identity/people/messages/commands.ts";
import { register } from "../../../../src/identity/people/registrations/commands.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const input = { email: "countess@example.com", verification: "send-code" } as const;
const mail = () => fixture.commands.emails.set(fixture.call(), { userId, ...input });
const sendSms = () =>
  fixture.commands.phones.set(fixture.call(), { userId, phone: "+41791234567", verification: "send-code" });
const mailLink = () => {
  const medium = { kind: "send-link", urlTemplate: "" } as const;
  return fixture.commands.passwords.requestReset(fixture.call(), { userId, medium });
};
const failAll = () => {
  fixture.mail.failWith = (text) => new Error(text);
  fixture.sms.failWith = (text) => new Error(text);
};

interface FailureRow {
  readonly type: string;
  readonly aggregate_id: string;
  readonly resource_owner: string;
  readonly payload: string;
  readonly personal: unknown;
}

/** The events of deliveries that have failed. */
const failuresOf = () =>
  fixture.read((tx) =>
    tx.all<FailureRow>(
      `SELECT type, aggregate_id, resource_owner, editor, remote_address, request_id, payload, personal
       FROM events WHERE type LIKE '%.delivery.failed' ORDER BY sequence`,
    ),
  );

describe("a message that could not be delivered", () => {
  test.each([
    ["a code for an email address", mail, "user.email.delivery.failed", "verification"],
    ["a link for a password", mailLink, "user.email.delivery.failed", "password_reset"],
    ["a code for a phone", sendSms, "user.phone.delivery.failed", "verification"],
  ] as const)(
    "is an event that says what it was for, and nothing else: %s",
    async (_name, send, type, message) => {
      failAll();
      await send();
      await fixture.idle();
      const [row, ...more] = await failuresOf();
      expect(more).toEqual([]);
      expect(row).toEqual({
        type,
        aggregate_id: userId,
        resource_owner: fixture.organizationId,
        editor: "system",
        remote_address: null,
        request_id: "test",
        payload: JSON.stringify({ message }),
        personal: null,
      });
    },
  );

  test("is an event of somebody who has just registered", async () => {
    failAll();
    const names = { username: "new", givenName: "A", familyName: "B", displayName: "" };
    const id = fixture.context.ids.next<UserId>();
    const registered = await fixture.context.database.write((tx) =>
      register(tx, fixture, {
        id,
        registrant: { ...names, preferredLanguage: "", ...input },
        organizationId: fixture.organizationId,
        encoded: "-",
        remoteAddress: "198.51.100.7",
        requestId: "registration",
      }),
    );
    if (registered?.mail === undefined) throw new Error("a mail was expected");
    fixture.mailer.start("registration", registered.mail);
    await fixture.idle();
    expect(await failuresOf()).toMatchObject([
      { aggregate_id: id, request_id: "registration", remote_address: null },
    ]);
  });

  test("does not change the user, so that an administrator's if-match still holds", async () => {
    failAll();
    const { details } = await mail();
    await fixture.idle();
    expect(await failuresOf()).toHaveLength(1);
    expect((await fixture.commands.get(fixture.call(), userId)).details).toEqual(details);
  });

  test("is an event at most as often as messages may go out", async () => {
    failAll();
    for (let index = 0; index < 10; index += 1) {
      expect(await outcomeOf(mail())).toBe("ok");
      await fixture.idle();
    }
    for (let index = 0; index < 10; index += 1) expect(await outcomeOf(mail())).toBe("RATE_LIMITED");
    await fixture.idle();
    expect(await failuresOf()).toHaveLength(10);
  });

  test("is recorded and lifts the pause in one write: without the event, the pause stays", async () => {
    const { context } = fixture;
    const failures: FailedMessage[] = [];
    const log = { ...context.log, append: () => Promise.reject(new Error("the log is full")) };
    const mailer = createMailer(
      { ...context, log },
      {
        provider: { send: () => Promise.reject(new Error("refused")) },
        onFailure: (each) => failures.push(each),
      },
    );
    const emails = createEmailCommands({ ...context, hasTwoFactors: async () => false }, mailer);
    const set = () => emails.set(fixture.call(), { userId, ...input });
    await set();
    await mailer.idle();
    expect(failures.map(({ detail }) => detail)).toEqual(["Error: refused", "Error: the log is full"]);
    expect(await outcomeOf(set())).toBe("RATE_LIMITED");
  });

  test("is no event of a user who is gone by then", async () => {
    failAll();
    let release = () => {};
    fixture.mail.hold = new Promise((resolve) => {
      release = resolve;
    });
    await mail();
    await fixture.commands.remove(fixture.call(), userId);
    release();
    await fixture.idle();
    expect(fixture.failures).toHaveLength(1);
    expect(await failuresOf()).toEqual([]);
  });
});
