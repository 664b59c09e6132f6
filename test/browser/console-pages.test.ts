// The pages of the console in Chromium: organizations, projects, roles and users, from the first to the last click.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { text } from "node:stream/consumers";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { addOrganization } from "../sites/login/support/people.ts";
import { createCaller, createHumanUser, createProject, uniqueName } from "../support/world.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const row = (name: string) => window.page.getByRole("row", { name });
const link = (name: string) => window.page.getByRole("link", { name, exact: true });

describe("an organization", () => {
  test("is added, renamed, stopped, started and removed", async () => {
    const name = uniqueName("Northern Rail");
    await window.visit("/orgs");
    await window.button("Add organization").click();
    await window.button("Add organization").click();
    await window.page.getByText("This is required.").waitFor();
    await window.until("/\\.name$/.test(document.activeElement.id)");
    await window.field("Name").fill(name);
    await window.button("Add organization").click();
    await window.heading(name);
    await window.field("Name").fill(`${name} and Sons`);
    await window.button("Save").click();
    await window.notice("The organization was saved.");
    await window.heading(`${name} and Sons`);
    await window.button(`Organization: ${name} and Sons. Switch`).waitFor();
    await window.button("Deactivate").click();
    await window.dialog.button("Deactivate").click();
    await window.page.getByText("This organization is inactive").waitFor();
    await window.button("Reactivate").click();
    await window.notice("is active again");
    await window.button("Remove organization").click();
    const remove = window.dialog.button("Remove");
    await remove.waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await window.dialog.field(`Type ${name} and Sons to confirm`).fill(`${name} and Sons`);
    await remove.click();
    await window.heading("Organizations");
    expect(await row(name).count()).toBe(0);
  });

  test("is added once, although no answer came to the first try", async () => {
    const name = uniqueName("Lost answer");
    const lost = await stage().open("/orgs/new");
    await lost.page.route(
      "**/gatehouse.v1.OrganizationService/AddOrganization",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await lost.field("Name").fill(name);
    await lost.button("Add organization").click();
    await lost.page.getByText("The service cannot be reached.").waitFor();
    await lost.button("Add organization").click();
    await lost.heading(name);
    expect(lost.complaints.filter((each) => !each.includes("net::ERR_FAILED"))).toEqual([]);
  });

  test("whose name is taken says so, with the reason and the request", async () => {
    const name = uniqueName("Twice");
    const add = async (): Promise<void> => {
      await window.visit("/orgs/new");
      await window.field("Name").fill(name);
      await window.button("Add organization").click();
    };
    await add();
    await window.heading(name);
    await add();
    await window.page.getByText("ALREADY_EXISTS").waitFor();
    expect(await window.page.getByRole("alert").textContent()).toMatch(
      /already exists.*Request [0-9a-f]{32}/,
    );
  });
});

describe("a project and its roles", () => {
  test("are added, changed and removed, and the removal says what goes with it", async () => {
    const name = uniqueName("Time Sheets");
    await window.visit(`/orgs/${stage().organizationId}/projects`);
    await window.button("Add project").click();
    await window.field("Name").fill(name);
    await window.page.getByText("Only users with a role may sign in").click();
    await window.button("Add project").click();
    await window.heading(name);
    await link("Roles").click();
    for (const key of ["clerk", "manager"]) {
      await window.button("Add role").click();
      await window.dialog.field("Key").fill(key);
      await window.page.keyboard.press("Enter");
      await row(key).waitFor();
    }
    await window.button("Edit clerk").click();
    await window.dialog.field("Display name optional").fill("Clerk of the shop");
    await window.dialog.button("Save").click();
    await row("Clerk of the shop").waitFor();
    await window.page.getByLabel("Select clerk").check();
    await window.button("Remove").click();
    await window.page.getByText("Nothing else is removed.").waitFor();
    await window.dialog.button("Remove").click();
    await window.notice("clerk was removed");
    await row("clerk").waitFor({ state: "detached" });
    await link("Settings").last().click();
    await window.button("Remove project").click();
    await window.page.getByText("1 role", { exact: true }).waitFor();
    await window.dialog.button("Remove").click();
    await window.heading("Projects");
    expect(await row(name).count()).toBe(0);
  });

  test("shows both versions when somebody else has changed it meanwhile, and saves the one that is chosen", async () => {
    const { service, organizationId } = stage();
    const id = await createProject(service, organizationId);
    await window.visit(`/orgs/${organizationId}/projects/${id}`);
    await window.field("Name").fill(uniqueName("Mine"));
    const mine = await window.field("Name").inputValue();
    const theirs = uniqueName("Theirs");
    await createCaller(service, organizationId)(ProjectService.method.updateProject, { id, name: theirs });
    await window.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.page.getByRole("cell", { name: theirs }).waitFor();
    await window.page.getByRole("cell", { name: mine }).waitFor();
    await window.dialog.button("Save mine").click();
    await window.heading(mine);
    expect(await window.field("Name").inputValue()).toBe(mine);
  });

  test("is restored as it was typed after a save, too", async () => {
    const { service, organizationId } = stage();
    const id = await createProject(service, organizationId);
    await window.visit(`/orgs/${organizationId}/projects/${id}`);
    const saved = uniqueName("Saved");
    await window.field("Name").fill(saved);
    await window.button("Save").click();
    await window.heading(saved);
    const typed = uniqueName("Typed later");
    await window.field("Name").fill(typed);
    window.page.once("dialog", (dialog) => void dialog.accept());
    await window.page.reload();
    await window.page.getByText("What you had typed was restored.").waitFor();
    expect(await window.field("Name").inputValue()).toBe(typed);
    await window.button("Discard changes").click();
    expect(await window.field("Name").inputValue()).toBe(saved);
  });

  test("shows both versions when somebody else has changed it before what was typed is restored", async () => {
    const { service, organizationId } = stage();
    const id = await createProject(service, organizationId);
    await window.visit(`/orgs/${organizationId}/projects/${id}`);
    const mine = uniqueName("Mine");
    await window.field("Name").fill(mine);
    const theirs = uniqueName("Theirs");
    await createCaller(service, organizationId)(ProjectService.method.updateProject, { id, name: theirs });
    await window.page.reload();
    await window.page.getByText("What you had typed was restored.").waitFor();
    await window.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.page.getByRole("cell", { name: theirs }).waitFor();
    await window.dialog.button("Take the stored ones").click();
    await window.heading(theirs);
    expect(await window.field("Name").inputValue()).toBe(theirs);
  });
});

describe("a user", () => {
  test("is added, locked, unlocked, changed and removed", async () => {
    const username = uniqueName("grace").toLowerCase().replaceAll(" ", "-");
    await window.visit(`/orgs/${stage().organizationId}/users`);
    await window.button("Add person").click();
    await window.field("Username").fill(username);
    await window.field("Given name").fill("Grace");
    await window.field("Family name").fill("Hopper");
    await window.field("Email").fill("not an address");
    await window.button("Add person").click();
    await window.page.getByText("This does not have the right form.").waitFor();
    await window.field("Email").fill("grace@example.com");
    await window.field("Application optional").fill("nothing of that name");
    await window.button("Add person").click();
    await window.page.getByText("There is no such application.").waitFor();
    await window.field("Application optional").fill("");
    await window.button("Add person").click();
    await window.heading("Grace Hopper");
    await window.page.getByText(/^Invited, until /).waitFor();
    stage().service.clock.turn(60_000);
    await window.button("Send again").click();
    await window.notice("The invitation is on its way.");
    await window.button("Lock").click();
    await window.dialog.button("Lock").click();
    await window.page.getByText("Locked", { exact: true }).waitFor();
    await window.button("Unlock").click();
    await window.page.getByText("Active", { exact: true }).waitFor();
    await window.button("Email: Change").click();
    await window.dialog.field("Email").fill("hopper@example.com");
    await window.page.getByText("It belongs to the user: verified at once").click();
    await window.dialog.button("Save").click();
    await window.page.getByText("hopper@example.com (verified)").waitFor();
    await window.visit(`/orgs/${stage().organizationId}/users?username=${username}`);
    await link("Grace Hopper").click();
    await window.button("Remove user").click();
    await window.dialog.button("Remove").click();
    await window.notice("Grace Hopper was removed.");
    await window.heading("Users");
    expect(window.place()).toBe(`/orgs/${stage().organizationId}/users`);
  });

  test("offers to verify an email and a phone at once, but not to the person", async () => {
    const { service, organizationId, owner } = stage();
    const other = await createHumanUser(service, organizationId);
    const vouch = window.page.getByLabel("It belongs to the user: verified at once");
    for (const [id, offered] of [
      [other, 1],
      [owner.id, 0],
    ] as const) {
      await window.visit(`/orgs/${organizationId}/users/${id}`);
      for (const [button, field] of [
        ["Email: Change", "Email"],
        ["Phone: Set phone", "Phone"],
      ] as const) {
        await window.button(button).click();
        await window.dialog.field(field).waitFor();
        expect(await vouch.count()).toBe(offered);
        await window.dialog.button("Cancel").click();
      }
    }
  });

  test("of a service has a profile of its own", async () => {
    const username = uniqueName("robot").toLowerCase().replaceAll(" ", "-");
    await window.visit(`/orgs/${stage().organizationId}/users/new-service`);
    await window.field("Username").fill(username);
    await window.field("Name").fill("Night shift");
    await window.button("Add service user").click();
    await window.heading("Night shift");
    expect(await window.page.getByText("Phone").count()).toBe(0);
  });
});

describe("a list", () => {
  test("is turned page by page, and downloaded as a whole", async () => {
    const { service, organizationId } = stage();
    const call = createCaller(service, organizationId);
    const id = await createProject(service, organizationId);
    const roles = Array.from({ length: 51 }, (_none, index) => ({
      roleKey: `role-${String(index).padStart(2, "0")}`,
      displayName: index === 0 ? "=1+1" : "",
    }));
    await call(ProjectService.method.bulkAddProjectRoles, { projectId: id, roles });
    await window.visit(`/orgs/${organizationId}/projects/${id}/roles`);
    await window.page.getByText("51 in total").waitFor();
    expect(await window.page.getByRole("row").count()).toBe(51); // with that of the titles
    await window.button("Next page").click();
    await row("role-50").waitFor();
    expect(await window.page.getByRole("row").count()).toBe(2);
    const [download] = await Promise.all([
      window.page.waitForEvent("download"),
      window.button("Download as CSV").click(),
    ]);
    expect(download.suggestedFilename()).toBe("Roles.csv");
    const lines = (await text(await download.createReadStream())).trim().split("\r\n");
    expect(lines).toHaveLength(52);
    expect(lines.slice(0, 2)).toEqual(["Key,Display name,Group", "role-00,'=1+1,"]);
    await window.button("Previous page").click();
    await row("role-00").waitFor();
  });

  test("is found again on its page by Back, after a reload, and by its address", async () => {
    const { service } = stage();
    const organization = await addOrganization(service, uniqueName("Long"));
    const call = createCaller(service, organization);
    for (let index = 0; index < 101; index += 1)
      await call(ProjectService.method.addProject, { name: `Project ${index}` });
    await window.visit(`/orgs/${organization}/projects?state=1`);
    await window.page.getByText("101 in total").waitFor();
    await window.button("Next page").click();
    await window.page.getByText("Page 2", { exact: true }).waitFor();
    await window.until("document.activeElement.getAttribute('aria-label') === 'Projects'");
    await link("Project 60").click();
    await window.heading("Project 60");
    await window.page.goBack();
    await link("Project 60").waitFor();
    await window.button("Next page").click();
    await link("Project 100").waitFor();
    await window.page.reload();
    await link("Project 100").waitFor();
    const place = window.place();
    await window.visit("/");
    await window.visit(place);
    await link("Project 100").waitFor();
    await window.button("Previous page").click();
    await link("Project 60").waitFor();
    await window.button("Previous page").click();
    await link("Project 0").waitFor();
    expect(window.place()).toBe(`/orgs/${organization}/projects?state=1`);
    await window.visit(place.replace(/page=.*/, "page=2..forged"));
    await window.page.getByText("PAGE_TOKEN_INVALID").waitFor();
    await window.button("First page").click();
    await link("Project 0").waitFor();
  });
});
