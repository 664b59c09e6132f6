// How the pages of logouts look. With GATEHOUSE_PICTURES=<folder> a picture of each is left there.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { chooseLanguage } from "../../src/sites/login/texts/choose-texts.ts";
import { type Texts, toTexts } from "../../src/sites/login/texts/texts.ts";
import type { LogoutParty, Part } from "../sites/saml/support/logout-party.ts";
import {
  type LogoutStage,
  type SignedInBrowser,
  startLogoutStage,
} from "../sites/saml/support/logout-stage.ts";
import { takePicture } from "./support/face-steps.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const browsers = useLoginStage({ dev: true });

let stage: LogoutStage;
let asker: LogoutParty;
/** It takes no part in logouts. */
let silent: LogoutParty;
let posting: LogoutParty;
const others: LogoutParty[] = [];
beforeAll(async () => {
  stage = await startLogoutStage();
  asker = await stage.addParty();
  silent = await stage.addParty({ services: [] });
  posting = await stage.addParty({ services: [{ binding: "post" }] });
  for (let count = 0; count < 6; count++)
    others.push(await stage.addParty({ services: [{ binding: "redirect" }] }));
});
afterAll(() => stage.stop());

/** Signs somebody in who has logged in to these service providers. Chromium has the session. Returns the name at the first. */
async function signIn({ context }: LoginProfile, ...parties: readonly LogoutParty[]) {
  const browser = await stage.signIn();
  const parts: Part[] = [];
  for (const party of parties) parts.push(await party.takePart(browser.session.sessionId));
  await lend(browser, context);
  return { browser, nameId: parts[0]?.nameId ?? "" };
}

/** Gives Chromium the cookies of a browser. */
async function lend({ cookies }: SignedInBrowser, context: LoginProfile["context"]): Promise<void> {
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: stage.issuer })));
}

/** Logs out by the page that asks. */
async function confirm({ page }: LoginProfile): Promise<void> {
  await page.goto(`${stage.issuer}/oidc/v1/end_session`);
  await page.locator("main form button").click();
  await page.locator("main form").waitFor({ state: "detached" });
}

/** Visits five of six service providers, which answer. Chromium brings the answer of the last one. */
async function visitFive(profile: LoginProfile): Promise<void> {
  const { browser, nameId } = await signIn(profile, asker, ...others);
  let brought = asker.request({ nameId });
  for (const party of others.slice(0, 5)) brought = party.respond(stage.read(await browser.send(brought)).id);
  await lend(browser, profile.context);
  await profile.page.goto(brought.url);
}

interface Face {
  readonly reach: (profile: LoginProfile) => Promise<unknown>;
  readonly title: (texts: Texts) => string;
}

/** The pages by their names, and how somebody comes to see each. */
const faces: Readonly<Record<string, Face>> = {
  question: {
    title: ({ logout }) => logout.title,
    async reach(profile) {
      await signIn(profile);
      await profile.page.goto(`${stage.issuer}/oidc/v1/end_session`);
    },
  },
  done: {
    title: ({ logout }) => logout.done.title,
    async reach(profile) {
      await signIn(profile);
      await confirm(profile);
    },
  },
  partial: {
    title: ({ logout }) => logout.partial.title,
    async reach(profile) {
      await signIn(profile, silent);
      await confirm(profile);
    },
  },
  "partial-account": {
    title: ({ logout }) => logout.partial.title,
    reach: ({ page }) => page.goto(`${stage.issuer}/account/signed-out?partial=1`),
  },
  "done-asked": {
    title: ({ logout }) => logout.done.title,
    async reach(profile) {
      const { nameId } = await signIn(profile, silent);
      await profile.page.goto(silent.request({ nameId }).url);
    },
  },
  refused: {
    title: ({ errors }) => errors["bad-logout-message"].title,
    reach: ({ page }) => page.goto(asker.request({ nameId: "x" }, { keys: undefined }).url),
  },
  over: {
    title: ({ errors }) => errors["logout-over"].title,
    reach: ({ page }) => page.goto(`${stage.issuer}/saml/v2/SLO/1`),
  },
  "by-form": {
    title: ({ logout }) => logout.goingOn,
    async reach(profile) {
      const { nameId } = await signIn(profile, posting);
      await profile.page.goto(posting.request({ nameId }).url);
    },
  },
  pause: { title: ({ logout }) => logout.goingOn, reach: visitFive },
};

/** German words are longer: what they fit, English ones fit. Pictures are made of both. */
const tags = process.env["GATEHOUSE_PICTURES"] === undefined ? ["de", "ar"] : ["de", "en", "ar", "ja"];
const languages = tags.map((tag) => toTexts(chooseLanguage({ acceptLanguage: tag })));

describe.each(languages)("in $language", (texts) => {
  test.each(Object.entries(faces))(
    "%s fits, has contrast in both colours, and says what everything is",
    async (name, { reach, title }) => {
      // Without script, pages that go on by themselves stay.
      const profile = await browsers().profile({ locale: texts.language, javaScriptEnabled: false });
      const { page } = profile;
      await page.emulateMedia({ reducedMotion: "reduce" });
      await reach(profile);
      expect(await page.locator("h1").textContent()).toBe(title(texts));
      for (const colorScheme of ["light", "dark"] as const)
        for (const [width, height] of [
          [320, 568],
          [1280, 800],
        ] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.setViewportSize({ width, height });
          await takePicture(page, `logout-${name}-${texts.language}-${colorScheme}-${width}`);
          const look = await measurePage(page);
          expect(look.width).toBeLessThanOrEqual(width);
          expect(look.isDark).toBe(colorScheme === "dark");
          expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
          expect(look.faults).toEqual([]);
        }
    },
  );
});
