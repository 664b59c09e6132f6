// Signing in to the console in Chromium: deep links, reloads, tokens that end, answers that do not belong, signing out.
import { describe, expect, test } from "@jest/globals";
import type { Page, Route } from "playwright-core";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { createCaller, idOf } from "../support/world.ts";
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
  });

  test("is not asked for again after a reload, and no token is kept", async () => {
    const window = await stage().open("/orgs/new");
    await window.field("Name").fill("Half a name");
    await window.page.reload();
    await window.page.getByText("What you had typed was restored.").waitFor();
    expect(await window.field("Name").inputValue()).toBe("Half a name");
    expect(window.place()).toBe("/orgs/new");
    expect(await storedOf(window.page)).not.toMatch(/token|eyJ/);
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
    window.complaints.length = 0;
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

/** A page of each kind: where everybody begins, a list, an object, and the one with the most code. */
async function listPlaces(): Promise<readonly Place[]> {
  const { organizationId, owner, service } = stage();
  const call = createCaller(service, organizationId);
  const projectId = idOf(await call(ProjectService.method.addProject, { name: "Shop" }), "id");
  const till = { projectId, name: "Till", redirectUris: ["https://till.example.com/"] };
  const appId = idOf(await call(ApplicationService.method.createOidcApplication, till), "appId");
  const within = `/orgs/${organizationId}`;
  return [
    { path: "/", title: "Hello, Ada Lovelace", code: "overview-page-", calls: [] },
    { path: `${within}/users`, title: "Users", code: "users-page-", calls: ["ListUsers"] },
    { path: `${within}/users/${owner.id}`, title: "Ada Lovelace", code: "user-page-", calls: ["GetUser"] },
    {
      path: `${within}/users/${owner.id}/user-grants`,
      title: "Ada Lovelace",
      code: "user-roles-page-",
      calls: ["GetUser"],
    },
    {
      path: `${within}/users/${owner.id}/memberships`,
      title: "Ada Lovelace",
      code: "user-memberships-page-",
      calls: ["GetUser"],
    },
    {
      path: `${within}/memberships`,
      title: "Memberships",
      code: "membership-pages-",
      calls: ["ListMemberships"],
    },
    {
      path: `${within}/projects/${projectId}/applications/${appId}`,
      title: "Till",
      code: "application-page-",
      calls: ["GetApplication"],
    },
  ];
}

interface Place {
  readonly path: string;
  readonly title: string;
  readonly code: string;
  /** What it asks for with its token. */
  readonly calls: readonly string[];
}

describe("the first load of a page, by somebody who is signed in", () => {
  test("is three requests in a row and 95 kB", async () => {
    const { cookies } = await (await stage().open("/")).page.context().storageState();
    for (const { path, title, code, calls } of await listPlaces()) {
      const { page } = await stage().profile({ storageState: { cookies, origins: [] } });
      const sizes = await page.context().newCDPSession(page);
      let bytes = 0;
      await sizes.send("Network.enable");
      sizes.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
      const held = new Map<string, Route>();
      let awaited = () => {};
      await page.route("**/*", (route, request) => {
        held.set(new URL(request.url()).pathname, route);
        awaited();
      });
      /** Lets go on what was asked for once all of these were, so that none of them has waited for another. */
      const passAll = async (names: readonly string[]) => {
        await new Promise<void>((resolve) => {
          const isHeld = (name: string) => held.keys().some((asked) => asked.includes(name));
          awaited = () => names.every(isHeld) && resolve();
          awaited();
        });
        const passed = [...held.values()];
        held.clear();
        await Promise.all(passed.map((route) => route.continue()));
      };
      const going = page.goto(`http://localhost:${stage().service.port}/console${path}`, {
        waitUntil: "commit",
      });
      await passAll([path]);
      const { link = "" } = (await (await going)?.allHeaders()) ?? {};
      const named = [...link.matchAll(/<([^>]*)>/g)].map(([, file = ""]) => file);
      await passAll([...named, code, "/assets/index-", "/assets/style-"]);
      await passAll(["ListOrganizations", ...calls]);
      const ofFirstPaint = bytes;
      await page.getByRole("heading", { name: title, exact: true }).first().waitFor();
      expect([path, Math.max(ofFirstPaint, 95_000)]).toEqual([path, 95_000]);
    }
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
