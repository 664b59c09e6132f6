import { afterAll, describe, expect, test } from "@jest/globals";
import type { LoginPolicy } from "../../../src/identity/policies/login-policy.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { takeCode } from "../../../src/identity/people/codes/repository.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { formTokenField } from "../../../src/sites/login/form-token.ts";
import { findHumanByUsername } from "../../../src/identity/people/user/repository.ts";
import type { BrowserPage, PageBrowser } from "./support/browser.ts";
import { breachedPassword, done, logIn, password, startLoginStage } from "./support/login-stage.ts";

let counter = 0;
const stage = await startLoginStage();
await stage.setPolicy(stage.owner, { allowRegistration: true });
afterAll(() => stage.stop());

const findUser = (username: string) => stage.fixture.database.read((tx) => findHumanByUsername(tx, username));

/** Makes an application of an organization of its own with that policy, and returns the path by which a login begins. */
async function pathWith(settings: Partial<LoginPolicy>) {
  const owner = await stage.addOrganizationWith(settings);
  const { application } = await stage.addApplication(owner);
  return { owner, application, path: stage.path({ applicationId: application }) };
}

function someone(more: Readonly<Record<string, string>> = {}) {
  counter += 1;
  const username = `new-${counter}`;
  return {
    username,
    given_name: "Ada",
    family_name: "Lovelace",
    email: `${username}@example.test`,
    password,
    repeated: password,
    ...more,
  };
}

/** Each comes from an address of its own, so that tests do not take each other's tries. */
function addressOf(text = `198.51.100.${++counter}`) {
  return { "sec-fetch-site": "same-origin", "x-forwarded-for": text };
}

async function openForm(browser: PageBrowser = stage.browser(), path = stage.path()): Promise<BrowserPage> {
  const page = await browser.open(path);
  const link = /href="(\/login\/[0-9]+\/register)"/.exec(page.text)?.[1];
  return await browser.open(link ?? "there is no link");
}

