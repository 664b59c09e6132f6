// SAML in Chromium: service providers on another site than the issuer, which send browsers on to a third site.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { typePassword } from "./support/faces.ts";
import { takePicture } from "./support/face-steps.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";
import { startWebParty, type WebParty } from "./support/service-provider.ts";

const stage = useLoginStage({ dev: true });

let parties: readonly [WebParty, WebParty, WebParty];
beforeAll(async () => {
  const { service, organizationId, application } = stage();
  const start = () => startWebParty(service, { organizationId, projectId: application.projectId });
  parties = [await start(), await start(), await start()];
});
afterAll(async () => {
  for (const party of parties) await party.stop();
});

/** Waits until the browser is where the service provider sends those who have logged in. */
async function landed(page: Page, { landing }: WebParty): Promise<void> {
  await page.waitForURL(landing);
  await page.getByRole("heading", { name: "Portal" }).waitFor();
}

/** Opens a profile in which the person has logged in to the service provider. */
async function enter(party: WebParty): Promise<LoginProfile> {
  const profile = await stage().profile();
  await profile.page.goto(`${party.origin}/redirect`);
  await typePassword(profile.page, stage().person);
  await landed(profile.page, party);
  return profile;
}

describe("a service provider", () => {
  test("logs somebody in by HTTP-Redirect, and sends them on to a third site", async () => {
    const [party] = parties;
    const { complaints } = await enter(party);
    expect(party.profiles.at(-1)?.["attributes"]).toMatchObject({ UserID: stage().person.id });
    expect(complaints).toEqual([]);
  });

  test("logs somebody in by HTTP-POST from its own site, without a session and then with it", async () => {
    const [party, other] = parties;
    const { page, complaints } = await stage().profile();
    await page.goto(`${party.origin}/post`);
    await typePassword(page, stage().person);
    await landed(page, party);
    for (const one of [party, other]) {
      const before = one.profiles.length;
      await page.goto(`${one.origin}/post`);
      await landed(page, one); // without a password
      expect(one.profiles).toHaveLength(before + 1);
    }
    expect(complaints).toEqual([]);
  });

  test("logs somebody in who has no script, by the buttons of the pages", async () => {
    const [party] = parties;
    const { page, complaints } = await stage().profile({ javaScriptEnabled: false });
    await page.goto(`${party.origin}/post`);
    await page.locator("input[type=submit]").click(); // of the service provider
    await typePassword(page, stage().person);
    const button = page.locator("form[action$='/acs'] button");
    await button.waitFor();
    await takePicture(page, "saml-answer");
    await button.click();
    await landed(page, party);
    expect(complaints).toEqual([]);
  });

  test("that frames the login gets no answer, with a session neither", async () => {
    const [party] = parties;
    const { page, complaints } = await enter(party);
    const before = party.profiles.length;
    await page.goto(`${party.origin}/frame`);
    await page.waitForLoadState("networkidle");
    expect(complaints.join()).toContain("frame-ancestors");
    expect(party.profiles).toHaveLength(before);
  });

  test("that asks for what there is not shows a page", async () => {
    const { page } = await stage().profile();
    await page.goto(`http://localhost:${stage().service.port}/saml/v2/SSO?SAMLRequest=AAAA`);
    await page.getByRole("heading").first().waitFor();
    await takePicture(page, "saml-refused");
    expect(await page.locator("form").count()).toBe(0);
  });
});

describe("a logout", () => {
  async function enterAll(): Promise<LoginProfile> {
    const [first, ...others] = parties;
    const profile = await enter(first);
    for (const party of others) {
      await profile.page.goto(`${party.origin}/redirect`);
      await landed(profile.page, party);
    }
    return profile;
  }

  async function expectQuestion(page: Page, party: WebParty): Promise<void> {
    await page.goto(`${party.origin}/redirect`);
    await page.locator("#password").waitFor();
    expect(party.profiles.length).toBeGreaterThan(0);
  }

  test("goes through all service providers of the session, and back to the one that has asked", async () => {
    const [first, ...others] = parties;
    const { page, complaints } = await enterAll();
    await page.goto(`${first.origin}/logout`);
    await landed(page, first);
    expect(first.goodbyes).toEqual(["Success"]);
    for (const party of others) expect(party.goodbyes).toEqual(["request"]);
    expect(complaints).toEqual([]);
    await expectQuestion(page, first);
  });

  test("that a dead service provider holds up has ended the session nevertheless", async () => {
    const [first, , third] = parties;
    const { page } = await enterAll();
    await third.stop();
    await page.goto(`${first.origin}/logout`).catch(() => undefined); // nobody is there
    await page.waitForURL(/127\.0\.0\.1|chrome-error/);
    await expectQuestion(page, first);
  });
});
