import { afterAll, describe, expect, test } from "@jest/globals";
import type { LoginPolicy } from "../../../src/identity/policies/login-policy.ts";
import { done, logIn, password, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const closed = { allowPassword: false, allowExternalIdps: true, allowPasskeys: false };

/** Makes an organization with an application and that policy. */
async function place(settings: Partial<LoginPolicy> = {}) {
  const owner = await stage.addOrganizationWith(settings);
  const { application } = await stage.addApplication(owner);
  const path = stage.path({ applicationId: application });
  const setPolicy = (changed: Partial<LoginPolicy>) => stage.setPolicy(owner, changed);
  return { owner, application, path, setPolicy };
}

describe("a policy without passwords", () => {
  test("shows no form for one, and says so where nothing else is offered", async () => {
    const { path } = await place(closed);
    const page = await stage.browser().open(path);
    expect([page.status, page.title]).toEqual([200, "Sign in"]);
    expect(page.text).toContain("Nobody can sign in here at the moment.");
    expect(page.text).not.toMatch(/<form|<input|class="(?:divider|ways|links)"/);
  });

  test("looks at no password that is sent all the same, and counts no try", async () => {
    const { owner, path, setPolicy } = await place();
    const person = await stage.addPerson(owner);
    const page = await stage.browser().open(path);
    await setPolicy(closed);
    const before = await stage.fixture.events(person.id);
    const right = await page.submit({ username: person.username, password });
    expect([right.status, right.text.includes("Nobody can sign in here")]).toEqual([200, true]);
    const wrong = await page.submit({ username: person.username, password: "wrong" });
    expect(wrong.text).toBe(right.text);
    expect(await stage.fixture.events(person.id)).toEqual(before);
  });

  test("lets in nobody by a session that a password began, wherever that was", async () => {
    const { owner, path } = await place(closed);
    const guest = await stage.addPerson(stage.owner);
    const browser = stage.browser();
    expect((await logIn(stage, browser, guest)).location).toBe(done);
    const page = await browser.open(path);
    expect(page.text).toContain("Nobody can sign in here");
    const own = await stage.addPerson(owner);
    const other = stage.browser();
    const wrong = await logIn(stage, other, own);
    expect(wrong.text).toContain("The name or the password is wrong.");
  });

  test("of the user's organization is heard when it comes while the login goes on", async () => {
    const { owner, setPolicy } = await place();
    const person = await stage.addPerson(owner);
    const browser = stage.browser();
    const confirm = await logIn(stage, browser, person);
    expect(confirm.title).toContain("Continue to");
    await setPolicy({ ...closed, allowPasskeys: true });
    const end = await confirm.submit();
    expect([end.title, stage.ended.some(({ userId }) => userId === person.id)]).toEqual(["Sign in", false]);
  });
});
