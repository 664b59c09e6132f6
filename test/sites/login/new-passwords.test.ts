import { afterAll, describe, expect, test } from "@jest/globals";
import { listActiveSessions } from "../../../src/identity/logins/sessions/repository.ts";
import { newVerificationCode } from "../../../src/identity/people/codes/code.ts";
import { putNewCode } from "../../../src/identity/people/codes/repository.ts";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { changeUserState } from "../../../src/identity/people/user/user.ts";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import {
  breachedPassword,
  callback,
  done,
  logIn,
  password,
  type Person,
  startLoginStage,
} from "./support/login-stage.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const chosen = "a password of my own";
const sessionsOf = (person: Person) => stage.fixture.database.read((tx) => listActiveSessions(tx, person.id));
const typed = (own = chosen, repeated = own) => ({ password: own, repeated });
const count = () => stage.ended.length;

/** Has an administrator choose the password of the person. */
const requireChange = (person: Person) =>
  stage.event("user.password.set", person, { change_required: true, by: "system" });

async function logInWith(person: Person, own: string) {
  const page = await stage.browser().open(stage.path());
  return await page.submit({ username: person.username, password: own });
}

describe("a password that somebody else has chosen", () => {
  test("is replaced before an application hears of the login, and other sessions end", async () => {
    const person = await stage.addPerson(stage.owner);
    await logIn(stage, stage.browser(), person);
    expect(await sessionsOf(person)).toHaveLength(1);
    await requireChange(person);
    const before = count();
    const page = await logIn(stage, stage.browser(), person);
    expect([page.status, page.title]).toEqual([200, "Choose a new password"]);
    expect(count()).toBe(before);
    const wrongs: [object, string][] = [
      [{ current: password, ...typed(chosen, "another") }, "The two new passwords are not the same"],
      [{ current: password, ...typed("short") }, "at least 10 characters"],
      [{ current: password, ...typed("x".repeat(201)) }, "at most 200 characters"],
      [{ current: password, ...typed(person.username) }, "must not be your username"],
      [{ current: password, ...typed(breachedPassword) }, "data breach"],
      [{ current: password, ...typed(password) }, "is the current one"],
      [{ current: "wrong", ...typed() }, "The current password is wrong"],
    ];
    for (const [form, problem] of wrongs) {
      const again = await page.submit({ ...form });
      expect([again.status, again.problem]).toEqual([200, expect.stringContaining(problem)]);
    }
    expect(count()).toBe(before);
    const end = await page.submit({ current: password, ...typed() });
    expect([end.location, count()]).toEqual([done, before + 1]);
    expect((await sessionsOf(person)).map(({ id }) => id)).toEqual([stage.ended.at(-1)?.sessionId]);
    expect((await logInWith(person, chosen)).location).toBe(done);
    expect((await logInWith(person, password)).title).toBe("Sign in");
  });

  test("is replaced in a known browser of the user, though strangers have used up the tries of the name", async () => {
    const person = await stage.addPerson(stage.owner);
    const own = stage.browser();
    await logIn(stage, own, person);
    await requireChange(person);
    for (let times = 0; times < 5; times += 1) await logInWith(person, "wrong");
    const page = await logIn(stage, own, person, { prompts: ["login"] });
    expect(page.title).toBe("Choose a new password");
    expect((await page.submit({ current: password, ...typed() })).location).toBe(done);
    stage.fixture.clock.turn(900_000);
  });

  test("is replaced after the second factor, and where a session would have been enough", async () => {
    const person = await stage.addPerson(stage.owner);
    const key = await giveKey(stage, person);
    const browser = stage.browser();
    const first = await logIn(stage, browser, person);
    await first.submit({ credential: key.answer(first) });
    await requireChange(person);
    const silent = await browser.open(stage.path({ prompts: ["none"] }));
    expect(silent.location).toBe(`${callback}?error=interaction_required`);
    const page = await browser.open(stage.path());
    expect(page.title).toBe("Choose a new password");
    const end = await page.submit({ current: password, ...typed() });
    expect(end.location).toBe(done);
    const other = await logInWith(person, chosen);
    expect(other.title).toBe("Use your security key");
  });

  test("pauses as a login does after wrong ones", async () => {
    const person = await stage.addPerson(stage.owner);
    await requireChange(person);
    const page = await logIn(stage, stage.browser(), person);
    const wrong = () => page.submit({ current: "wrong", ...typed() });
    for (let tries = 0; tries < 5; tries += 1) expect((await wrong()).status).toBe(200);
    const paused = await wrong();
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "1"]);
  });
});