describe("registration", () => {
  test("adds a user with an unverified email, and the login goes on with the password", async () => {
    const browser = stage.browser();
    const page = await openForm(browser);
    expect([page.status, page.title]).toEqual([200, "Create an account"]);
    const fields = someone();
    const end = await page.submit(fields, { headers: addressOf() });
    expect([end.status, end.location]).toEqual([303, done]);
    const user = await findUser(fields.username);
    expect(user).toMatchObject({
      state: "ACTIVE",
      givenName: "Ada",
      familyName: "Lovelace",
      email: fields.email,
      isEmailVerified: false,
      hasPassword: true,
      preferredLanguage: "en",
      details: { resourceOwner: stage.owner },
    });
    expect(stage.ended.at(-1)).toMatchObject({ userId: user?.id, methods: ["PASSWORD"] });
    const events = await stage.fixture.events(user?.id ?? "");
    expect(events.map(({ type, editor }) => [type, editor])).toEqual([
      ["user.added", user?.id],
      ["user.password.set", user?.id],
      ["user.email.code.added", user?.id],
    ]);
    expect((await browser.open(stage.path({ prompts: ["none"] }))).location).toBe(done);
    const other = await stage.browser().open(stage.path());
    expect((await other.submit({ username: fields.username, password })).location).toBe(done);
  });

  test("mails a code to the address, in the language of the browser, which becomes that of the user", async () => {
    for (const [language, title, subject] of [
      ["en", "Create an account", /address/],
      ["de", "Konto anlegen", /Adresse/],
    ] as const) {
      const page = await openForm(undefined, stage.path({ uiLocales: [`${language}-AT`] }));
      expect(page.title).toBe(title);
      const fields = someone();
      await page.submit(fields, { headers: addressOf() });
      await stage.mailer.idle();
      const mails = stage.mails.filter(({ to }) => to === fields.email);
      expect(mails).toHaveLength(1);
      expect(mails[0]?.subject).toMatch(subject);
      const code = new Secret(/\b[0-9]{8}\b/.exec(mails[0]?.text ?? "")?.[0] ?? "");
      const user = await findUser(fields.username);
      if (user === undefined) throw new Error("nobody has registered");
      expect(user.preferredLanguage).toBe(language);
      const { context, database } = stage.fixture;
      const asked = { userId: user.id, address: fields.email, code, nowMs: context.clock.nowMs() };
      const taken = await database.write((tx) =>
        takeCode(tx, "email", { ...asked, keyring: context.keyring }),
      );
      expect(taken).not.toBeInstanceOf(Problem);
    }
  });

  test("says the same when no more mails go to an address", async () => {
    const email = "crowded@example.test";
    for (let index = 0; index < 12; index++) {
      const end = await (await openForm()).submit(someone({ email }), { headers: addressOf() });
      expect(end.location).toBe(done);
    }
    await stage.mailer.idle();
    expect(stage.mails.filter(({ to }) => to === email)).toHaveLength(3);
  });

  test("makes the user in the organization that the application asks for", async () => {
    const { owner } = await pathWith({ allowRegistration: true });
    const page = await openForm(undefined, stage.path({ organizationId: owner }));
    const fields = someone();
    await page.submit(fields, { headers: addressOf() });
    expect(await findUser(fields.username)).toMatchObject({ details: { resourceOwner: owner } });
  });

  test("demands a second factor of the new user where the policy does", async () => {
    const { path } = await pathWith({ allowRegistration: true, forceMfa: true, secondFactors: ["U2F"] });
    const before = stage.ended.length;
    const page = await (await openForm(undefined, path)).submit(someone(), { headers: addressOf() });
    expect([page.status, page.title]).toEqual([200, "Add a security key"]);
    expect(stage.ended).toHaveLength(before);
  });

  test("says the same whether the email is somebody's or nobody's", async () => {
    const { email } = someone();
    const first = await (await openForm()).submit(someone({ email }), { headers: addressOf() });
    const second = await (await openForm()).submit(someone({ email }), { headers: addressOf() });
    expect([second.status, second.location]).toEqual([first.status, first.location]);
  });

  test("keeps what was typed but the passwords, marks the field, and makes nobody", async () => {
    const browser = stage.browser();
    const wrongs: [Readonly<Record<string, string>>, string, string?][] = [
      [{ username: " " }, "Type a username", "username"],
      [{ given_name: "x".repeat(201) }, "Type a first name", "given_name"],
      [{ family_name: "a\u0000b" }, "Type a last name", "family_name"],
      [{ given_name: "Ada\u202e" }, "visible characters", "given_name"],
      [{ email: "ada" }, "Type an email address", "email"],
      [{ repeated: "another" }, "The two new passwords are not the same"],
      [{ password: "short", repeated: "short" }, "at least 10 characters"],
      [{ password: breachedPassword, repeated: breachedPassword }, "known from a data breach"],
      [
        {
          email: "ada.lovelace@example.test",
          password: "ada.lovelace@example.test",
          repeated: "ada.lovelace@example.test",
        },
        "must not be your username",
      ],
    ];
    let page = await openForm(browser);
    for (const [wrong, text, field] of wrongs) {
      const fields = someone(wrong);
      page = await page.submit(fields, { headers: addressOf() });
      expect([page.status, page.title]).toEqual([200, "Create an account"]);
      expect(page.problem).toContain(text);
      expect(page.text).not.toContain(password);
      expect(/id="(\w+)"[^>]*aria-invalid="true"/.exec(page.text)?.[1]).toBe(field);
      expect(await findUser(fields.username)).toBeUndefined();
    }
    expect((await page.submit(someone(), { headers: addressOf() })).location).toBe(done);
  });

  test("tells that a username is taken, however it is written and whosever it is, and changes nothing of theirs", async () => {
    const person = await stage.addPerson(await stage.addOrganization());
    const page = await openForm();
    const username = person.username.toUpperCase();
    const again = await page.submit(
      someone({ username, password: "another password", repeated: "another password" }),
      { headers: addressOf() },
    );
    expect([again.status, again.problem]).toEqual([
      200,
      "Somebody else has this username. Choose another one.",
    ]);
    expect((await logIn(stage, stage.browser(), person, { organizationId: undefined })).text).toContain(
      "Continue",
    );
    expect((await again.submit(someone(), { headers: addressOf() })).location).toBe(done);
  });

  test("gives a name that two ask for at once to one of them", async () => {
    const fields = someone();
    const pages = await Promise.all([1, 2, 3, 4].map(() => openForm()));
    const ends = await Promise.all(pages.map((page) => page.submit(fields, { headers: addressOf() })));
    expect(ends.map(({ location }) => location).filter((location) => location === done)).toHaveLength(1);
    expect(ends.filter((page) => page.problem?.startsWith("Somebody else"))).toHaveLength(3);
  });

  test("makes one user of a form that is sent twice at once", async () => {
    const page = await openForm();
    const [one, two] = [someone(), someone()];
    const headers = addressOf();
    const ends = await Promise.all([page.submit(one, { headers }), page.submit(two, { headers })]);
    expect(ends.filter(({ location }) => location === done)).toHaveLength(1);
    const users = await Promise.all([findUser(one.username), findUser(two.username)]);
    expect(users.filter((user) => user !== undefined)).toHaveLength(1);
  });

  test("needs the form of the page in this browser", async () => {
    const page = await openForm();
    const fields = someone();
    const foreign = await page.submit({ ...fields, form_token: "x" }, { headers: addressOf() });
    expect(foreign.status).toBe(403);
    const url = page.path;
    const elsewhere = await stage.browser().send({ method: "POST", url, form: fields });
    expect(elsewhere.status).toBe(400);
    expect(await findUser(fields.username)).toBeUndefined();
  });
});

