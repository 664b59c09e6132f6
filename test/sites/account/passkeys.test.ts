// The passkeys of people, on the pages of their account.
import { afterAll, describe, expect, test } from "@jest/globals";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { BrowserPage } from "../login/support/browser.ts";
import { addOrganization, addPerson, type ServicePerson } from "../login/support/people.ts";
import { makeSecurityKey, optionsOf } from "../login/support/security-key.ts";
import { passkeyFlags } from "../../support/software-authenticator.ts";
import { registerTotp } from "../../support/totp.ts";
import { createCaller, uniqueName } from "../../support/world.ts";
import { logInAt, startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
afterAll(() => place.stop());

/** Makes a device that keeps a passkey and verifies its user. */
function makeDevice() {
  const id = uniqueName("device");
  const key = makeSecurityKey({ issuer: place.issuer, fixture: { context: { ids: { next: () => id } } } });
  return {
    register: (page: BrowserPage) => key.register(page, { flags: passkeyFlags }),
    registerUnverified: (page: BrowserPage) => key.register(page),
    answer: (page: BrowserPage, { id: userId }: ServicePerson) => {
      const userHandle = Buffer.from(userId).toString("base64url");
      return key.answer(page, { flags: passkeyFlags & ~0x40, userHandle, counter: 0 });
    },
  };
}

const listPasskeys = async ({ id: userId }: ServicePerson) =>
  (await place.service.call(UserService.method.listPasskeys, { userId }))["passkeys"];

describe("a passkey", () => {
  test("stays if it is the last way to sign in of somebody who administers the service", async () => {
    const { service } = place;
    const person = await place.addPerson();
    const device = makeDevice();
    const { browser } = await place.open("/account/passkeys", person);
    const asked = await browser.open("/account/passkeys/new");
    const added = await asked.submit({ credential: device.register(asked), name: "My phone" });
    const [, path = ""] = /href="(\/account\/passkeys\/[0-9]+)"/.exec(added.text) ?? [];
    const scope = { case: "instance", value: true } as const;
    const membership = { userId: person.id, scope, roles: ["INSTANCE_VIEWER"] };
    await service.call(MembershipService.method.addMembership, membership);
    await service.call(UserService.method.removePassword, { userId: person.id });
    const other = place.browser();
    const login = await other.open("/account");
    const [, passkeyPath = ""] = /href="(\/login\/[0-9]+\/passkey)"/.exec(login.text) ?? [];
    const way = await other.open(passkeyPath);
    await way.submit({ credential: device.answer(way, person) });
    const refused = await (await other.open(path)).submit();
    expect([refused.title, refused.text]).toEqual([
      "Remove this passkey?",
      expect.stringContaining("You administer this service, and could not sign in any more after this."),
    ]);
    expect(await listPasskeys(person)).toHaveLength(1);
  });

  test("is added, counts for the session, logs in, and is removed", async () => {
    const person = await place.addPerson();
    const device = makeDevice();
    const { page, browser } = await place.open("/account/passkeys", person);
    expect(page.text).toContain("You have no passkey.");
    const before = browser.cookies.get("gh_session");
    const asked = await browser.open("/account/passkeys/new");
    expect(optionsOf(asked)).toMatchObject({
      rp: { id: "localhost" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const added = await asked.submit({ credential: device.register(asked), name: "My phone" });
    expect([added.path, added.text]).toEqual([
      "/account/passkeys",
      expect.stringContaining("The passkey was added."),
    ]);
    expect(added.text).toContain("<strong>My phone</strong>");
    expect(browser.cookies.get("gh_session")).not.toBe(before);
    const [, path = ""] = /href="(\/account\/passkeys\/[0-9]+)"/.exec(added.text) ?? [];
    const other = place.browser();
    const login = await other.open("/account");
    const [, passkeyPath = ""] = /href="(\/login\/[0-9]+\/passkey)"/.exec(login.text) ?? [];
    const way = await other.open(passkeyPath);
    const inside = await way.submit({ credential: device.answer(way, person) });
    expect(inside.text).toContain(`You are signed in as ${person.username}.`);
    const question = await browser.open(path);
    expect([question.title, question.text]).toEqual([
      "Remove this passkey?",
      expect.stringContaining("My phone"),
    ]);
    const removed = await question.submit();
    expect(removed.text).toContain("The passkey was removed.");
    expect(await listPasskeys(person)).toEqual([]);
    expect((await browser.open(path)).status).toBe(404);
  });

  test("is not added by a device that has not verified its user, nor twice", async () => {
    const person = await place.addPerson();
    const device = makeDevice();
    const { page, browser } = await place.open("/account/passkeys/new", person);
    const refused = await page.submit({ credential: device.registerUnverified(page) });
    expect(refused.text).toContain("The passkey was not accepted.");
    expect(await listPasskeys(person)).toEqual([]);
    const credential = device.register(refused);
    await refused.submit({ credential, name: " " });
    const again = await refused.submit({ credential });
    expect(again.title).toBe("This page was out of date"); // the session has another value
    expect(await listPasskeys(person)).toMatchObject([{ name: "Passkey" }]);
    const twice = await browser.open("/account/passkeys/new");
    const taken = await twice.submit({ credential: device.register(twice) });
    expect(taken.text).toContain("This device is already registered.");
  });

  test("is not added by the answer to the challenge of another session", async () => {
    const person = await place.addPerson();
    const { page: own } = await place.open("/account/passkeys/new", person);
    const { page } = await place.open("/account/passkeys/new", person);
    const refused = await page.submit({ credential: makeDevice().register(own) });
    expect(refused.text).toContain('role="alert"');
    expect(await listPasskeys(person)).toEqual([]);
  });

  test("is not added by the answer of a security key to its own page", async () => {
    const person = await place.addPerson();
    const { page, browser } = await place.open("/account/passkeys/new", person);
    const key = await browser.open("/account/factors/new");
    const refused = await page.submit({ credential: makeDevice().register(key) });
    expect(refused.text).toContain('role="alert"');
    expect(await listPasskeys(person)).toEqual([]);
  });

  test("of somebody else is unknown", async () => {
    const [owner, other] = [await place.addPerson(), await place.addPerson()];
    const { page } = await place.open("/account/passkeys/new", owner);
    const added = await page.submit({ credential: makeDevice().register(page) });
    const [, path = ""] = /href="(\/account\/passkeys\/[0-9]+)"/.exec(added.text) ?? [];
    const { page: refused, browser } = await place.open(path, other);
    expect(refused.status).toBe(404);
    const { page: own } = await place.open("/account/passkeys/1", other);
    expect(own.status).toBe(404);
    expect((await browser.open("/account/passkeys")).text).toContain("You have no passkey.");
    expect(await listPasskeys(owner)).toHaveLength(1);
  });

  test("is not offered where the organization allows none", async () => {
    const { service } = place;
    const organizationId = await addOrganization(service, "Lamp Works");
    const update = LoginPolicyService.method.updateLoginPolicy;
    const call = createCaller(service, organizationId);
    const person = await addPerson(service, organizationId);
    const { page, browser } = await place.open("/account/passkeys/new", person);
    const device = makeDevice();
    await call(update, { allowPassword: true, allowPasskeys: false });
    const refused = await page.submit({ credential: device.register(page) });
    expect(refused.text).toContain("No passkey can be registered here.");
    expect((await browser.open("/account/passkeys")).text).not.toContain("/account/passkeys/new");
    expect(await listPasskeys(person)).toEqual([]);
  });

  test("is added only after a recent login", async () => {
    const person = await place.addPerson();
    const { browser } = await place.open("/account", person);
    place.service.clock.turn(600_000);
    const asked = await browser.open("/account/passkeys/new");
    expect(asked.title).toBe("Sign in");
    expect((await logInAt(asked, person)).title).toBe("Add a passkey");
  });
});

test("recovery codes are offered to whoever has a second factor and none of them", async () => {
  const person = await place.addPerson();
  const { page, browser } = await place.open("/account/factors", person);
  expect(page.text).not.toContain("/account/recovery-codes");
  const { code } = await registerTotp(place.service, person.id);
  const asked = await browser.open("/account/factors"); // a login with the app, which is new
  place.service.clock.turn(30_000); // its time step was used up
  const shown = await asked.submit({ code: code(place.service.clock.nowMs()) });
  expect(shown.text).toContain('href="/account/recovery-codes"');
});
