// How the page looks of a login that there was no place for, and that it goes on from there. With GATEHOUSE_PICTURES=<folder> a
// picture of each is left there.
import { expect, test } from "@jest/globals";
import { fillPlaces } from "../kernel/http/support/full-places.ts";
import { password } from "../sites/login/support/people.ts";
import { takePicture } from "./support/face-steps.ts";
import { useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const places = 10;
const stage = useLoginStage({ dev: true, "max-calls": String(places) });

const looks = [
  { width: 360, colorScheme: "light", locale: "en-GB", title: "Busy at the moment", again: "Try again" },
  {
    width: 360,
    colorScheme: "dark",
    locale: "de-DE",
    title: "Hier ist gerade viel los",
    again: "Noch einmal versuchen",
  },
  {
    width: 1280,
    colorScheme: "light",
    locale: "de-DE",
    title: "Hier ist gerade viel los",
    again: "Noch einmal versuchen",
  },
  { width: 1280, colorScheme: "dark", locale: "en-GB", title: "Busy at the moment", again: "Try again" },
] as const;

test.each(looks)("a login begins by the link, $width wide, $colorScheme, $locale", async (look) => {
  const { width, colorScheme, locale, title, again } = look;
  const { page, complaints } = await stage().profile({
    colorScheme,
    locale,
    viewport: { width, height: 800 },
  });
  const giveBack = await fillPlaces(stage().service, places);
  try {
    for (const path of ["/console/users?q=1", "/nowhere"]) {
      const refused = await page.goto(new URL(path, stage().url()).href);
      expect([refused?.status(), await page.locator("main a").getAttribute("href")]).toEqual([429, path]);
    }
    const refused = await page.goto(stage().url({ state: `"'<>&#//evil.example` }));
    expect([refused?.status(), await page.locator("h1").textContent()]).toEqual([429, title]);
    const measured = await measurePage(page);
    expect([measured.width, measured.isDark, measured.faults]).toEqual([width, colorScheme === "dark", []]);
    for (const { name, ratio } of measured.contrasts) expect([name, ratio >= 4.5]).toEqual([name, true]);
    await takePicture(page, `retry-${width}-${colorScheme}`);
  } finally {
    await giveBack();
  }
  const asked = page.url();
  expect(await page.locator("main a").textContent()).toBe(again);
  expect(await page.locator("main a").evaluate((link) => (link as unknown as { href: string }).href)).toBe(
    asked,
  );
  await page.locator("main a").click();
  await page.locator("input[name=username]").waitFor();
  expect(complaints.filter((text) => !text.includes("status of 429"))).toEqual([]);
});

test("a form that was refused can be sent again after going back", async () => {
  const { person } = stage();
  const { page } = await stage().profile({ viewport: { width: 360, height: 800 } });
  await page.goto(stage().url());
  await page.locator("input[name=username]").fill(person.username);
  await page.locator("input[name=password]").fill(password);
  const giveBack = await fillPlaces(stage().service, places);
  try {
    await page.locator("main form button").first().click();
    await page.locator("h1", { hasText: "Busy at the moment" }).waitFor();
    expect(await page.locator("main a").count()).toBe(0);
    expect(await page.locator("main").textContent()).toContain("go back in your browser");
    await takePicture(page, "retry-form");
  } finally {
    await giveBack();
  }
  await page.goBack();
  await page.locator("input[name=password]").fill(password);
  await page.locator("main form button").first().click();
  await page.locator("h1", { hasText: "Time Sheets" }).waitFor();
});

test("a path that there is not leads to the start page", async () => {
  const { page } = await stage().profile({ viewport: { width: 360, height: 800 } });
  const answer = await page.goto(new URL("/nowhere", stage().url()).href);
  expect(answer?.status()).toBe(404);
  await takePicture(page, "not-found");
  await page.locator("main a").click();
  await page.locator("a.button").first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
});
