import { afterAll, describe, expect, test } from "@jest/globals";
import { type InstanceId, type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import { putInstanceId } from "../../../src/identity/instance/repository.ts";
import { done, logIn, password, startLoginStage } from "./support/login-stage.ts";
import { addPasskeyOwner, type PasskeyChoices } from "./support/passkey.ts";

const instanceId = toId<InstanceId>("77");
const stage = await startLoginStage();
await stage.fixture.database.write((tx) => putInstanceId(tx, instanceId));
afterAll(() => stage.stop());

const methods = () => stage.ended.at(-1)?.methods;
const addOwner = (of: OrganizationId, choices: Partial<PasskeyChoices> = {}) =>
  addPasskeyOwner(stage, of, choices);

describe("a user with a passkey who types the password", () => {
  test("is not asked for it, where one factor is enough", async () => {
    const { person } = await addOwner(stage.owner);
    expect((await logIn(stage, stage.browser(), person)).location).toBe(done);
    expect(methods()).toEqual(["PASSWORD"]);
  });

  test("needs it where two factors are forced: nobody gets past it by adding a factor", async () => {
    const of = await stage.addOrganizationWith({ forceMfa: true });
    const { person, passkey } = await addOwner(of);
    const other = await addOwner(of);
    const { application } = await stage.addApplication(of);
    const page = await logIn(stage, stage.browser(), person, { applicationId: application });
    expect([page.title, page.text]).toEqual([
      "Sign in with a passkey",
      expect.stringContaining("You need more than a password"),
    ]);
    const wrong = await page.submit({ credential: other.passkey.answer(page) });
    expect(wrong.problem).toContain("not accepted");
    const right = await wrong.submit({ credential: passkey.answer(wrong) });
    expect([right.location, methods()]).toEqual([done, ["PASSWORD", "PASSKEY"]]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["to another organization", {}],
    ["to pages of ours", { protocol: "account", applicationId: undefined }],
  ])("needs it for a login %s that allows no passkeys, too", async (_name, asked) => {
    const of = await stage.addOrganizationWith({ forceMfa: true });
    const { person, passkey } = await addOwner(of);
    const other = await stage.addOrganizationWith({ allowPasskeys: false });
    const { application } = await stage.addApplication(other);
    const request = { applicationId: application, ...asked };
    await stage.setPolicy(instanceId, { allowPasskeys: application === request.applicationId });
    const browser = stage.browser();
    const begun = await browser.open(stage.path(request));
    expect(begun.text).not.toContain("/passkey");
    let page = await begun.submit({ username: person.username, password });
    expect(page.title).toBe("Sign in with a passkey");
    for (const name of ["new-factor", "new-totp"]) {
      page = await browser.open(`${begun.path}/${name}`);
      expect(page.title).toBe("Sign in with a passkey");
    }
    const end = await page.submit({ credential: passkey.answer(page) });
    const last = end.title.startsWith("Continue to") ? await end.submit({ choice: "continue" }) : end;
    expect([last.location, methods()]).toEqual([done, ["PASSWORD", "PASSKEY"]]);
    await stage.setPolicy(instanceId, {});
  });

  test("may add a factor there if the passkey is for other pages, or not allowed", async () => {
    const of = await stage.addOrganizationWith({ forceMfa: true });
    const { person } = await addOwner(of, { domain: "other.example" });
    const { application } = await stage.addApplication(of);
    const page = await logIn(stage, stage.browser(), person, { applicationId: application });
    expect(page.title).toBe("Add a security key");
    const strict = await stage.addOrganizationWith({ forceMfa: true, allowPasskeys: false });
    const { person: kept } = await addOwner(strict);
    const app = (await stage.addApplication(strict)).application;
    const browser = stage.browser();
    const asked = await browser.open(stage.path({ applicationId: app }));
    const next = await asked.submit({ username: kept.username, password });
    expect(next.title).toBe("Add a security key");
  });
});
