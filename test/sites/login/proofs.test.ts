import { afterAll, describe, expect, test } from "@jest/globals";
import type { RecoveryCodesId } from "../../../src/kernel/base/ids.ts";
import { giveAppOn, giveCodesOn } from "./support/app-owner.ts";
import { done, logIn, password, type Person, startLoginStage } from "./support/login-stage.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

const methods = () => stage.ended.at(-1)?.methods;
const now = () => stage.fixture.clock.nowMs();
const giveApp = (person: Person) => giveAppOn(stage, person, stage.owner);
const giveCodes = (person: Person) => giveCodesOn(stage, person, stage.owner);

async function begin(person: Person) {
  const browser = stage.browser();
  return { browser, page: await logIn(stage, browser, person) };
}

describe("a password that is sent while a code of the session's user is checked", () => {
  /** Sends the code of an app in a login that rests on a session, and meanwhile a password without the cookie of the session. */
  async function sendAtOnce(attacker: Person, victim: Person) {
    const browser = stage.browser();
    await logIn(stage, browser, attacker);
    const { code } = await giveApp(attacker);
    const page = await browser.open(stage.path({ wantsMfa: true }));
    expect(page.title).toBe("Enter your code");
    const [, token = ""] = /name="form_token" value="([^"]*)"/.exec(page.text) ?? [];
    const before = stage.ended.length;
    stage.afterNextCheck(async () => {
      browser.cookies.delete("__Host-gh_session");
      await browser.send({
        method: "POST",
        url: `${page.path}/password`,
        form: { form_token: token, username: victim.username, password },
      });
    });
    const end = await page.submit({ code: code(now()) });
    return { end, at: page.path, methods: stage.ended.slice(before).map((ended) => ended.methods), code };
  }

  test("logs nobody in with a code of somebody else", async () => {
    const victim = await stage.addPerson(stage.owner);
    await giveApp(victim);
    const { end, at, methods: ended } = await sendAtOnce(await stage.addPerson(stage.owner), victim);
    expect([end.status, end.title, end.path, ended]).toEqual([200, "Enter your code", at, []]);
  });

  test("leaves the code unused when it is the same user's", async () => {
    const person = await stage.addPerson(stage.owner);
    const { end, methods: ended, code } = await sendAtOnce(person, person);
    expect([end.title, ended]).toEqual(["Enter your code", []]);
    expect((await end.submit({ code: code(now()) })).location).toBe(done);
  });
});

describe("what was used in a login that goes on", () => {
  const mustChange = ({ id }: Person) =>
    stage.event(
      "user.password.set",
      { id: id, organization: stage.owner },
      { change_required: true, by: "system" },
    );
  const change = { current: password, password: "another good password", repeated: "another good password" };

  test("counts no more when the app was removed meanwhile, though the user has another", async () => {
    const person = await stage.addPerson(stage.owner);
    const { code, about } = await giveApp(person);
    await mustChange(person);
    const next = await (await begin(person)).page.submit({ code: code(now()) });
    expect(next.title).toBe("Choose a new password");
    await stage.fixture.record({ ...about, type: "user.totp.removed" });
    await giveApp(person);
    const before = stage.ended.length;
    expect([(await next.submit(change)).title, stage.ended.length]).toEqual(["Sign in", before]);
  });

  test("counts no more when the recovery codes were replaced or removed", async () => {
    const replaceOrRemove = [
      async (person: Person) => void (await giveCodes(person)),
      async ({ id }: Person, codesId: RecoveryCodesId) =>
        stage.event(
          "user.recovery_codes.removed",
          { id: id, organization: stage.owner },
          { codes_id: codesId },
        ),
    ];
    for (const end of replaceOrRemove) {
      const person = await stage.addPerson(stage.owner);
      await giveApp(person);
      const { codes, id } = await giveCodes(person);
      await mustChange(person);
      const { browser, page } = await begin(person);
      const form = await browser.open(`${page.path}/recovery-code`);
      const next = await form.submit({ code: codes[0] ?? "" });
      expect(next.title).toBe("Choose a new password");
      await end(person, id);
      expect((await next.submit(change)).title).toBe("Sign in");
    }
  });

  test("counts as long as it is there", async () => {
    const person = await stage.addPerson(stage.owner);
    await giveApp(person);
    const { codes } = await giveCodes(person);
    await mustChange(person);
    const { browser, page } = await begin(person);
    const form = await browser.open(`${page.path}/recovery-code`);
    const next = await form.submit({ code: codes[0] ?? "" });
    const end = await next.submit(change);
    expect([end.location, methods()]).toEqual([done, ["PASSWORD", "RECOVERY_CODE"]]);
  });
});