describe("a link with a code", () => {
  const giveCode = (userId: UserId) =>
    stage.fixture.database.write(async (tx) => {
      const { context, clock } = stage.fixture;
      const code = newVerificationCode("reset", context.random);
      await putNewCode(tx, "reset", {
        ...context,
        userId,
        address: "",
        code,
        nowMs: clock.nowMs(),
        givenTo: { userId, tokenId: undefined },
      });
      return code.reveal();
    });
  const open = (userId: string, query: Record<string, string>, browser = stage.browser()) =>
    browser.open(`/login/password/${userId}?${new URLSearchParams(query).toString()}`);

  test("sets a password once, ends sessions, logs nobody in and replaces no second factor", async () => {
    const person = await stage.addPerson(stage.owner);
    const key = await giveKey(stage, person);
    const login = await logIn(stage, stage.browser(), person);
    await login.submit({ credential: key.answer(login) });
    const code = await giveCode(person.id);
    const browser = stage.browser();
    const page = await open(person.id, { code }, browser);
    expect([page.status, page.title]).toEqual([200, "Choose a password"]);
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const weak = await page.submit(typed("short"));
    expect(weak.problem).toContain("at least 10 characters"); // and the code is still good
    const end = await weak.submit(typed());
    expect([end.status, end.title]).toEqual([200, "Your password is set"]);
    expect(end.text).toContain(`href="/account?organization=${stage.owner}"`);
    expect([...browser.cookies.keys()]).toEqual(["__Host-gh_password"]);
    expect(await sessionsOf(person)).toEqual([]);
    expect((await page.submit(typed())).problem).toContain("wrong, has expired or was already used");
    expect((await logInWith(person, password)).title).toBe("Sign in");
    expect((await logInWith(person, chosen)).title).toBe("Use your security key");
    const events = await stage.fixture.events(person.id);
    expect(events.findLast(({ type }) => type === "user.password.set")).toMatchObject({ editor: person.id });
  });

  test("is looked at only when the form is sent: every link shows the same page", async () => {
    const person = await stage.addPerson(stage.owner);
    const code = await giveCode(person.id);
    const shown = await Promise.all(
      [person.id, "1", "nobody"].map(async (id) => (await open(id, { code })).text),
    );
    const plain = shown.map((text) =>
      text.replaceAll(/(action="[^"]*"|name="form_token" value="[^"]*")/g, ""),
    );
    expect(new Set(plain).size).toBe(1);
  });

  test("says no more than that it is wrong: unknown, locked, expired, other code, other user", async () => {
    const person = await stage.addPerson(stage.owner);
    const locked = await stage.addPerson(stage.owner);
    const late = await stage.addPerson(stage.owner);
    const user = await stage.fixture.database.read((tx) => findUserById(tx, locked.id));
    if (user === undefined) throw new Error("there is no such user");
    await stage.fixture.record(...changeUserState(user, "lock"));
    const [code, ofLocked, ofLate] = [
      await giveCode(person.id),
      await giveCode(locked.id),
      await giveCode(late.id),
    ];
    const tries: [string, string][] = [
      ["1", code],
      [locked.id, ofLocked],
      [late.id, code],
      [person.id, code.slice(0, -1)],
      [person.id, ofLate],
    ];
    const send = async (id: string, given: string) => {
      const page = await open(id, { code: given });
      const answer = await page.submit(typed());
      return [answer.status, answer.problem];
    };
    for (const [id, given] of tries)
      expect([id, ...(await send(id, given))]).toEqual([
        id,
        200,
        expect.stringContaining("wrong, has expired"),
      ]);
    stage.fixture.clock.turn(30 * 60_000);
    expect(await send(late.id, ofLate)).toEqual([200, expect.stringContaining("wrong, has expired")]);
  });

  test("is wrong where the organization of the user has no passwords any more", async () => {
    const organization = await stage.addOrganization();
    const person = await stage.addPerson(organization);
    const code = await giveCode(person.id);
    await stage.setPolicy(organization, { allowPassword: false });
    const page = await open(person.id, { code });
    expect((await page.submit(typed())).problem).toContain("wrong, has expired");
    expect((await stage.fixture.events(person.id)).at(-1)).toMatchObject({ editor: "system" });
  });

  test("is not looked at after a hundred wrong ones from the address, until some time has passed", async () => {
    stage.fixture.clock.turn(900_000); // nothing counts of what other cases have tried
    const person = await stage.addPerson(stage.owner);
    const page = await open(person.id, { code: "A".repeat(20) });
    for (let tries = 0; tries < 100; tries += 1) expect((await page.submit(typed())).status).toBe(200);
    const code = await giveCode(person.id);
    const right = await open(person.id, { code });
    const paused = await right.submit(typed());
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "900"]);
    stage.fixture.clock.turn(900_000);
    expect((await right.submit(typed())).title).toBe("Your password is set");
  });

  test("needs the cookie and the origin of the page", async () => {
    const person = await stage.addPerson(stage.owner);
    const code = await giveCode(person.id);
    const browser = stage.browser();
    const page = await open(person.id, { code }, browser);
    const foreign = await page.submit(typed(), { headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(403);
    browser.cookies.clear();
    expect((await page.submit(typed())).status).toBe(403);
    const again = await open(person.id, { code });
    expect((await again.submit(typed())).title).toBe("Your password is set");
  });

  test("has a field for a code that was told instead, in small letters, too", async () => {
    const person = await stage.addPerson(stage.owner);
    const code = await giveCode(person.id);
    const page = await open(person.id, {});
    expect(page.text).toContain('<label for="code">Code</label>');
    expect(
      (await page.submit({ ...typed(), code: ` ${code.slice(0, 10)}-${code.slice(10).toLowerCase()}` }))
        .title,
    ).toBe("Your password is set");
  });

  test("ends at the application that it names, if that has an address for it", async () => {
    const person = await stage.addPerson(stage.owner);
    const home = await stage.addApplication(
      stage.owner,
      {},
      { postLogoutRedirectUris: ["https://application.example/"] },
    );
    const end = async (clientId: string) => {
      const page = await open(person.id, { code: await giveCode(person.id), client_id: clientId });
      const answer = await page.submit(typed());
      expect(answer.text).not.toContain("/account");
      return answer.location ?? answer.title;
    };
    expect(await end(home.application)).toBe("https://application.example/");
    expect(await end(stage.application)).toBe("Your password is set");
    expect(await end("https://evil.example/")).toBe("Your password is set");
    await stage.event("project.deactivated", { id: home.project, organization: stage.owner });
    expect(await end(home.application)).toBe("Your password is set");
  });
});
