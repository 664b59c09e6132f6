import { afterAll, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import { type CustomTextsId, type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import { isOriginOf } from "../../../src/identity/applications/oidc/repository.ts";
import { defaultLabel } from "../../../src/identity/branding/label-policy.ts";
import { addCustomTexts } from "../../../src/identity/texts/custom-texts.ts";
import { inviteUser } from "../../../src/identity/people/invitations/commands.ts";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import { addHumanUser, requireHuman } from "../../../src/identity/people/user/user.ts";
import { liveLabel } from "../../support/live-label.ts";
import { humanProfile } from "../../support/samples.ts";
import { passkeyFlags } from "../../support/software-authenticator.ts";
import type { BrowserPage } from "./support/browser.ts";
import { addIdentityPlace, newIdentity } from "./support/identities.ts";
import { comeBack } from "./support/identity-site.ts";
import { password, startLoginStage } from "./support/login-stage.ts";
import { giveKey, makeSecurityKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());
const { context, database, record } = stage.fixture;

const read = (id: UserId) => database.read((tx) => getHuman(tx, id));

async function getHuman(tx: ReadTransaction, id: UserId) {
  const user = await findUserById(tx, id);
  if (user === undefined) throw new Error("there is nobody");
  return requireHuman(user);
}

/** Adds a person with an invitation, by somebody who is nobody in particular. */
async function invite(organization: OrganizationId, applicationId = "") {
  const id = toId<UserId>(context.ids.next());
  const username = `invited-${id}`;
  const inviter = toId<UserId>("7");
  await database.write(async (tx) => {
    const origin = { editor: inviter, remoteAddress: undefined, requestId: "test" };
    const profile = humanProfile({ username, email: `${username}@example.test` });
    await context.log.append(tx, origin, [addHumanUser(id, organization, profile)]);
    const user = await getHuman(tx, id);
    const setup = { context, mailer: stage.mailer, issuer: () => stage.issuer, isOriginOf };
    const asked = { call: {} as Call, user, creator: inviter, invite: { urlTemplate: "", applicationId } };
    const { events, mail } = await inviteUser(
      { ...setup, context: { ...context, hasTwoFactors: async () => false } },
      tx,
      asked,
    );
    await context.log.append(tx, origin, events);
    stage.mailer.start("test", mail);
  });
  await stage.mailer.idle();
  const text = stage.mails.findLast(({ to }) => to === `${username}@example.test`)?.text ?? "";
  const path = /https:\/\/login\.example(\/login\/invitation\/\S+)/.exec(text)?.[1] ?? "";
  return { id, username, path };
}

const open = (path: string) => stage.browser().open(path);
const chosen = { password: "a password of my own", repeated: "a password of my own" };
/** The index of the form of a choice. */
const formOf = ({ text }: BrowserPage, choice: string) =>
  [...text.matchAll(/name="choice" value="([^"]*)"/g)].findIndex(([, value]) => value === choice);
const over = "This invitation no longer works";

describe("a person who was invited", () => {
  test("sees who invites them, to what, and under which name they will sign in", async () => {
    const organization = await stage.addOrganization("Lamps & Sons");
    const { application } = await stage.addApplication(organization);
    const { path, username } = await invite(organization, application);
    const page = await open(path);
    expect([page.status, page.title]).toEqual([200, "Choose how you sign in"]);
    expect(page.text).toContain(
      "Lamps &amp; Sons has made an account for you, with which you can use Demo &lt;App&gt;.",
    );
    expect(page.text).toContain(`Your username is ${username}.`);
    const german = await stage.browser().open(path, { "accept-language": "de" });
    expect(german.title).toBe("Wählen Sie, wie Sie sich anmelden");
  });

  test("reads it as the organization says it, in its colors", async () => {
    const organization = await stage.addOrganization("Lamp Works");
    const { path } = await invite(organization);
    const texts = [{ key: "login.invitation.title", text: "Welcome to the lamps" }];
    const light = { ...defaultLabel.light, primary: "#123123" };
    await record(
      ...liveLabel({ aggregateId: context.ids.next(), resourceOwner: organization }, { light }),
      addCustomTexts({
        id: toId<CustomTextsId>(context.ids.next()),
        resourceOwner: organization,
        language: "en",
        texts,
      }),
    );
    const page = await open(path);
    expect(page.title).toBe("Welcome to the lamps");
    expect(page.text).toContain("--accent:light-dark(#123123,");
  });

  test("chooses a password, which is good afterwards, and comes to the application", async () => {
    const home = "https://application.example/home";
    const { application } = await stage.addApplication(stage.owner, {}, { postLogoutRedirectUris: [home] });
    const { id, username, path } = await invite(stage.owner, application);
    const page = await open(path);
    const end = await page.submit(chosen);
    expect([end.status, end.location]).toEqual([303, home]);
    expect(await read(id)).toMatchObject({
      hasPassword: true,
      isEmailVerified: true,
      invitation: undefined,
    });
    expect((await open(path)).title).toBe(over);
    const login = await (await open(stage.path())).submit({ username, password: chosen.password });
    expect(login.location).toContain("code=1");
    expect(stage.browser().cookies.size).toBe(0);
  });

  test("creates a passkey, with which they are not logged in yet, and for which the inviter answers", async () => {
    const { id, path } = await invite(stage.owner);
    const browser = stage.browser();
    const page = await browser.open(path);
    const asking = await page.submit({}, { index: formOf(page, "passkey") });
    expect(asking.title).toBe("Create a passkey");
    expect((await read(id)).invitation).toBeDefined();
    const key = makeSecurityKey(stage);
    const credential = key.register(asking, { flags: passkeyFlags });
    const end = await asking.submit({ credential });
    expect([end.status, end.title]).toEqual([200, "Your account is ready"]);
    expect([...browser.cookies.keys()].filter((name) => name.includes("session"))).toEqual([]);
    expect(await read(id)).toMatchObject({
      isEmailVerified: true,
      hasPassword: false,
      invitation: undefined,
    });
    const row = await database.read((tx) =>
      tx.get("SELECT state, creator FROM passkeys WHERE user_id = ?", [id]),
    );
    expect(row).toEqual({ state: "READY", creator: "7" });
    expect((await asking.submit({ credential })).title).toBe(over);
  });

  test("is asked again for a passkey that is not good, and may choose another way", async () => {
    const { id, path } = await invite(stage.owner);
    const page = await open(path);
    const asking = await page.submit({}, { index: formOf(page, "passkey") });
    const wrong = await asking.submit({ credential: "{}" });
    expect(wrong.problem).toContain("No passkey was created");
    const back = /<a href="(\/login\/invitation\/[^"]*)"/.exec(wrong.text)?.[1] ?? "";
    expect((await open(back.replaceAll("&amp;", "&"))).title).toBe("Choose how you sign in");
    expect((await read(id)).invitation).toBeDefined();
  });

  test("signs in at a provider of the organization, whose identity is linked to them", async () => {
    const place = await addIdentityPlace(stage);
    const { id, path } = await invite(place.organization);
    const browser = stage.browser();
    const page = await browser.open(path);
    const index = formOf(page, "provider");
    expect(page.text).toContain(place.provider.name);
    const elsewhere = await page.submit({ provider: place.provider.id }, { index });
    const begun = /\/login\/\d+/.exec(elsewhere.path)?.[0] ?? "";
    const end = await comeBack(browser, { path: begun }, newIdentity(place.provider));
    expect(end.location).toContain("code=1"); // the stage ends every login so
    expect(stage.ended.at(-1)).toMatchObject({ userId: id, methods: ["IDP"] });
    expect(await read(id)).toMatchObject({ isEmailVerified: true, invitation: undefined });
    const row = await database.read((tx) => tx.get("SELECT creator FROM idp_links WHERE user_id = ?", [id]));
    expect(row).toEqual({ creator: "7" });
    expect((await open(path)).title).toBe(over);
  });
});