describe("where nobody may register", () => {
  test.each<readonly [string, Partial<LoginPolicy>]>([
    ["by the policy", {}],
    ["because passwords are not allowed", { allowRegistration: true, allowPassword: false }],
  ])("there is no link, and page and form are 404: %s", async (_name, settings) => {
    const { path } = await pathWith(settings);
    const browser = stage.browser();
    const page = await browser.open(path);
    expect(page.text).not.toContain("/register");
    const url = `${page.path}/register`;
    const shown = await browser.open(url);
    expect([shown.status, shown.title]).toEqual([404, "There is nothing here"]);
    const fields = someone();
    const form = { ...fields, form_token: tokenOf(browser) };
    const sent = await browser.send({ method: "POST", url, form, headers: addressOf() });
    expect([sent.status, await findUser(fields.username)]).toEqual([404, undefined]);
  });

  test("there is none for a login that only a certain user may make", async () => {
    const browser = stage.browser();
    const page = await browser.open(stage.path({ subject: "1" }));
    expect(page.text).not.toContain("/register");
    expect((await browser.open(`${page.path}/register`)).status).toBe(404);
  });

  test("a policy that changes while somebody types is heard", async () => {
    const { owner, path } = await pathWith({ allowRegistration: true });
    const page = await openForm(undefined, path);
    await stage.setPolicy(owner, { allowRegistration: false });
    const fields = someone();
    expect((await page.submit(fields, { headers: addressOf() })).status).toBe(404);
    expect(await findUser(fields.username)).toBeUndefined();
  });

  test("whoever has proved a first factor is past it", async () => {
    const guest = await stage.addPerson(await stage.addOrganization());
    const browser = stage.browser();
    const page = await openForm(browser);
    await logIn(stage, browser, guest, {});
    const own = page.path.replace("/register", "");
    const confirm = await (await browser.open(own)).submit({ username: guest.username, password });
    expect(confirm.title).toContain("Continue to");
    const fields = someone();
    const again = await page.submit(fields, { headers: addressOf() });
    expect(again.title).toContain("Continue to");
    expect(await findUser(fields.username)).toBeUndefined();
  });
});

describe("an address", () => {
  test("asks for 20 names in an hour, taken or not, and then waits", async () => {
    const person = await stage.addPerson(stage.owner);
    const headers = addressOf("2001:db8:1:2::1");
    let page = await openForm();
    for (let index = 0; index < 19; index++) {
      page = await page.submit(someone({ username: person.username }), { headers });
      expect(page.problem).toContain("Somebody else has this username");
    }
    expect((await page.submit(someone(), { headers })).location).toBe(done);
    const fields = someone();
    const neighbour = addressOf("2001:db8:1:2:ffff::9");
    const paused = await (await openForm()).submit(fields, { headers: neighbour });
    expect([paused.status, paused.headers.get("retry-after")]).toEqual([429, "3600"]);
    expect(paused.problem).toContain("Too many accounts");
    const taken = await paused.submit(someone({ username: person.username }), { headers });
    expect(taken.problem).toContain("Too many accounts");
    expect(await findUser(fields.username)).toBeUndefined();
    expect(
      (await (await openForm()).submit(someone(), { headers: addressOf("2001:db8:1:3::1") })).location,
    ).toBe(done);
    stage.fixture.clock.turn(3_600_000);
    expect((await (await openForm()).submit(fields, { headers })).location).toBe(done);
  });

  test("gets no more than that by asking at once", async () => {
    const headers = addressOf("203.0.113.77");
    const pages = await Promise.all(Array.from({ length: 24 }, () => openForm()));
    const ends = await Promise.all(pages.map((page) => page.submit(someone(), { headers })));
    expect(ends.filter(({ location }) => location === done)).toHaveLength(20);
    expect(ends.filter(({ status }) => status === 429)).toHaveLength(4);
  });
});

describe("prompt create", () => {
  test("leads to the page of registration first, also with a session, and from there to the other", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    const page = await browser.open(stage.path({ prompts: ["create"], loginHint: "ada" }));
    expect([page.title, page.path]).toEqual(["Create an account", expect.stringMatching(/\/register$/)]);
    expect(page.text).toContain('name="username" type="text" value="ada"');
    const other = await browser.open(page.path.replace("/register", ""));
    expect(other.title).toBe("Sign in");
    expect((await other.submit({ username: person.username, password })).location).toBe(done);
  });

  test("leads to the login where nobody may register", async () => {
    const { application } = await pathWith({});
    const page = await stage.browser().open(stage.path({ applicationId: application, prompts: ["create"] }));
    expect(page.title).toBe("Sign in");
  });
});

/** What the forms of the only login of a browser hold, also where a page shows none. */
function tokenOf({ cookies }: PageBrowser): string {
  const [value = ""] = [...cookies].flatMap(([name, text]) => (name.includes("gh_login_") ? [text] : []));
  return (
    formTokenField(new Secret(value))
      .toString()
      .match(/value="([^"]*)"/)?.[1] ?? ""
  );
}
