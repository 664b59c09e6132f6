import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { giveAppOn } from "./support/app-owner.ts";
import { type BrowserPage, formsOf } from "./support/browser.ts";
import { callback, logIn, type Person, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const done = `${callback}?code=1`;
const minute = 60_000;
const phone = "+41791234567";
const byCodes = ["U2F", "TOTP", "EMAIL_CODE", "SMS_CODE"] as const;
const methods = () => stage.ended.at(-1)?.methods;
let owner: OrganizationId;
let application: string;
let forced: OrganizationId;
let forcedApplication: string;
beforeAll(async () => {
  owner = await stage.addOrganizationWith({ secondFactors: byCodes });
  application = (await stage.addApplication(owner)).application;
  forced = await stage.addOrganizationWith({ secondFactors: ["EMAIL_CODE", "SMS_CODE"], forceMfa: true });
  forcedApplication = (await stage.addApplication(forced)).application;
});

/** Adds a person with a verified address, and codes as a second factor. */
async function addPerson(
  kinds: readonly ("EMAIL_CODE" | "SMS_CODE")[] = ["EMAIL_CODE"],
  of = owner,
): Promise<Person> {
  const person = await stage.addPerson(of);
  await stage.event("user.email.verified", person);
  await stage.event("user.phone.set", person, { phone });
  await stage.event("user.phone.verified", person);
  for (const type of kinds) {
    const code_factor_id = stage.fixture.context.ids.next();
    await stage.event("user.code_factor.added", person, { code_factor_id, type });
  }
  return person;
}

async function begin(person: Person, request = {}) {
  stage.fixture.clock.turn(minute); // one message in 30 seconds
  const of = person.organization === forced ? forcedApplication : application;
  return await logIn(stage, stage.browser(), person, { applicationId: of, ...request });
}
const formOf = (page: BrowserPage, choice: string) =>
  formsOf(page.text).findIndex(({ fields }) => (fields["choice"] ?? "") === choice);
const send = (page: BrowserPage) => page.submit({}, { index: formOf(page, "send") });
const type = (page: BrowserPage, code: string) => page.submit({ code }, { index: formOf(page, "") });
async function mailed(): Promise<string> {
  await Promise.all([stage.mailer.idle(), stage.texter.idle()]);
  return /\d{8}/.exec(stage.mails.at(-1)?.text ?? "")?.[0] ?? "";
}
const wrongOf = (code: string) => `${code.startsWith("0") ? "1" : "0"}${code.slice(1)}`;

describe("a user whose second factor is a code by email", () => {
  test("has it sent after the password, and types it; to applications it is no second factor", async () => {
    const person = await addPerson();
    const before = stage.mails.length;
    const page = await begin(person);
    expect([page.status, page.title]).toEqual([200, "Get a code"]);
    expect(page.text).toContain("p•••@example.test");
    expect(page.text).not.toContain(`${person.username}@`);
    expect(stage.mails).toHaveLength(before);
    const sent = await send(page);
    const code = await mailed();
    expect(stage.mails.slice(before).map(({ to }) => to)).toEqual([`${person.username}@example.test`]);
    const wrong = await type(sent, wrongOf(code));
    expect([wrong.status, wrong.problem]).toEqual([200, "The code is wrong. Check it and try again."]);
    const end = await type(wrong, `${code.slice(0, 4)} ${code.slice(4)}`);
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "EMAIL_CODE"]]);
    const events = (await stage.fixture.events(person.id)).map((event) => event.type);
    expect(events).toContain("user.code_factor.check.failed");
    expect(stage.log()).not.toContain(code);
    const again = await begin(person);
    expect((await type(await send(again), code)).problem).toContain("The code is wrong");
  });

  test("gets one in 30 seconds, and waits after ten wrong ones of all factors", async () => {
    const person = await addPerson();
    let page = await send(await begin(person));
    const early = await send(page);
    expect([early.status, early.problem]).toEqual([429, expect.stringContaining("a moment ago")]);
    for (let tries = 0; tries < 5; tries += 1) page = await type(page, wrongOf(await mailed()));
    expect((await type(page, await mailed())).problem).toContain("cannot be used any more");
    stage.fixture.clock.turn(minute);
    page = await send(page);
    for (let tries = 0; tries < 4; tries += 1) page = await type(page, wrongOf(await mailed()));
    const paused = await type(page, await mailed());
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "900"]);
  });

  test("is asked for something stronger where they have it, and for nothing where the policy takes no codes", async () => {
    const person = await addPerson(["EMAIL_CODE", "SMS_CODE"]);
    expect((await begin(person)).text).toContain("Get a code by text message instead");
    await giveAppOn(stage, person, owner);
    const page = await begin(person);
    expect([page.title, page.text.includes("by email")]).toEqual(["Enter your code", false]);
    const strict = await stage.addOrganization();
    const other = await addPerson(["EMAIL_CODE"], strict);
    const { application: strictly } = await stage.addApplication(strict);
    expect((await begin(other, { applicationId: strictly })).location).toBe(done);
  });

  test("loses it with the address, and has it while the address is verified", async () => {
    const person = await addPerson();
    await stage.event("user.email.set", person, { email: `${person.username}@EXAMPLE.test` });
    expect((await begin(person)).location).toBe(done);
    await stage.event("user.email.verified", person);
    expect((await begin(person)).title).toBe("Get a code");
    await stage.event("user.email.set", person, { email: "another@example.test" });
    await stage.event("user.email.verified", person);
    expect((await begin(person)).location).toBe(done);
  });

  test("needs another one where the application asks for two factors", async () => {
    const person = await addPerson();
    const page = await begin(person, { wantsMfa: true });
    expect(page.title).toBe("Get a code");
    const next = await type(await send(page), await mailed());
    expect([next.title, next.location]).toEqual(["Add a security key", undefined]);
    expect(next.text).not.toContain("by email");
  });
});

