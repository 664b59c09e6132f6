import { afterAll, describe, expect, test } from "@jest/globals";
import { callback, logIn, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const own = { protocol: "account", applicationId: undefined } as const;

describe("a login for pages of ours", () => {
  test("names the instance, and asks nobody to confirm an application", async () => {
    const elsewhere = await stage.addOrganization();
    const person = await stage.addPerson(elsewhere);
    const browser = stage.browser();
    const page = await browser.open(stage.path(own));
    expect([page.title, page.text]).toEqual(["Sign in", expect.stringContaining("to continue to Gatehouse")]);
    expect(page.text).not.toContain("data-organization");
    expect((await logIn(stage, browser, person, own)).location).toBe(`${callback}?code=1`);
    const [login] = stage.ended.slice(-1);
    const [added] = await stage.fixture.events(login?.sessionId ?? "");
    expect(added).toMatchObject({ type: "session.added", payload: { user_id: person.id } });
    expect(added?.payload).not.toHaveProperty("application_id");
  });

  test("needs no page while the session of another application holds", async () => {
    const person = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    await logIn(stage, browser, person);
    expect((await browser.open(stage.path(own))).location).toBe(`${callback}?code=1`);
  });

  test("of one user lets nobody else in", async () => {
    const person = await stage.addPerson(stage.owner);
    const other = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    const asked = { ...own, subject: person.id, prompts: ["login"] } as const;
    const refused = await logIn(stage, browser, other, asked);
    expect(refused.location).toBe(`${callback}?error=login_required`);
    expect(browser.cookies.has("__Host-gh_session")).toBe(false);
  });
});
