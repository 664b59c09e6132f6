import { afterAll, describe, expect, test } from "@jest/globals";
import { type InstanceId, toId } from "../../../src/kernel/base/ids.ts";
import { createKeyring } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { deleteExpiredSetupLinks, putInstanceId } from "../../../src/identity/instance/repository.ts";
import { makeSetupLink, setupLinkLifetimeMs } from "../../../src/identity/instance/setup-link.ts";
import { deactivateOrganization } from "../../../src/identity/organizations/organization.ts";
import { findOrganizationByName } from "../../../src/identity/organizations/repository.ts";
import { findHumanByUsername } from "../../../src/identity/people/user/repository.ts";
import { makeApp } from "../../support/totp.ts";
import { callback, startLoginStage } from "./support/login-stage.ts";
import { makeSecurityKey } from "./support/security-key.ts";

const stage = await startLoginStage();
const organization = await stage.addOrganization("Default");
const { application } = await stage.addApplication(organization);
await stage.fixture.database.write((tx) => putInstanceId(tx, toId<InstanceId>("1")));
afterAll(() => stage.stop());

/** Of an application in the organization of the administrators, so that nobody has to confirm anything. */
const path = (request = {}) => stage.path({ applicationId: application, ...request });
const own = "a password of my own";
let count = 0;
const makeLink = (keyring = stage.fixture.context.keyring) =>
  makeSetupLink({
    issuer: stage.issuer,
    keyring,
    random: systemRandom,
    nowMs: stage.fixture.clock.nowMs(),
  }).reveal();
const form = (changes: Record<string, string> = {}) => {
  count += 1;
  const username = `admin-${count}`;
  const names = { username, given_name: "Ada", family_name: "Lovelace", email: `${username}@example.com` };
  return { ...names, password: own, repeated: own, ...changes };
};
const findUser = (username: string) => stage.fixture.database.read((tx) => findHumanByUsername(tx, username));