describe("a code where everybody needs two factors", () => {
  test("is enough, and is added at the first login", async () => {
    const person = await addPerson([], forced);
    const page = await begin(person);
    expect([page.title, page.path]).toEqual(["Get a code", expect.stringMatching(/\/login\/\d+$/)]);
    const end = await type(await send(page), await mailed());
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "EMAIL_CODE"]]);
    const again = await begin(person);
    expect((await type(await send(again), await mailed())).location).toBe(done);
  });

  test("is not, if a code to the same address has set the password; one to the phone is", async () => {
    const byMail = { change_required: false, by: "system", code_to: "email" } as const;
    const person = await addPerson(["EMAIL_CODE"], forced);
    await stage.event("user.password.set", person, byMail);
    const next = await type(await send(await begin(person)), await mailed());
    expect([next.title, next.text.includes("•••67")]).toEqual(["Get a code", true]); // adds codes by SMS
    const both = await addPerson(["EMAIL_CODE", "SMS_CODE"], forced);
    await stage.event("user.password.set", both, byMail);
    const page = await type(await send(await begin(both)), await mailed());
    expect(page.text).toContain("by text message");
    await send(page);
    await stage.texter.idle();
    const code = /\d{8}/.exec(stage.texts.at(-1)?.text ?? "")?.[0] ?? "";
    stage.fixture.clock.turn(minute);
    expect((await type(await send(page), code)).location).toBeUndefined(); // a new one was sent
  });

  test("is never for a user with a role outside of their organization", async () => {
    const person = await addPerson(["EMAIL_CODE"], forced);
    await stage.event(
      "membership.added",
      { id: stage.fixture.context.ids.next(), organization: stage.owner },
      { user_id: person.id, organization_id: stage.owner, roles: ["ORGANIZATION_VIEWER"] },
    );
    const next = await type(await send(await begin(person)), await mailed());
    expect([next.title, next.location]).toEqual([expect.not.stringContaining("Get a code"), undefined]);
  });
});
