// What others do while somebody has the console open, in Chromium: roles that go, sessions that end, forms that two have open. And what
// those see who may only read, on every page that they are led to.
import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addOrganization, addPerson } from "../sites/login/support/people.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createProject,
  createTrustedApplication,
  createWorld,
  membershipIdOf,
  uniqueName,
} from "../support/world.ts";
import { sized } from "../support/size.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";
import { longestTaskMs } from "./support/longest-task.ts";

const stage = useConsoleStage();

const denied = "You do not have the permission for this.";

async function openProject(): Promise<{ readonly id: string; readonly path: string }> {
  const { service, organizationId } = stage();
  const id = await createProject(service, organizationId, ["clerk"]);
  return { id, path: `/orgs/${organizationId}/projects/${id}` };
}

describe("a role that is lost while the console is open", () => {
  test("is told at the next change, and offers nothing any more after a reload", async () => {
    const { service } = stage();
    const { path } = await openProject();
    const person = await stage().addMember(["ORGANIZATION_OWNER"]);
    const window = await stage().open(path, { person });
    const name = uniqueName("Too late");
    await window.field("Name").fill(name);
    const membershipId = await membershipIdOf(service, person.id);
    await service.call(MembershipService.method.removeMembership, { membershipId });
    await window.button("Save").click();
    const alert = window.page.getByRole("alert");
    await alert.getByText(denied).waitFor();
    expect(await alert.textContent()).toContain("PERMISSION_DENIED");
    await alert.getByRole("button", { name: "Why?" }).click();
    await window.page.getByText("Not allowed.").waitFor();
    await window.heading("project.write");
    await window.dialog.button("Close").click();
    expect(await window.field("Name").inputValue()).toBe(name);
    window.page.on("dialog", (dialog) => void dialog.accept());
    await window.visit(path);
    await window.page.getByText(denied).waitFor();
    expect(await window.page.getByRole("button", { name: "Save" }).count()).toBe(0);
    expect(await window.page.getByRole("link", { name: "Users", exact: true }).count()).toBe(0);
    await window.visit("/");
    await window.page.getByText("Nothing to administer").waitFor();
  });
});

describe("a session that has ended", () => {
  test("leads to the page of signing in, and from there back to the place with what was typed", async () => {
    const { service, organizationId } = stage();
    const person = await stage().addMember(["ORGANIZATION_OWNER"]);
    const window = await stage().open(`/orgs/${organizationId}/projects/new?from=bookmark`, { person });
    const name = uniqueName("Typed before");
    await window.field("Name").fill(name);
    await service.call(SessionService.method.terminateUserSessions, { userId: person.id });
    service.clock.turn(3601 * 1000); // the token, too
    await window.button("Add project").click();
    await window.signIn(person);
    await window.page.getByText("What you had typed was restored.").waitFor();
    expect(window.place()).toBe(`/orgs/${organizationId}/projects/new?from=bookmark`);
    expect(await window.field("Name").inputValue()).toBe(name);
    await window.button("Add project").click();
    await window.heading(name);
  });
});

describe("two administrators with one form", () => {
  test("do not overwrite each other: the second one sees what changed, and may take it", async () => {
    const { path } = await openProject();
    const person = await stage().addMember(["ORGANIZATION_OWNER"]);
    const first = await stage().open(path);
    const second = await stage().open(path, { person });
    const [theirs, mine] = [uniqueName("First"), uniqueName("Second")];
    await second.field("Name").fill(mine);
    await first.field("Name").fill(theirs);
    await first.page.getByText("Only users with a role may sign in").click();
    await first.button("Save").click();
    await first.heading(theirs);
    await second.button("Save").click();
    await second.heading("Somebody else has changed this");
    const rows = await second.page.getByRole("dialog").locator("tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t").map((cell) => cell.trim()))).toEqual([
      ["Name", mine, theirs],
      ["Only users with a role may sign in", "No", "Yes"],
    ]);
    await second.dialog.button("Take the stored ones").click();
    await second.heading(theirs);
    expect(await second.field("Name").inputValue()).toBe(theirs);
    await second.field("Name").fill(mine);
    await second.button("Save").click();
    await second.heading(mine);
    await first.page.reload();
    await first.heading(mine);
    expect(await first.page.getByLabel("Only users with a role may sign in").isChecked()).toBe(true);
  });
});