describe("a program that looks at links", () => {
  test("changes nothing, by GET or HEAD", async () => {
    const { id, path } = await invite(stage.owner);
    const counted = async () => ({
      events: await database.read((tx) => tx.get("SELECT COUNT(*) AS n FROM events")),
      secrets: await database.read((tx) => tx.all("SELECT id, value FROM secrets ORDER BY id")),
      challenges: await database.read((tx) => tx.all("SELECT login_id FROM login_challenges")),
      interactions: await database.read((tx) => tx.all("SELECT id FROM interactions ORDER BY id")),
    });
    const before = await counted();
    await open(path);
    expect((await stage.browser().send({ method: "HEAD", url: path })).status).toBe(200);
    expect(await counted()).toEqual(before);
    expect((await read(id)).invitation).toBeDefined();
  });
});

describe("nothing comes of", () => {
  const wrongCode = (path: string) => path.replace(/code=.*/, `code=${"A".repeat(20)}`);

  test("a wrong code, another user, no code, or nobody: all look the same", async () => {
    const [{ path, id }, other] = [await invite(stage.owner), await invite(stage.owner)];
    const paths = [
      wrongCode(path),
      path.replace(id, other.id),
      path.replace(/\?.*/, ""),
      path.replace(id, "99"),
      path.replace(id, "x"),
    ];
    const pages = await Promise.all(paths.map(open));
    expect(pages.map(({ status, title }) => [status, title])).toEqual(paths.map(() => [400, over]));
  });

  test("a form of another site", async () => {
    const { id, path } = await invite(stage.owner);
    const page = await open(path);
    const sent = await page.submit(chosen, { headers: { "sec-fetch-site": "cross-site" } });
    expect(sent.status).toBe(403);
    const code = new URLSearchParams(path.split("?")[1]).get("code") ?? "";
    const form = { ...chosen, code, choice: "password" };
    const url = path.replace(/\?.*/, "");
    expect((await stage.browser().send({ method: "POST", url, form })).status).toBe(403);
    expect(await read(id)).toMatchObject({ hasPassword: false });
  });

  test("a user who is stopped, and of time that is over", async () => {
    const [late, stopped] = [await invite(stage.owner), await invite(stage.owner)];
    const page = await open(late.path);
    await stage.event("user.deactivated", { id: stopped.id, organization: stage.owner });
    expect((await open(stopped.path)).title).toBe(over);
    await stage.event(
      "user.invitation.ended",
      { id: late.id, organization: stage.owner },
      { cause: "stopped" },
    );
    expect((await page.submit(chosen)).title).toBe(over);
  });

  test("a choice that the policy does not allow", async () => {
    const organization = await stage.addOrganizationWith({ allowPasskeys: false, allowPassword: false });
    const { id, path } = await invite(organization);
    const page = await open(path);
    expect(page.text).toContain("Nobody can sign in here at the moment");
    expect(page.text).not.toContain('name="choice"');
    const code = new URLSearchParams(path.split("?")[1]).get("code") ?? "";
    const to = path.replace(/\?.*/, "");
    const statuses: number[] = [];
    for (const choice of ["password", "passkey", "new-passkey", "provider"]) {
      const browser = stage.browser();
      const shown = await browser.open((await invite(stage.owner)).path);
      const [token = ""] = /(?<=name="form_token" value=")[^"]*/.exec(shown.text) ?? [];
      const form = { ...chosen, form_token: token, code, choice };
      const headers = { "sec-fetch-site": "same-origin" };
      statuses.push((await browser.send({ method: "POST", url: to, form, headers })).status);
    }
    expect(statuses).toEqual([400, 400, 400, 403]);
    expect(await read(id)).toMatchObject({ hasPassword: false });
  });

  test("a passkey or a provider for a user who has a second factor: the link replaces none", async () => {
    const { id, path } = await invite(stage.owner);
    const early = await open(path);
    const asking = await early.submit({}, { index: formOf(early, "passkey") });
    await giveKey(stage, { id, organization: stage.owner });
    const page = await open(path);
    expect(formOf(page, "passkey")).toBe(-1);
    expect(formOf(page, "password")).toBe(0);
    const key = makeSecurityKey(stage);
    const sent = await asking.submit({ credential: key.register(asking, { flags: passkeyFlags }) });
    expect(sent.title).toBe(over);
    expect(await database.read((tx) => tx.all("SELECT id FROM passkeys WHERE user_id = ?", [id]))).toEqual(
      [],
    );
  });

  test("a password that breaks a rule, but the code stays good", async () => {
    const { id, path } = await invite(stage.owner);
    const page = await open(path);
    const short = await page.submit({ password: "short", repeated: "short" });
    expect(short.problem).not.toBe("");
    const again = await short.submit({ password, repeated: "another" });
    expect(again.problem).not.toBe("");
    await again.submit(chosen);
    expect(await read(id)).toMatchObject({ hasPassword: true });
    expect(await record()).toBeDefined();
  });
});
