// The pages with which somebody logs in a device (RFC 8628 §3.3), in Chromium.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { password } from "../sites/login/support/people.ts";
import type { TestApplication } from "../sites/oidc/support/application.ts";
import {
  beginDevice,
  createDeviceApplication,
  poll,
  type WaitingDevice,
} from "../sites/oidc/support/device.ts";
import { createProject } from "../support/world.ts";
import { useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const stage = useLoginStage();

let television: TestApplication;
beforeAll(async () => {
  const { service, organizationId } = stage();
  const projectId = await createProject(service, organizationId);
  television = await createDeviceApplication(service, { organizationId, projectId }, { name: "Television" });
});

const begin = () => beginDevice(stage().service, television);
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

/** Opens the link of a device, and goes on to the question. */
async function reachQuestion(page: Page, device: WaitingDevice): Promise<void> {
  await page.goto(device.link);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Username").fill(stage().person.username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading(page, "Sign in to Television on a device?");
}

describe("a device is logged in", () => {
  test("with the keyboard alone, and nothing in the console", async () => {
    const device = await begin();
    const { page, complaints } = await stage().profile();
    await page.goto(`http://localhost:${stage().service.port}/device`);
    await page.locator("#user_code:focus").waitFor(); // browsers focus when they first draw the page
    await page.keyboard.type(device.userCode.toLowerCase().replace("-", " "));
    await page.keyboard.press("Enter");
    await page.locator("#username:focus").waitFor();
    await page.keyboard.type(stage().person.username);
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await heading(page, "Sign in to Television on a device?");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await heading(page, "Your device is signed in");
    expect(complaints).toEqual([]);
    expect((await poll(stage().service, television, device)).status).toBe(200);
  });

  test("without script, by a link, from one account to another", async () => {
    const device = await begin();
    const { page } = await stage().profile({ javaScriptEnabled: false });
    await reachQuestion(page, device);
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.getByLabel("Username").fill(stage().person.username);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await heading(page, "Nothing was allowed");
    expect((await poll(stage().service, television, device)).error).toBe("access_denied");
  });

  test("is refused in a frame of another site, and to who holds its window", async () => {
    const { page, complaints } = await stage().profile();
    const link = `http://localhost:${stage().service.port}/device`;
    const { redirectUri } = stage().application;
    await page.goto(`${redirectUri}?frame=${encodeURIComponent(link)}`);
    await page.waitForLoadState("load");
    expect(await page.frames()[1]?.locator("form").count()).toBe(0);
    expect(complaints.join()).toMatch(/frame-ancestors|X-Frame-Options/);
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate(`void (globalThis.held = open(${JSON.stringify(link)}))`),
    ]);
    await opened.locator("#user_code").waitFor();
    expect(await page.evaluate("held.closed")).toBe(true); // it looks so to who has lost sight of it
  });
});

describe.each(["light", "dark"] as const)(
  "on a small screen in %s colours, pages of devices",
  (colorScheme) => {
    test("fit and have contrast", async () => {
      const { page } = await stage().profile({ colorScheme, viewport: { width: 320, height: 568 } });
      const expectGoodLook = async () => {
        const look = await measurePage(page);
        expect(look.width).toBeLessThanOrEqual(320);
        expect(look.isDark).toBe(colorScheme === "dark");
        expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
      };
      await page.goto(`http://localhost:${stage().service.port}/device`);
      await page.getByLabel("Code").fill("BBBB-BBBB");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("alert").waitFor();
      await expectGoodLook();
      await reachQuestion(page, await begin());
      await expectGoodLook();
      await page.getByRole("button", { name: "Allow" }).click();
      await heading(page, "Your device is signed in");
      const { width } = await page.evaluate<{ width: number }>(
        "({ width: document.documentElement.scrollWidth })",
      );
      expect(width).toBeLessThanOrEqual(320);
    });
  },
);