describe("somebody who acts on what another one has changed meanwhile", () => {
  const changed = "Somebody else has changed it meanwhile.";

  test("sees both versions of an email, and may save their own", async () => {
    const { service, organizationId } = stage();
    const userId = await createHumanUser(service, organizationId);
    const call = createCaller(service, organizationId);
    const window = await stage().open(`/orgs/${organizationId}/users/${userId}`);
    const [theirs, mine] = ["theirs@example.com", "mine@example.com"];
    await window.button("Email: Change").click();
    await window.dialog.field("Email").fill(mine);
    const verification = { case: "isVerified", value: true } as const;
    await call(UserService.method.setEmail, { userId, email: theirs, verification });
    await window.dialog.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.page.getByRole("cell", { name: theirs }).waitFor();
    await window.page.getByRole("cell", { name: mine }).waitFor();
    await window.button("Save mine").click();
    await window.notice("The email was saved.");
    await window.page.getByText(`${mine} (not verified)`).waitFor();
    expect(await window.page.getByRole("dialog").count()).toBe(0);
    // What the form does not show needs no choice: the second try is about the user as they are then.
    await window.button("Phone: Set phone").click();
    await window.dialog.field("Phone").fill("+41791234567");
    await call(UserService.method.lockUser, { userId });
    await window.dialog.button("Save").click();
    await window.page.getByRole("alert").getByText(changed).waitFor();
    await window.dialog.button("Save").click();
    await window.notice("The phone was saved.");
    await window.page.getByText("+41791234567").waitFor();
  });

  test("succeeds at the second try to stop, start and remove it", async () => {
    const { service, organizationId } = stage();
    const call = createCaller(service, organizationId);
    const { id, path } = await openProject();
    const window = await stage().open(path);
    const rename = async (name: string): Promise<void> => {
      await call(ProjectService.method.updateProject, { id, name });
    };
    await window.button("Deactivate").click();
    const [first, second, third] = ["first", "second", "third"].map((each) => uniqueName(each));
    if (first === undefined || second === undefined || third === undefined) throw new Error("three names");
    await rename(first);
    await window.dialog.button("Deactivate").click();
    await window.page.getByRole("alert").getByText(changed).waitFor();
    await window.heading(`Deactivate ${first}?`);
    await window.dialog.button("Deactivate").click();
    await window.notice(`${first} was deactivated.`);
    await rename(second);
    await window.button("Reactivate").click();
    await window.notice(changed);
    await window.heading(second);
    await window.button("Reactivate").click();
    await window.notice(`${second} is active again.`);
    await window.button("Remove project").click();
    await window.dialog.button("Remove").waitFor();
    await rename(third);
    await window.dialog.button("Remove").click();
    await window.page.getByRole("alert").getByText(changed).waitFor();
    await window.heading(`Remove ${third}?`);
    await window.dialog.button("Remove").click();
    await window.heading("Projects");
    expect(window.place()).toBe(`/orgs/${organizationId}/projects`);
  });

  test("removes several at once, or none of them", async () => {
    const { service } = stage();
    const organizationId = await addOrganization(service, uniqueName("Batch"));
    const call = createCaller(service, organizationId);
    const kept = await createProject(service, organizationId, ["clerk", "manager"]);
    const other = await createProject(service, organizationId);
    const partners = [
      await addOrganization(service, uniqueName("Partner")),
      await addOrganization(service, uniqueName("Partner")),
    ];
    for (const grantedOrganizationId of partners) {
      await call(ProjectService.method.addProjectGrant, { projectId: kept, grantedOrganizationId });
      await createOidcApplication(service, organizationId, kept);
    }
    const projects = `/orgs/${organizationId}/projects`;
    const window = await stage().open(projects);
    const { page } = window;
    const removals: string[] = [];
    page.on("request", (request) => {
      const rpc = new URL(request.url()).pathname;
      if (/\/(Remove\w+|Write)$/.test(rpc)) removals.push(rpc);
    });
    const removeAll = async (): Promise<void> => {
      await page.getByLabel("Select all on this page").check();
      await window.button("Remove").click();
      await window.dialog.button("Remove").waitFor();
    };
    await removeAll();
    const name = uniqueName("Renamed");
    await call(ProjectService.method.updateProject, { id: other, name });
    await window.dialog.button("Remove").click();
    await page.getByText(/^Nothing was removed, because of Project/).waitFor();
    await window.dialog.button("Close").click();
    await page.getByRole("row", { name }).waitFor();
    expect(await page.locator("tbody tr").count()).toBe(2);
    for (const tab of ["roles", "grants", "applications"]) {
      await window.visit(`${projects}/${kept}/${tab}`);
      await page.locator("tbody tr").nth(1).waitFor();
      await removeAll();
      await window.dialog.button("Remove").click();
      await window.page.getByRole("dialog").waitFor({ state: "detached" });
      await page.locator(".empty").waitFor();
    }
    await window.visit(projects);
    await removeAll();
    await window.dialog.button("Remove").click();
    await page.locator(".empty").waitFor();
    expect(removals).toEqual(Array(10).fill("/gatehouse.v1.BatchService/Write"));
  });

  test("finds a list as it is now, after a removal from it was refused", async () => {
    const { service, organizationId } = stage();
    const { id } = await openProject();
    const window = await stage().open(`/orgs/${organizationId}/projects`);
    const [before, after] = [uniqueName("Before"), uniqueName("After")];
    const call = createCaller(service, organizationId);
    await call(ProjectService.method.updateProject, { id, name: before });
    await window.visit(`/orgs/${organizationId}/projects?search=${encodeURIComponent(before)}`);
    await window.page.getByLabel(`Select ${before}`).check();
    await window.button("Remove").click();
    await window.dialog.button("Remove").waitFor();
    await call(ProjectService.method.updateProject, { id, name: after });
    await window.dialog.button("Remove").click();
    await window.page.getByRole("alert").getByText(changed).waitFor();
    await window.dialog.button("Close").click();
    await window.page.getByText("Nothing fits these filters.").waitFor();
    expect(await window.page.getByRole("dialog").count()).toBe(0);
  });
});

