// The second factors of people, on the pages of their account.
import { afterAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { SecondFactorType } from "../../../gen/gatehouse/v1/second_factor_pb.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import { toId, type UserId } from "../../../src/kernel/base/ids.ts";
import { type BrowserPage, formsOf } from "../login/support/browser.ts";
import { makePasskey } from "../login/support/passkey.ts";
import type { ServicePerson } from "../login/support/people.ts";
import { makeSecurityKey } from "../login/support/security-key.ts";
import { signIn } from "../oidc/support/signed-in.ts";
import { canaries } from "../../support/canaries.ts";
import { makeApp } from "../../support/totp.ts";
import { uniqueName } from "../../support/world.ts";
import { formWith, startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
afterAll(() => place.stop());

/** Makes a security key that answers pages of the service. */
function makeKey() {
  const id = uniqueName("key");
  return makeSecurityKey({ issuer: place.issuer, fixture: { context: { ids: { next: () => id } } } });
}

/** Opens a browser with a session of the person in which nothing was proved but a password. */
async function openWeakly({ id }: ServicePerson) {
  const browser = place.browser();
  const { cookie } = await signIn(place.service, id);
  browser.cookies.set("gh_session", cookie.slice("gh_session=".length));
  return browser;
}

describe("second factors", () => {
  test("are added and removed, and the session goes on with another value", async () => {
    const person = await place.addPerson();
    const key = makeKey();
    const { page, browser } = await place.open("/account/factors/new", person);
    const before = browser.cookies.get("gh_session");
    const added = await page.submit({ credential: key.register(page), name: "My key" });
    expect(added.text).toContain("The second factor was added.");
    expect(added.text).toContain("<strong>My key</strong>");
    expect(browser.cookies.get("gh_session")).not.toBe(before);
    const [, path = ""] = /href="(\/account\/factors\/[0-9]+)"/.exec(added.text) ?? [];
    const question = await browser.open(path);
    expect([question.title, question.text]).toEqual([
      "Remove this second factor?",
      expect.stringContaining("My key"),
    ]);
    const removed = await question.submit();
    expect(removed.text).toContain("You have no second factor");
    expect((await browser.open(path)).status).toBe(404);
  });

  test("are needed for what changes how the user logs in, once there are any", async () => {
    const person = await place.addPerson();
    const key = makeKey();
    const { page } = await place.open("/account/factors/new", person);
    await page.submit({ credential: key.register(page) });
    const browser = await openWeakly(person);
    const asked = await browser.open("/account/password");
    expect(asked.title).toBe("Use your security key");
    const open = await asked.submit({ credential: key.answer(asked) });
    expect([open.path, open.title]).toEqual(["/account/password", "Password"]);
  });

  test("are needed also where the login did not ask for the passkey that the user has", async () => {
    const person = await place.addPerson();
    const about = { userId: toId<UserId>(person.id), resourceOwner: place.organizationId };
    const ids = { next: () => "7" };
    await place.record(
      ...makePasskey({ issuer: place.issuer, fixture: { context: { ids } } }, about).registered,
    );
    const browser = await openWeakly(person);
    expect((await browser.open("/account")).title).toBe("Your account");
    const refused = await browser.open("/account/password");
    expect([refused.status, refused.title]).toEqual([403, "Your second factor is needed"]);
    expect((await refused.submit()).title).toBe("You are signed out");
    expect((await browser.open("/account")).title).toBe("Sign in");
  });
});

describe("an authenticator app", () => {
  const codeOf = (page: BrowserPage) => {
    const [, secret = ""] = /class="secret">([^<]*)</.exec(page.text) ?? [];
    const app = makeApp(secret);
    canaries.add("totp secret", secret.replaceAll(" ", ""));
    return app.code(place.service.clock.nowMs());
  };

  test("is set up by its first code, counts for the session, and is removed", async () => {
    const person = await place.addPerson();
    const { page, browser } = await place.open("/account/factors/new-app", person);
    const before = browser.cookies.get("gh_session");
    const wrong = await page.submit({ code: "000000" });
    expect(wrong.text).toContain("The code is wrong.");
    expect(codeOf(wrong)).toBe(codeOf(page)); // the picture was scanned already
    const added = await wrong.submit({ code: codeOf(wrong) });
    expect(added.text).toContain("<strong>Authenticator app</strong>");
    expect(added.text).not.toContain("/account/factors/new-app");
    expect(browser.cookies.get("gh_session")).not.toBe(before);
    expect((await browser.open("/account/password")).title).toBe("Password");
    const [, path = ""] = /href="(\/account\/factors\/[0-9]+)"/.exec(added.text) ?? [];
    const removed = await (await browser.open(path)).submit();
    expect(removed.text).toContain("You have no second factor");
  });

  test("is not set up by the offer of another session", async () => {
    const { page: own } = await place.open("/account/factors/new-app", await place.addPerson());
    const { page } = await place.open("/account/factors/new-app", await place.addPerson());
    const offer = formsOf(own.text)[0]?.fields["offer"] ?? "";
    const refused = await page.submit({ offer, code: codeOf(own) });
    expect(refused.text).toContain('role="alert"');
    expect(refused.path).toBe("/account/factors/new-app");
  });
});

test("recovery codes are shown once, counted, and removed", async () => {
  const person = await place.addPerson();
  const { page: bare } = await place.open("/account/recovery-codes", person);
  expect(bare.text).toContain("You have no recovery codes.");
  expect(bare.text).not.toContain('value="make"'); // there is no factor in whose place they could be used
  const { page: form, browser } = await place.open("/account/factors/new", person);
  await form.submit({ credential: makeKey().register(form) });
  const page = await browser.open("/account/recovery-codes");
  const made = await page.submit();
  const codes = [...made.text.matchAll(/<li>([^<]+)<\/li>/g)].map(([, code = ""]) => code);
  for (const code of codes) canaries.add("recovery code", code);
  expect(codes.length).toBeGreaterThanOrEqual(8);
  const later = await browser.open("/account/recovery-codes");
  expect(later.text).toContain(`Unused codes: ${codes.length}.`);
  for (const code of codes) expect(later.text).not.toContain(code);
  const removed = await later.submit({}, { index: formWith(later, "remove") });
  expect(removed.text).toContain("Your recovery codes were removed.");
});

describe("codes that are sent", () => {
  /** The code of the message to that address which is the `count`th. It is delivered after the answer. */
  const codeSent = async (to: string, count: number) => {
    const file = join(place.service.dataFolder, "mail.jsonl");
    const list = () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line.includes(to))
        : [];
    await eventually(() => list().length >= count);
    return /\b[0-9]{8}\b/.exec(list()[count - 1] ?? "")?.[0] ?? "";
  };
  const setUp = async () => {
    const person = await place.addPerson();
    const email = `${person.username}@example.com`;
    const about = { aggregateId: person.id, resourceOwner: place.organizationId };
    await place.record({ ...about, type: "user.email.set", payload: { email } });
    await place.record({ ...about, type: "user.email.verified", payload: {} });
    return { person, email, about };
  };

  test("are added by a code where the policy takes them, and what changes the login then needs one", async () => {
    const { person, email, about } = await setUp();
    const off = await place.open("/account/factors", person);
    expect(off.page.text).not.toContain("Add codes by email");
    await place.service.call(LoginPolicyService.method.updateDefaultLoginPolicy, {
      allowPassword: true,
      allowPasskeys: true,
      secondFactors: [SecondFactorType.TOTP, SecondFactorType.EMAIL_CODE],
    });
    expect((await off.browser.open("/account/factors")).text).toContain("Add codes by email");
    const page = await off.browser.open("/account/factors/new-email-code");
    const sent = await page.submit();
    const wrong = await sent.submit({ code: "00000000" });
    expect(wrong.text).toContain("The code is wrong.");
    const added = await wrong.submit({ code: await codeSent(email, 1) });
    expect(added.text).toContain("The second factor was added.");
    expect(added.text).toContain("Codes by email");
    expect(added.text).not.toContain("Make recovery codes");
    const weak = await openWeakly(person);
    const asked = await weak.open("/account/password");
    expect(asked.title).toBe("Get a code");
    place.service.clock.turn(60_000);
    const again = await asked.submit();
    const open = await again.submit({ code: await codeSent(email, 2) });
    expect(open.title).toBe("Password");
    const byMail = { change_required: false, by: person.id, code_to: "email" } as const;
    await place.record({ ...about, type: "user.password.set", payload: byMail });
    expect((await weak.open("/account/password")).title).not.toBe("Password");
    const [, path = ""] = /href="(\/account\/factors\/[0-9]+)"/.exec(added.text) ?? [];
    const removed = await (await off.browser.open(path)).submit();
    expect(removed.text).not.toContain("You have no second factor"); // as above: a mail alone is not enough
  });
});
