// What the other tests lean on: a missing browser and a page that fails must not go by unseen.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { findChromium, launchChromium } from "./support/chromium.ts";
import { type PageServer, startPageServer } from "./support/page-server.ts";
import { openVisit } from "./support/visit.ts";

describe("a missing browser", () => {
  test("is an error that says what to install", () => {
    expect(() => findChromium({ PATH: "/nowhere" })).toThrow(/install the package chromium-headless-shell/);
    expect(() => findChromium({})).toThrow(/install the package chromium-headless-shell/);
  });

  test("is an error that names the file which CHROMIUM names, whatever else is there", () => {
    const environment = { ...process.env, CHROMIUM: "/nowhere/chromium" };
    expect(() => findChromium(environment)).toThrow("CHROMIUM names /nowhere/chromium");
  });
});

describe("a page", () => {
  let browser: Browser;
  let server: PageServer;
  beforeAll(async () => {
    browser = await launchChromium();
    server = await startPageServer("");
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test.each([
    ["writes an error to its console", 'console.error("a fault")', "the page failed: a fault"],
    [
      "leaves a rejection alone",
      'void Promise.reject(new Error("a fault"))',
      "the page failed: uncaught: a fault",
    ],
    [
      "throws where nobody listens",
      'setTimeout(() => { throw new Error("a fault"); })',
      "the page failed: uncaught: a fault",
    ],
    [
      "is refused what it may not have",
      'fetch("http://example.com").catch(() => {})',
      "the page failed: Failed to load resource: net::ERR_NAME_NOT_RESOLVED",
    ],
  ])("that %s fails its visit", async (_what, script, message) => {
    const visit = await openVisit(browser, server.origin);
    try {
      await visit.page.evaluate(`${script}; undefined`);
      // The browser may tell of it later.
      const untilFault = async () => {
        for (;;) await visit.requireFaultless();
      };
      await expect(untilFault()).rejects.toThrow(message);
    } finally {
      await visit.close();
    }
  });

  test("that does nothing wrong does not", async () => {
    const visit = await openVisit(browser, server.origin);
    await visit.requireFaultless();
    await visit.close();
    expect(visit.page.isClosed()).toBe(true);
  });
});
