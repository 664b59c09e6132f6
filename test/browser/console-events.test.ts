// Events in Chromium: the list that lives, one watch for a browser, the history of an object, and what needs attention.
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { eventually } from "../kernel/http/support/sockets.ts";
import { sized } from "../support/size.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
} from "../support/world.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";
import { longestTaskMs } from "./support/longest-task.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const inside = () => createCaller(stage().service, stage().organizationId);
const eventsOf = (id: string): string => `/orgs/${stage().organizationId}/events?kind=project&id=${id}`;
const shown = (page: Page, count: string) => page.getByText(`${count} shown`, { exact: true });
const live = (page: Page) => page.getByText("Live", { exact: true });
const rename = async (id: string, name: string): Promise<void> => {
  await inside()(ProjectService.method.updateProject, { id, name });
};

/** Returns the requests for a watch that are open in the pages now. */
function countWatches(...pages: readonly Page[]): () => number {
  const open = new Set<unknown>();
  for (const page of pages) {
    page.on("request", (request) => {
      if (request.url().endsWith("/WatchEvents")) open.add(request);
    });
    page.on("requestfailed", (request) => open.delete(request));
    page.on("requestfinished", (request) => open.delete(request));
  }
  return () => open.size;
}

/** Lets the page believe that it is behind others, or in front again. */
async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

/** Fails if rows end before the frame does, or begin behind its beginning. */
async function expectFilled(page: Page): Promise<void> {
  const gaps = await page.evaluate<readonly number[]>(`(() => {
    const box = document.querySelector(".event-frame").getBoundingClientRect();
    const rows = [...document.querySelectorAll(".event-rows li")].map((row) => row.getBoundingClientRect());
    return [rows[0].top - box.top, box.bottom - rows.at(-1).bottom];
  })()`);
  for (const gap of gaps) expect(gap).toBeLessThan(2);
}

