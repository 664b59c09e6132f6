// Signing in to the console in Chromium: deep links, reloads, tokens that end, answers that do not belong, signing out.
import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();

/** What the tab keeps, and what the origin keeps: no token may be among it. */
const storedOf = (page: Page) =>
  page.evaluate<string>("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])");

describe("signing in to the console", () => {
  test("leads back to the place that was asked for, with nothing in the browser's console", async () => {
    const window = await stage().open("/orgs?name=Nobody");
    await window.heading("Organizations");
    expect(window.place()).toBe("/orgs?name=Nobody");
    expect(await window.page.title()).toBe("Organizations – Gatehouse");
    expect(window.complaints).toEqual([]);
  });

  test("is not asked for again after a reload, and no token is kept", async () => {
    const window = await stage().open("/orgs/new");
    await window.field("Name").fill("Half a name");
    await window.page.reload();
    await window.page.getByText("What you had typed was restored.").waitFor();
    expect(await window.field("Name").inputValue()).toBe("Half a name");
    expect(window.place()).toBe("/orgs/new");
    expect(await storedOf(window.page)).not.toMatch(/token|eyJ/);
    expect(window.complaints).toEqual([]);
  });

  test("gives nothing of one person to the next in the same tab", async () => {
    const window = await stage().open("/orgs/new");
    await window.field("Name").fill("Half a name");
    const change = `sessionStorage.setItem("gatehouse.draft.x", "{}"); sessionStorage.setItem("gatehouse.person", "9")`;
    await window.page.evaluate(change);
    await window.page.reload();
    await window.heading("Hello, Ada Lovelace");
    expect(window.place()).toBe("/");
    expect(await storedOf(window.page)).not.toContain("gatehouse.draft.");
  });

  test("happens by itself when the token has ended, and the form waits as it was", async () => {
    const window = await stage().open("/orgs/new");
    const name = `Late ${Math.random()}`;
    await window.field("Name").fill(name);
    stage().service.clock.turn(3601 * 1000);
    await window.button("Add organization").click();
    await window.page.getByText("What you had typed was restored.").waitFor();
    await window.button("Add organization").click();
    await window.heading(name);
    expect(window.complaints.filter((text) => !text.includes("401"))).toEqual([]);
  });

  test("ends with a page, not with another login, when the answer belongs to none of this tab", async () => {
    const window = await stage().profile();
    await window.visit("/callback?code=stolen&state=somebodys&iss=http%3A%2F%2Flocalhost");
    await window.heading("Signing in did not work");
    await window.button("Sign in again").click();
    await window.signIn(stage().owner);
    await window.heading("Hello, Ada Lovelace");
    expect(window.place()).toBe("/");
  });

  test("does not go in circles when calls are refused all the same", async () => {
    const window = await stage().profile();
    let logins = 0;
    window.page.on("request", (request) => {
      if (request.isNavigationRequest() && request.url().includes("/oauth/v2/authorize")) logins += 1;
    });
    await window.page.route("**/gatehouse.v1.UserService/GetMyUser", (route) =>
      route.fulfill({
        status: 200,
        headers: { "content-type": "application/grpc-web+proto", "grpc-status": "16", "grpc-message": "no" },
      }),
    );
    await window.page.route("**/gatehouse.v1.MembershipService/GetMyPermissions", (route) => route.abort());
    await window.visit("/");
    await window.signIn(stage().owner);
    await window.heading("Signing in did not work");
    expect(logins).toBeLessThanOrEqual(5);
  });
});

describe("signing out", () => {
  test("ends the session, forgets drafts, and asks for a password the next time", async () => {
    const window = await stage().open("/orgs/new");
    await window.field("Name").fill("To be forgotten");
    await window.page.getByText("AL", { exact: true }).click();
    await window.button("Sign out").click();
    await window.heading("You are signed out");
    expect(await storedOf(window.page)).not.toContain("forgotten");
    await window.button("Sign in").click();
    await window.signIn(stage().owner);
    await window.heading("Hello, Ada Lovelace");
    expect(window.place()).toBe("/");
  });
});