describe("somebody who may only read", () => {
  test("finds on no page that links lead to a button that changes something", async () => {
    const { service } = stage();
    const world = await createWorld(service);
    await createTrustedApplication(service, world);
    const person = await addPerson(service, stage().organizationId);
    await service.call(MembershipService.method.addMembership, {
      userId: person.id,
      scope: { case: "organizationId", value: world.organizationId },
      roles: ["ORGANIZATION_VIEWER"],
    });
    const base = `/orgs/${world.organizationId}`;
    const window = await stage().open(base, { person });
    const found = await walkLinks(window, base);
    expect(found.size).toBeGreaterThan(12);
    // Buttons are seen at all, and after what was read.
    expect(found.get(`${base}/projects/${world.projectId}/history`)).toContain("Details");
    const pages = [...found.keys()].map((path) => path.replace(/\d{10,}/g, "*"));
    for (const page of [
      "users/*/sign-in",
      "users/*/tokens",
      "users/*/keys",
      "user-grants/*/*",
      "projects/*/roles",
      "projects/*/grants/*",
      "projects/*/applications/*",
      "idps/*",
      "memberships",
      "login-policy",
    ])
      expect(pages).toContain(`/orgs/*/${page}`);
    // Sessions are not for viewers.
    expect(pages.filter((page) => page.endsWith("/sessions"))).toEqual([]);
    const harmless =
      /^(?:\d+ days|Filter|Clear filters|Copy|Details|Older events|To the newest|Next page|Download as CSV|Download metadata|Show|Why\?)$/;
    const offered = [...found].flatMap(([path, buttons]) =>
      buttons.filter((name) => !harmless.test(name)).map((name) => `${path}: ${name}`),
    );
    expect(offered).toEqual([]);
  });
});

