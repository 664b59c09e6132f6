// What users hear of: each change of what they sign in with, by the event that every way to make it leaves in the log.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type MembershipId, type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { Scope } from "../../../src/kernel/base/permission.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { securityChanges } from "../../../src/identity/security-notices/security-notice.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { addVerified, listNotices, setNotify, type UserEvent } from "./ground.ts";

let fixture: FeatureFixture;
let organizationId: OrganizationId;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  organizationId = await fixture.addOrganization();
});
afterEach(() => fixture.close());

const changesOf = async () => (await listNotices(fixture)).map(({ change }) => change);

const set: UserEvent = { type: "user.password.set", payload: { change_required: false, by: "system" } };
const key = {
  credential_id: "AAEC",
  public_key: "AwQF",
  counter: "7",
  aaguid: "0",
  attestation_format: "none",
};
const begunKey: UserEvent = { type: "user.u2f.added", payload: { u2f_id: "11", domain: "localhost" } };
const madeKey: UserEvent = { type: "user.u2f.verified", payload: { u2f_id: "11", name: "stick", ...key } };
const begunPasskey: UserEvent = {
  type: "user.passkey.added",
  payload: { passkey_id: "12", domain: "localhost" },
};
const madePasskey: UserEvent = {
  type: "user.passkey.verified",
  payload: { passkey_id: "12", name: "phone", ...key, backup_eligible: false, backed_up: false },
};
const begunApp: UserEvent = { type: "user.totp.added", payload: { totp_id: "13" } };
const madeApp: UserEvent = { type: "user.totp.verified", payload: { totp_id: "13" } };
const sentCodes: UserEvent = {
  type: "user.code_factor.added",
  payload: { code_factor_id: "18", type: "EMAIL_CODE" },
};
const codes: UserEvent = { type: "user.recovery_codes.added", payload: { codes_id: "14", count: 10 } };
const link: UserEvent = {
  type: "user.idp_link.added",
  payload: { link_id: "15", idp_id: "16", issuer: "https://idp.example", external_user_id: "them" },
};
const token: UserEvent = { type: "user.token.added", payload: { token_id: "17" } };
const profileWith = (email: string, username = `user-${fixture.clock.nowMs()}`): UserEvent => {
  const names = { username, given_name: "Ada", family_name: "Lovelace" };
  const payload = { ...names, display_name: "Ada", ...(email === "" ? {} : { email }) };
  return { type: "user.changed", payload };
};

/** What is told, what was there before, and the event. */
const told: readonly (readonly [string, readonly UserEvent[], UserEvent | ((email: string) => UserEvent)])[] =
  [
    ["password_added", [link], set],
    ["password_changed", [set], set],
    ["password_removed", [set], { type: "user.password.removed", payload: {} }],
    ["passkey_added", [set, begunPasskey], madePasskey],
    [
      "passkey_removed",
      [begunPasskey, madePasskey],
      { type: "user.passkey.removed", payload: { passkey_id: "12" } },
    ],
    ["security_key_added", [set, begunKey], madeKey],
    ["security_key_removed", [begunKey, madeKey], { type: "user.u2f.removed", payload: { u2f_id: "11" } }],
    ["authenticator_app_added", [set, begunApp], madeApp],
    [
      "authenticator_app_removed",
      [begunApp, madeApp],
      { type: "user.totp.removed", payload: { totp_id: "13" } },
    ],
    ["sent_codes_added", [set], sentCodes],
    [
      "sent_codes_removed",
      [sentCodes],
      { type: "user.code_factor.removed", payload: { code_factor_id: "18" } },
    ],
    ["recovery_codes_added", [], codes],
    ["recovery_codes_replaced", [codes], codes],
    ["recovery_codes_removed", [codes], { type: "user.recovery_codes.removed", payload: { codes_id: "14" } }],
    ["recovery_code_used", [codes], { type: "user.recovery_codes.used", payload: { codes_id: "14" } }],
    ["provider_link_added", [set], link],
    ["provider_link_removed", [link], { type: "user.idp_link.removed", payload: { link_id: "15" } }],
    ["username_changed", [], (email) => profileWith(email)],
    ["email_changed", [], { type: "user.email.set", payload: { email: "other@example.com" } }],
    ["email_changed", [], () => profileWith("other@example.com")],
    ["email_removed", [], () => profileWith("")],
    ["personal_access_token_added", [], token],
    ["personal_access_token_removed", [token], { type: "user.token.removed", payload: { token_id: "17" } }],
  ];