describe("the list of events", () => {
  test("shows what happened, newest first, and says everything about an event", async () => {
    const id = await createProject(stage().service, stage().organizationId, ["clerk"]);
    await rename(id, "Night Trains");
    await window.visit(eventsOf(id));
    await shown(window.page, "3").waitFor();
    expect(await window.page.locator(".event-what").allTextContents()).toEqual([
      "Project changed",
      "Role added",
      "Project added",
    ]);
    await window.page.getByText("These are all events.").waitFor();
    await window.expectAccessible();
    const [download] = await Promise.all([
      window.page.waitForEvent("download"),
      window.button("Download as CSV").click(),
    ]);
    expect(download.suggestedFilename()).toBe("Events.csv");
    const lines = (await text(await download.createReadStream())).trim().split("\r\n");
    expect(lines.map((line) => line.split(",")[1])).toEqual([
      "What happened",
      "Project changed",
      "Role added",
      "Project added",
    ]);
    expect(lines[1]).toContain(`Project,${id},${stage().organizationId},`);
    expect(lines[1]).toContain('""name"":""Night Trains""');
    await window.button("Project changed").click();
    await window.heading("Project changed");
    await window.page.getByText('"Night Trains"').waitFor();
    await window.page.getByText("Administrator (admin)").last().waitFor();
    await window.expectAccessible();
    await window.page.keyboard.press("Escape");
    await window.page.getByRole("heading", { name: "Project changed" }).waitFor({ state: "detached" });
  });

  test("is filtered by what the address says, and by who did it", async () => {
    const id = await createProject(stage().service, stage().organizationId, ["clerk"]);
    await window.visit(`${eventsOf(id)}&type=project.role.added`);
    await shown(window.page, "1").waitFor();
    const editor = window.page.getByLabel("By (username, ID, or system)");
    await editor.fill(stage().owner.username);
    await window.button("Filter").click();
    await window.page.getByText("No event fits these filters.").waitFor();
    await window.visit(`/events?type=session.added&editor=${stage().owner.username}`);
    await window.button("Signed in").waitFor();
    await editor.fill("nobody-at-all");
    await window.button("Filter").click();
    await window.page.getByText("There is no user nobody-at-all").waitFor();
    await window.visit(`${eventsOf(id)}&until=2020-01-01`);
    await window.page.getByText("No event fits these filters.").waitFor();
    expect(await live(window.page).count()).toBe(0);
  });

  test("goes on in every tab with one watch, whichever tab is closed or hidden", async () => {
    const id = await createProject(stage().service, stage().organizationId);
    const { page: first } = window;
    const second = await first.context().newPage();
    const openWatches = countWatches(first, second);
    await window.visit(eventsOf(id));
    await live(first).waitFor();
    await second.goto(first.url());
    await live(second).waitFor();
    await rename(id, "One");
    await Promise.all([first, second].map((page) => shown(page, "2").waitFor()));
    expect(openWatches()).toBe(1);
    await setVisibility(first, "hidden");
    await rename(id, "Two");
    await shown(second, "3").waitFor();
    expect(await shown(first, "2").count()).toBe(1);
    expect(openWatches()).toBe(1);
    const ended = second.waitForEvent("requestfailed");
    await setVisibility(second, "hidden");
    await ended;
    expect(openWatches()).toBe(0);
    await rename(id, "Three");
    await setVisibility(first, "visible");
    await shown(first, "4").waitFor();
    await second.close();
    await rename(id, "Four");
    await shown(first, "5").waitFor();
    expect(await first.locator(".event-what").allTextContents()).toEqual([
      ...Array.from({ length: 4 }, () => "Project changed"),
      "Project added",
    ]);
  });

  test("takes thousands of events without holding the page up, and draws only those that can be seen", async () => {
    const id = await createProject(stage().service, stage().organizationId);
    await window.visit(eventsOf(id));
    await live(window.page).waitFor();
    const parts = sized({ small: 1, full: 5 });
    const longestMs = await longestTaskMs(window.page, async () => {
      for (let part = 0; part < parts; part += 1) {
        const roles = Array.from({ length: 1000 }, (_, index) => ({ roleKey: `role-${part}-${index}` }));
        await inside()(ProjectService.method.bulkAddProjectRoles, { projectId: id, roles });
      }
      await shown(window.page, `${parts},001`).waitFor();
    });
    expect(longestMs).toBeLessThan(50);
    const drawn = window.page.locator(".event-rows li");
    expect(await drawn.count()).toBeLessThan(60);
    await expectFilled(window.page);
    await window.page.evaluate("document.querySelector('.event-frame').scrollTo(0, 32_000)");
    await window.page.locator("[aria-posinset='501']").waitFor();
    await expectFilled(window.page);
  });

  test("keeps what is looked at in its place when something happens above", async () => {
    const roles = Array.from({ length: 40 }, (_, index) => `role-${index}`);
    const id = await createProject(stage().service, stage().organizationId, roles);
    await window.visit(eventsOf(id));
    await shown(window.page, "41").waitFor();
    await live(window.page).waitFor();
    const scrollTop = "document.querySelector('.event-frame').scrollTop";
    await window.page.evaluate(`${scrollTop} = 640`);
    await window.page.locator("[aria-posinset='12']").waitFor();
    await rename(id, "Later");
    await shown(window.page, "42").waitFor();
    await window.until(`${scrollTop} === 704`);
    expect(await window.page.evaluate(scrollTop)).toBe(704);
  });
});

