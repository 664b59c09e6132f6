import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import {
  addLoginPolicy,
  defaultSettings,
  toSettings,
} from "../../../../src/identity/policies/login-policy.ts";
import { makePasskey } from "../../../sites/login/support/passkey.ts";
import { makeSecurityKey } from "../../../sites/login/support/security-key.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

const issuer = "https://login.example.com";
const own = "example.com"; // the longest id that is configured for the issuer
const elsewhere = "localhost";
let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ issuer });
});
afterAll(() => fixture.close());

let count = 0;
const addPerson = async () => await fixture.addHuman(`recent-${(count += 1)}`);
const stage = () => ({ issuer, fixture });
const passkeyOf = (userId: UserId, domain: string) =>
  makePasskey(stage(), { userId, resourceOwner: fixture.organizationId, domain }).registered;
const keyOf = (userId: UserId, domain: string) =>
  makeSecurityKey(stage()).registered(userId, fixture.organizationId, domain);
const appOf = (userId: UserId): readonly NewEvent[] => {
  const about = { aggregateId: userId, resourceOwner: fixture.organizationId };
  const payload = { totp_id: fixture.context.ids.next() };
  return [
    { ...about, type: "user.totp.added", payload },
    { ...about, type: "user.totp.verified", payload },
  ];
};

/** Changes how the user logs in, after a login with the password alone. */
async function change(userId: UserId): Promise<string> {
  const authTimeMs = fixture.clock.nowMs();
  const login = {
    sessionId: toId<never>("9"),
    authTimeMs,
    isMultiFactor: false,
    methods: ["PASSWORD"],
  } as const;
  return await outcomeOf(
    fixture.commands.totp.register(fixture.call({ userId, tokenId: undefined, login }), userId),
  );
}

describe("a login with one factor", () => {
  test.each([
    ["a key of the login pages", (userId: UserId) => keyOf(userId, own)],
    ["a passkey of the login pages", (userId: UserId) => passkeyOf(userId, own)],
    ["an app", appOf],
  ])("is not enough for a user with %s", async (_name, register) => {
    const userId = await addPerson();
    await fixture.record(...register(userId));
    expect(await change(userId)).toBe("REAUTHENTICATION_REQUIRED");
  });

  test.each([
    ["a key for another relying party", (userId: UserId) => keyOf(userId, elsewhere)],
    ["a passkey for another relying party", (userId: UserId) => passkeyOf(userId, elsewhere)],
  ])("is enough for a user with %s, which no login could ask for", async (_name, register) => {
    const userId = await addPerson();
    await fixture.record(...register(userId));
    expect(await change(userId)).toBe("ok");
  });

  test("is enough for a user with factors that the policy of the organization forbids", async () => {
    const userId = await addPerson();
    await fixture.record(...keyOf(userId, own), ...passkeyOf(userId, own));
    expect(await change(userId)).toBe("REAUTHENTICATION_REQUIRED");
    const settings = toSettings({ ...defaultSettings, allowPasskeys: false, secondFactors: ["TOTP"] });
    const { organizationId: resourceOwner } = fixture;
    await fixture.record(addLoginPolicy({ id: fixture.context.ids.next(), resourceOwner, settings }));
    expect(await change(userId)).toBe("ok");
  });
});