describe("somebody who owns a single project of another organization", () => {
  test("gets there without a deep link, and is offered to remove that project only", async () => {
    const { service, organizationId } = stage();
    const other = await addOrganization(service, uniqueName("Elsewhere"));
    const theirs = await createProject(service, other);
    const own = await createProject(service, other);
    const { id: readable } = await openProject();
    const person = await stage().addMember(["ORGANIZATION_VIEWER"]);
    await service.call(MembershipService.method.addMembership, {
      userId: person.id,
      scope: { case: "projectId", value: own },
      roles: ["PROJECT_OWNER"],
    });
    const window = await stage().open(`/orgs/${organizationId}/projects`, { person });
    const { page } = window;
    await page.locator(`a[href$="/projects/${readable}"]`).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.locator(".switcher").click();
    await window.dialog.button(`Organization ${other}`).click();
    await page.locator(`a[href$="/projects/${own}"]`).waitFor();
    expect(window.place()).toBe(`/orgs/${other}/projects`);
    expect(await page.locator(`a[href$="/projects/${theirs}"]`).count()).toBe(0);
    await page.getByLabel(/^Select Project/).check();
    expect(await window.button("Remove").count()).toBe(1);
    await page.locator(".switcher").click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Lamp Works/ })
      .click();
    await page.locator(`a[href$="/projects/${readable}"]`).waitFor();
    await window.visit("/");
    await page.getByRole("link", { name: `Organization ${other}` }).click();
    await page.locator(`a[href$="/projects/${own}"]`).waitFor();
    await window.visit(`/orgs/${organizationId}/users`);
    await window.heading("Users");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(other);
    await page.getByRole("option", { name: `Organization ${other}` }).click();
    await page.locator(`a[href$="/projects/${own}"]`).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

/** Follows every link of the pages below the path. Returns the buttons of each page, without the events, each of which opens by a click. */
async function walkLinks(
  { page, ...window }: ConsoleWindow,
  base: string,
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const waiting = [base];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    await window.goTo(path);
    found.set(path, await page.locator("main button:not(.event-frame *)").allInnerTexts());
    const paths = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="/console${base}"]')].map(({ pathname }) => pathname)`,
    );
    waiting.push(...paths.map((each) => each.slice("/console".length)));
  }
  return found;
}

describe("a long list of users", () => {
  test("is scrolled through without a task of the page over 50 ms", async () => {
    const { service } = stage();
    const organizationId = await addOrganization(service, "Many");
    const call = createCaller(service, organizationId);
    const add = async (index: number): Promise<unknown> =>
      await call(UserService.method.addHumanUser, {
        username: `many-${index}`,
        givenName: "Mary",
        familyName: `Jackson ${index}`,
        email: `many-${index}@example.com`,
      });
    const total = sized({ small: 200, full: 1000 });
    for (let from = 0; from < total; from += 50)
      await Promise.all(Array.from({ length: 50 }, (_none, index) => add(from + index)));
    const window = await stage().open(`/orgs/${organizationId}/users`);
    const { page } = window;
    await page.getByText(/in total$/).waitFor();
    const rows = page.locator("tbody tr");
    let seen = 0;
    const longestMs = await longestTaskMs(page, async () => {
      for (let more = true; more; ) {
        await scrollToEnd(page);
        seen += await rows.count();
        more = (await window.button("Next page").count()) > 0;
        if (!more) break;
        await window.button("Next page").click();
        await page.getByText(`Jackson ${seen}`, { exact: false }).first().waitFor();
      }
    });
    expect(seen).toBe(total);
    expect(longestMs).toBeLessThan(50);
  });
});

/** Turns the wheel until the page is at its end. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.mouse.move(640, 400);
  const isAtEnd = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1";
  while (!(await page.evaluate<boolean>(isAtEnd))) await page.mouse.wheel(0, 400);
}
