import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  countOrganizationMessage,
  type HourlyCount,
} from "../../../../src/identity/people/messages/message.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf, retryAfterOf } from "../../../support/problems.ts";

const hourMs = 60 * 60_000;
const hour = 500_000;
const now = hour * hourMs + 1;

describe("the messages of an organization in 24 hours", () => {
  const count = (counts: readonly HourlyCount[], limit = 3) => countOrganizationMessage(counts, limit, now);
  const waitOf = (counts: readonly HourlyCount[]) => retryAfterOf(() => count(counts));

  test("are counted by the hour", () => {
    expect(count([])).toEqual([{ hour, count: 1 }]);
    expect(
      count([
        { hour: hour - 1, count: 1 },
        { hour, count: 1 },
      ]),
    ).toEqual([
      { hour: hour - 1, count: 1 },
      { hour, count: 2 },
    ]);
  });

  test("are limited until the oldest hour is 24 hours ago to its end", () => {
    expect(waitOf([{ hour, count: 3 }])).toBe(25 * hourMs - 1);
    expect(
      waitOf([
        { hour: hour - 24, count: 1 },
        { hour, count: 2 },
      ]),
    ).toBe(hourMs - 1);
    expect(
      waitOf([
        { hour: hour - 25, count: 1 },
        { hour, count: 2 },
      ]),
    ).toBeUndefined();
    expect(waitOf([{ hour, count: 2 }])).toBeUndefined();
  });

  test("and a clock that went back does not make the wait longer", () => {
    expect(waitOf([{ hour: hour + 9, count: 3 }])).toBe(25 * hourMs - 1);
    expect(count([{ hour: hour + 9, count: 2 }])).toEqual([{ hour, count: 3 }]);
  });
});

describe("the commands", () => {
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await openFixture({ maxSmsPerOrganization: 3 });
  });
  afterEach(() => fixture.close());

  const set = (userId: string, phone: string, verification: "send-code" | "return-code" = "send-code") =>
    fixture.commands.phones.set(fixture.call(), { userId, phone, verification });

  test("send no more than the limit for an organization, whoever the users are", async () => {
    const users: string[] = [];
    for (const name of ["a", "b", "c", "d"]) users.push(await fixture.addHuman(name));
    const outcomes: string[] = [];
    for (const [at, user] of users.entries()) outcomes.push(await outcomeOf(set(user, `+4179123456${at}`)));
    expect(outcomes).toEqual(["ok", "ok", "ok", "RATE_LIMITED"]);
    await fixture.commands.phones.texter.idle();
    expect(fixture.sms.sent).toHaveLength(3);
    const problem = await problemOf(set(users[3] ?? "", "+41791234569"));
    expect(problem.kind).toBe("exhausted");
    expect(problem.retryAfterMs).toBeGreaterThan(23 * hourMs);
    expect(await outcomeOf(set(users[3] ?? "", "+41791234569", "return-code"))).toBe("ok");
    fixture = await fixture.reopen();
    expect(await outcomeOf(set(users[3] ?? "", "+41791234569"))).toBe("RATE_LIMITED");
    fixture.clock.advance(25 * hourMs);
    expect(await outcomeOf(set(users[3] ?? "", "+41791234569"))).toBe("ok");
  });
});