describe("the history of an object", () => {
  test("is a tab of projects and users", async () => {
    const id = await createProject(stage().service, stage().organizationId, ["clerk"]);
    await window.visit(`/orgs/${stage().organizationId}/projects/${id}`);
    await window.page.getByRole("link", { name: "History", exact: true }).click();
    await window.page.getByText("Role added").waitFor();
    await window.page.getByText("These are all events.").waitFor();
    await window.expectAccessible();
    await window.visit(`/orgs/${stage().organizationId}/users/${stage().owner.id}/history`);
    await window.page.getByText("Password set").waitFor();
    await window.expectAccessible();
    expect(await window.page.getByRole("link", { name: "History", exact: true }).count()).toBe(1);
  });

  test("is part of the page of every other object that has one, and a link of every membership", async () => {
    const { service } = stage();
    const world = await createWorld(service);
    const base = `/orgs/${world.organizationId}`;
    const call = createCaller(service, world.organizationId);
    await call(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true });
    for (const [path, ...events] of [
      [base, "Organization added"],
      [`${base}/projects/${world.projectId}/applications/${world.appId}`, "SAML application added"],
      [`${base}/idps/${world.idpId}`, "Identity provider added"],
      [`${base}/projects/${world.projectId}/grants/${world.projectGrantId}`, "Project granted"],
      [`${base}/user-grants/${world.userId}/${world.userGrantId}`, "Roles granted to a user"],
      [`${base}/login-policy`, "Login policy added"],
    ] as const) {
      await window.goTo(path);
      const history = window.page.getByRole("region", { name: "History" });
      await history.getByText("These are all events.").waitFor();
      expect(await history.locator("strong").allTextContents()).toEqual(events);
    }
    await window.visit(`${base}/memberships`);
    await window.page
      .getByRole("link", { name: /^History\s*: / })
      .first()
      .click();
    await window.button("Membership added").waitFor();
    expect(await window.page.locator(".event-what").count()).toBe(1);
    await window.visit("/login-policy");
    await window.page.getByRole("link", { name: /^What happened to the login policies/ }).click();
    await window.button("Login policy added").waitFor();
    // What it has begun would need attention.
    await service.call(OrganizationService.method.removeOrganization, { id: world.organizationId });
  });

  test("is not offered to those who may not read events", async () => {
    const person = await stage().addMember(["ORGANIZATION_USER_MANAGER"]);
    const { page } = await stage().open(`/orgs/${stage().organizationId}/users/${person.id}`, { person });
    await page.getByRole("heading", { name: "Ada Lovelace", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "History", exact: true }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Events", exact: true }).count()).toBe(0);
  });
});

describe("the overview of an organization", () => {
  test("says what to do first, and has the activity as a chart and as a table", async () => {
    const { organizationId, service } = stage();
    // Yesterday, because the service itself counts today.
    const hour = Math.floor(service.clock.nowMs() / 3_600_000) - 24;
    await service.context.database.write(async (tx) => {
      for (const [kind, subject] of [
        ["sign_in", ""],
        ["proved", "PASSKEY"],
        ["application", "4711"],
      ] as const)
        await tx.run(
          "INSERT INTO activity_hours (resource_owner, hour, kind, subject, count) VALUES (?, ?, ?, ?, 321)",
          [organizationId, kind === "application" ? hour - (hour % 24) : hour, kind, subject],
        );
    });
    await window.visit(`/orgs/${organizationId}/overview`);
    await window.page.getByRole("link", { name: "Add a person" }).waitFor();
    await window.page.getByRole("img", { name: /^32\d sign-ins/ }).waitFor();
    await window.page.getByRole("row", { name: "Passkey 321 0" }).waitFor();
    await window.page.getByRole("row", { name: "4711 321" }).waitFor();
    await window.page.getByText("Show as a table").click();
    await window.page.getByRole("cell", { name: "321" }).first().waitFor();
    await window.expectAccessible();
    await window.button("7 days").click();
    // Until the chart of 7 days comes, the one of 30 days stays, which says the same about sign-ins.
    await window.page.locator(".chart:has(g:nth-of-type(7)):not(:has(g:nth-of-type(8)))").waitFor();
    await window.page.getByRole("img", { name: /^32\d sign-ins/ }).waitFor();
    const viewer = await stage().addMember(["ORGANIZATION_PROJECT_MANAGER"]);
    const other = await stage().open("/", { person: viewer });
    await other.settled();
    expect(await other.page.getByRole("heading", { name: "Activity" }).count()).toBe(0);
  });
});