test("every kind of change has a case below", () => {
  expect(new Set(told.map(([change]) => change))).toEqual(new Set(securityChanges));
});

test.each(told)("%s is told, to the address before", async (change, before, event) => {
  const user = await addVerified(fixture, organizationId);
  for (const earlier of before) await user.record([earlier]);
  await fixture.database.write((tx) => tx.run("DELETE FROM security_notices"));
  await user.record([typeof event === "function" ? event(user.email) : event]);
  const expected = [{ user_id: user.id, email: user.email, change, tries: 0 }];
  expect(await listNotices(fixture)).toEqual(expected);
  await fixture.rebuild();
  expect(await listNotices(fixture)).toEqual(expected); // nobody hears of it a second time
  await fixture.record({
    type: "user.removed",
    aggregateId: user.id,
    resourceOwner: organizationId,
    payload: {},
  });
  expect(await listNotices(fixture)).toEqual([]);
});

describe("nothing is told", () => {
  test.each<readonly [string, readonly UserEvent[]]>([
    ["of a registration that nobody has completed", [begunPasskey, begunKey, begunApp]],
    [
      "of one that is given up",
      [
        begunPasskey,
        { type: "user.passkey.removed", payload: { passkey_id: "12" } },
        begunApp,
        { type: "user.totp.removed", payload: { totp_id: "13" } },
      ],
    ],
    ["of the first way to sign in of a user without one: a password", [set]],
    ["of the first way to sign in of a user without one: a passkey", [begunPasskey, madePasskey]],
    ["of the first way to sign in of a user without one: a link", [link]],
    ["of a code for a new password", [{ type: "user.password.reset.requested", payload: {} }]],
  ])("%s", async (_what, events) => {
    const user = await addVerified(fixture, organizationId);
    for (const event of events) await user.record([event]);
    expect(await changesOf()).toEqual([]);
  });

  test("of an update that leaves address and username as they are, or sets the same address", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([profileWith(user.email, user.id)]);
    await user.record([{ type: "user.email.set", payload: { email: user.email } }]);
    expect(await changesOf()).toEqual([]);
  });

  test("within 15 minutes of the account", async () => {
    const user = await addVerified(fixture, organizationId);
    fixture.clock.turn(-3_600_000 + 15 * 60_000 - 1000);
    for (const event of [set, set, begunApp, madeApp, codes]) await user.record([event]);
    expect(await changesOf()).toEqual([]);
    fixture.clock.turn(1000);
    await user.record([set]);
    expect(await changesOf()).toEqual(["password_changed"]);
  });

  test("to an address that is not verified, and to service users", async () => {
    const user = await addVerified(fixture, organizationId);
    await user.record([{ type: "user.email.set", payload: { email: user.email } }, set, set]);
    const serviceUser = await fixture.addUser(organizationId);
    fixture.clock.turn(3_600_000);
    await fixture.record({ ...token, aggregateId: serviceUser, resourceOwner: organizationId });
    expect(await changesOf()).toEqual([]);
  });
});

describe("the policy", () => {
  const addRole = (userId: UserId, scope: Scope, resourceOwner: string) =>
    fixture.record(
      addMembership({
        id: toId<MembershipId>(fixture.context.ids.next()),
        userId,
        scope,
        roles: [scope.kind === "instance" ? "INSTANCE_VIEWER" : "ORGANIZATION_OWNER"],
        resourceOwner,
      }),
    );

  test("of the organization decides for its users, also for its owners", async () => {
    const user = await addVerified(fixture, organizationId);
    await addRole(user.id, { kind: "organization", organizationId }, organizationId);
    await setNotify(fixture, organizationId, false);
    await user.record([codes]);
    expect(await changesOf()).toEqual([]);
  });

  test.each(["instance", "organization"] as const)(
    "of the instance decides for a user with a role outside: on another %s",
    async (kind) => {
      const user = await addVerified(fixture, organizationId);
      const other = await fixture.addOrganization();
      const scope: Scope = kind === "instance" ? { kind } : { kind, organizationId: other };
      await addRole(user.id, scope, kind === "instance" ? "1" : other);
      await setNotify(fixture, organizationId, false);
      await user.record([codes]);
      expect(await changesOf()).toEqual(["recovery_codes_added"]);
    },
  );
});