describe("the page of the first administrator", () => {
  test("adds one, logs in, and offers a second factor, which the next login asks for", async () => {
    const browser = stage.browser();
    const page = await browser.open(makeLink());
    expect([page.status, page.title]).toEqual([200, "Set up the first administrator"]);
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(page.text).toContain("At least 10 characters");
    const typed = form();
    const offer = await page.submit(typed);
    expect([offer.status, offer.path, offer.title]).toEqual([
      200,
      "/login/setup/factor",
      "Add a security key",
    ]);
    const session = browser.cookies.get("__Host-gh_session");
    const user = await findUser(typed.username);
    expect(user).toMatchObject({
      givenName: "Ada",
      familyName: "Lovelace",
      state: "ACTIVE",
      hasPassword: true,
    });
    expect(user?.details.resourceOwner).toBe(organization);
    const roles = await stage.fixture.database.read((tx) =>
      tx.all("SELECT payload, editor FROM events WHERE type = 'membership.added' AND editor = ?", [
        user?.id ?? "",
      ]),
    );
    const payload = JSON.stringify({ user_id: user?.id, instance: true, roles: ["INSTANCE_OWNER"] });
    expect(roles).toEqual([{ payload, editor: user?.id }]);
    expect((await browser.open(path())).location).toBe(`${callback}?code=1`);

    const key = makeSecurityKey(stage);
    const foreign = await offer.submit({
      credential: key.register(offer, { origin: "https://evil.example" }),
    });
    expect(foreign.problem).toContain("was not accepted");
    const end = await foreign.submit({ credential: key.register(foreign) });
    expect([end.path, end.title]).toEqual(["/login/setup/done", "Everything is set up"]);
    expect(end.text).toContain('href="/account"');
    expect(browser.cookies.get("__Host-gh_session")).not.toBe(session);
    const thief = stage.browser();
    thief.cookies.set("__Host-gh_session", session ?? "");
    expect((await thief.open(path())).title).toBe("Sign in");
    expect((await browser.open(path())).location).toBe(`${callback}?code=1`);
    expect(stage.ended.at(-1)?.methods).toEqual(["PASSWORD", "U2F"]);

    const again = await stage.browser().open(path());
    const asked = await again.submit({ username: typed.username, password: own });
    expect(asked.title).toBe("Use your security key");
    expect((await browser.open("/login/setup/factor")).title).toBe("Everything is set up"); // nothing is offered twice
  });

  test("offers an authenticator app in place of a key, which the next login asks for", async () => {
    const browser = stage.browser();
    const typed = form();
    const offer = await (await browser.open(makeLink())).submit(typed);
    expect(offer.text).toContain('href="/login/setup/totp">Use an authenticator app instead<');
    const session = browser.cookies.get("__Host-gh_session");
    const page = await browser.open("/login/setup/totp");
    expect([page.title, page.headers.get("cross-origin-opener-policy")]).toEqual([
      "Add an authenticator app",
      "same-origin",
    ]);
    const [, secret = ""] = /<p class="secret">([^<]*)</.exec(page.text) ?? [];
    const { code } = makeApp(secret);
    const nowMs = () => stage.fixture.clock.nowMs();
    const wrong = await page.submit({ code: "000000" });
    expect([wrong.title, wrong.problem]).toEqual([
      "Add an authenticator app",
      expect.stringContaining("The code is wrong"),
    ]);
    expect((await wrong.submit({ code: code(nowMs()) })).title).toBe("Everything is set up");
    expect(browser.cookies.get("__Host-gh_session")).not.toBe(session);
    expect((await browser.open(path())).location).toBe(`${callback}?code=1`);
    expect(stage.ended.at(-1)?.methods).toEqual(["PASSWORD", "TOTP"]);
    for (const place of ["totp", "factor"])
      expect((await browser.open(`/login/setup/${place}`)).title).toBe("Everything is set up");
    const asked = await (await stage.browser().open(path())).submit({
      username: typed.username,
      password: own,
    });
    expect(asked.title).toBe("Enter your code");
    expect((await stage.browser().open("/login/setup/totp")).title).toBe("Everything is set up"); // of nobody
  });

  test("takes a link once, also when two send it at the same moment", async () => {
    const link = makeLink();
    const pages = [await stage.browser().open(link), await stage.browser().open(link)];
    const ends = await Promise.all(pages.map((page) => page.submit(form())));
    expect(ends.map(({ title }) => title).toSorted()).toEqual([
      "Add a security key",
      "This link no longer works",
    ]);
    const late = await stage.browser().open(link);
    expect([late.status, late.title]).toEqual([400, "This link no longer works"]);
  });

  test("takes no link that has expired or was made with another key, nor one that was changed", async () => {
    const link = makeLink();
    const page = await stage.browser().open(link);
    const other = createKeyring([{ id: "k1", bytes: new Uint8Array(32).fill(9) }], systemRandom);
    const bad = [
      makeLink(other),
      `${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`,
      `${stage.issuer}/login/setup/x`,
    ];
    for (const url of bad) expect((await stage.browser().open(url)).status).toBe(400);
    stage.fixture.clock.turn(setupLinkLifetimeMs);
    const typed = form();
    expect((await page.submit(typed)).status).toBe(400);
    expect((await stage.browser().open(link)).status).toBe(400);
    expect(await findUser(typed.username)).toBeUndefined();
  });

  test("says what is wrong, keeps what was typed but for the password, and does not use the link up", async () => {
    let page = await stage.browser().open(makeLink());
    const faults: [Record<string, string>, string][] = [
      [{ username: " " }, "Type a username"],
      [{ given_name: "x".repeat(201) }, "Type a first name"],
      [{ family_name: "a\nb" }, "Type a last name"],
      [{ email: "ada" }, "Type an email address"],
      [{ password: "short", repeated: "short" }, "at least 10 characters"],
      [{ repeated: "another" }, "not the same"],
      [{ username: "ADMIN-1" }, "Somebody else has this username"],
      [{ email: `"><script>@example.com` }, "Type an email address"],
    ];
    for (const [changes, problem] of faults) {
      page = await page.submit(form(changes));
      expect([page.status, page.problem]).toEqual([200, expect.stringContaining(problem)]);
      expect(page.text).not.toContain(own);
      expect(page.text).not.toContain("<script>@");
      expect(page.text).toContain('value="Lovelace"'.slice(0, 7));
    }
    expect((await page.submit(form())).title).toBe("Add a security key");
  });

  test("needs the cookie and the origin of the page", async () => {
    const browser = stage.browser();
    const page = await browser.open(makeLink());
    expect((await page.submit(form(), { headers: { "sec-fetch-site": "same-site" } })).status).toBe(403);
    browser.cookies.clear();
    expect((await page.submit(form())).status).toBe(403);
  });

  test("offers no factor to anybody who did not log in a moment ago", async () => {
    const stranger = await stage.browser().open("/login/setup/factor");
    expect(stranger.title).toBe("Everything is set up");
    const browser = stage.browser();
    const offer = await (await browser.open(makeLink())).submit(form());
    stage.fixture.clock.turn(10 * 60_000 + 1);
    const key = makeSecurityKey(stage);
    expect((await offer.submit({ credential: key.register(offer) })).title).toBe("Everything is set up");
    expect((await browser.open(path({ prompts: ["none"] }))).location).toBe(`${callback}?code=1`);
    expect(stage.ended.at(-1)?.methods).toEqual(["PASSWORD"]);
  });

  test("makes the organization again if it is gone, and another one if it is inactive", async () => {
    const found = await stage.fixture.database.read((tx) => findOrganizationByName(tx, "Default"));
    if (found === undefined) throw new Error("there is no organization Default");
    await stage.fixture.record(...deactivateOrganization(found));
    const inAnother = form();
    const page = await stage.browser().open(makeLink());
    expect((await page.submit(inAnother)).title).toBe("Add a security key");
    const another = (await findUser(inAnother.username))?.details.resourceOwner;
    const added = await stage.fixture.database.read((tx) => findOrganizationByName(tx, "Default 2"));
    expect([another, another === organization]).toEqual([added?.id, false]);
    await stage.event(
      "organization.changed",
      { id: organization, organization: organization },
      { name: "Renamed" },
    );
    const typed = form();
    expect((await (await stage.browser().open(makeLink())).submit(typed)).title).toBe("Add a security key");
    expect([organization, another]).not.toContain((await findUser(typed.username))?.details.resourceOwner);
  });
});

test("uses of links are forgotten once the links have expired", async () => {
  const page = await stage.browser().open(makeLink());
  await page.submit(form());
  const sweep = () =>
    stage.fixture.database.write((tx) =>
      deleteExpiredSetupLinks(tx, { nowMs: stage.fixture.clock.nowMs(), limit: 100 }),
    );
  stage.fixture.clock.turn(setupLinkLifetimeMs - 1);
  await sweep(); // those of the cases before
  expect(await sweep()).toBe(0);
  stage.fixture.clock.turn(1);
  expect(await sweep()).toBeGreaterThan(0);
});