describe("what needs attention", () => {
  test("is on the overview, leads to the object, and goes when it was dealt with", async () => {
    const { service, organizationId } = stage();
    const { id: userId } = await createServiceUser(service, organizationId);
    await inside()(UserService.method.updateServiceUser, {
      userId,
      username: "night-train",
      name: "Night train",
    });
    const inTenDays = timestampFromMs(service.clock.nowMs() + 10 * 86_400_000);
    const token = await inside()(UserService.method.addPersonalAccessToken, {
      userId,
      expirationDate: inTenDays,
    });
    const inYears = timestampFromMs(service.clock.nowMs() + 1000 * 86_400_000);
    await inside()(UserService.method.addPersonalAccessToken, { userId, expirationDate: inYears });
    // A CI that makes a token for each of its runs hides none that stays.
    for (let run = 0; run < 12; run += 1) {
      const short = await inside()(UserService.method.addPersonalAccessToken, {
        userId,
        expirationDate: inTenDays,
      });
      await inside()(UserService.method.removePersonalAccessToken, {
        userId,
        tokenId: idOf(short, "tokenId"),
      });
    }
    const locked = await createHumanUser(service, organizationId);
    await inside()(UserService.method.lockUser, { userId: locked });
    await window.visit("/");
    const panel = window.page.getByRole("region", { name: "What needs attention" });
    const items = panel.getByRole("listitem");
    await items
      .filter({ hasText: "Night train" })
      .filter({ hasText: "Personal access token: expires on" })
      .waitFor();
    expect(await items.filter({ hasText: "Night train" }).count()).toBe(1);
    await items.filter({ hasText: "Locked: since" }).waitFor();
    await window.expectAccessible();
    await inside()(UserService.method.removePersonalAccessToken, { userId, tokenId: idOf(token, "tokenId") });
    await inside()(UserService.method.unlockUser, { userId: locked });
    await window.visit("/");
    await panel.getByText("Nothing right now.").waitFor();
  });

  test("is also what could not be delivered, until the user or the application is gone", async () => {
    const { service, organizationId } = stage();
    const userId = await createHumanUser(service, organizationId);
    const projectId = await createProject(service, organizationId);
    const appId = await createOidcApplication(service, organizationId, projectId);
    const named = { userId, givenName: "Grace", familyName: "Hopper", email: "grace@example.com" };
    await inside()(UserService.method.updateHumanUser, { ...named, username: "grace" });
    const outbox = join(service.dataFolder, "mail.jsonl");
    mkdirSync(outbox); // so that no mail can be written there
    await inside()(UserService.method.setEmail, { userId, email: "grace@example.com" });
    await eventually(() => service.log().includes("mail.not_delivered"));
    rmdirSync(outbox);
    const origin = { editor: "system", remoteAddress: undefined, requestId: "logout-tokens" } as const;
    const type = "application.logout_token.dropped";
    const payload = { session_id: "1", cause: "unreachable" };
    const { database, log } = service.context;
    await database.write((tx) =>
      log.append(tx, origin, [{ type, aggregateId: appId, resourceOwner: organizationId, payload }]),
    );
    await window.visit("/");
    const panel = window.page.getByRole("region", { name: "What needs attention" });
    const ofUser = panel.getByRole("listitem").filter({ hasText: "Email could not be delivered: last on" });
    const told = "Application could not be notified of a logout: last on";
    const ofApplication = panel.getByRole("listitem").filter({ hasText: told });
    await ofApplication.waitFor();
    await window.expectAccessible();
    await ofUser.getByRole("link", { name: "Grace Hopper" }).click();
    await window.heading("Grace Hopper");
    expect(window.place()).toBe(`/orgs/${organizationId}/users/${userId}`);
    await window.visit(`/orgs/${organizationId}/users/${userId}/history`);
    await window.page.getByText("Email could not be delivered").waitFor();
    await window.visit("/");
    await ofApplication.getByRole("link").click();
    await window.page.waitForURL((url) =>
      url.pathname.endsWith(`/projects/${projectId}/applications/${appId}`),
    );
    await inside()(UserService.method.removeUser, { userId });
    await inside()(ApplicationService.method.removeApplication, { projectId, appId });
    await window.visit("/");
    await panel.getByText("Nothing right now.").waitFor();
  });

  test("is not shown to those who may not read events", async () => {
    const person = await stage().addMember(["ORGANIZATION_USER_MANAGER"]);
    const { page } = await stage().open("/", { person });
    await page.getByRole("link", { name: "Lamp Works" }).first().waitFor();
    expect(await page.getByRole("region", { name: "What needs attention" }).count()).toBe(0);
  });
});
