// How the console feels: keyboard, languages, small and dark windows, and what axe-core finds.
import { describe, expect, test } from "@jest/globals";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createCaller, createProject, createServiceUser, uniqueName } from "../support/world.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();

describe.each(facesOf("dark"))("every page, $face", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    const { service, organizationId, owner } = stage();
    const projectId = await createProject(service, organizationId);
    const base = `/orgs/${organizationId}`;
    const window = await stage().open("/", options);
    const paths = [
      "/",
      "/nowhere",
      "/orgs",
      "/orgs/new",
      base,
      `${base}/projects`,
      `${base}/projects/new`,
      `${base}/projects/${projectId}`,
      `${base}/projects/${projectId}/roles`,
      `${base}/users`,
      `${base}/users/new`,
      `${base}/users/new-service`,
      `${base}/users/${owner.id}`,
    ];
    await window.expectAllAccessible(paths);
    await window.button("Remove user").click();
    await window.dialog.button("Remove").waitFor();
    await window.expectAccessible();
    expect(window.complaints).toEqual([]);
  });
});

describe("the first page", () => {
  test("loads less than 150 kB of script", async () => {
    const window = await stage().open("/");
    await window.heading("Hello, Ada Lovelace");
    const weight = `performance.getEntriesByType("resource")
      .filter(({ name }) => name.endsWith(".js"))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
    const bytes = await window.page.evaluate<number>(weight);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });
});

describe("the keyboard", () => {
  test("opens the palette, finds a page, and goes there", async () => {
    const window = await stage().open(`/orgs/${stage().organizationId}`);
    await window.page.locator("h1").waitFor();
    await window.page.keyboard.press("Control+k");
    await window.heading("Search");
    await window.expectAccessible();
    await window.page.keyboard.type("users");
    await window.page.keyboard.press("Enter");
    await window.heading("Users");
    expect(window.place()).toBe(`/orgs/${stage().organizationId}/users`);
  });

  test("finds objects of all organizations from every page, by the beginnings of words", async () => {
    const { service, organizationId } = stage();
    const person = { givenName: "Quentin", familyName: "Quernbiter", email: "quern@example.com" };
    const call = createCaller(service, organizationId);
    await call(UserService.method.addHumanUser, { username: uniqueName("quern"), ...person });
    const window = await stage().open("/");
    await window.page.locator("h1").waitFor();
    await window.page.keyboard.press("Control+k");
    await window.heading("Search");
    const option = (name: string) => window.page.getByRole("option", { name });
    await window.page.keyboard.type("quernb que");
    await option("Quentin Quernbiter").waitFor();
    await window.expectAccessible();
    await window.page.getByRole("combobox").fill("nothing like this");
    await window.page.getByText("Nothing found.").waitFor();
    await window.page.getByRole("combobox").fill("lamp");
    await option("Lamp Works").waitFor();
    await window.page.getByRole("combobox").fill("quernbiter");
    await option("Quentin Quernbiter").click();
    await window.heading("Quentin Quernbiter");
    expect(window.place()).toMatch(`/orgs/${organizationId}/users/`);
  });

  test("goes to the filter by a slash, closes dialogs by Escape, and returns the focus", async () => {
    const window = await stage().open(`/orgs/${stage().organizationId}/projects`);
    await window.heading("Projects");
    await window.page.getByRole("searchbox", { name: "Name or ID" }).waitFor();
    await window.settled();
    await window.page.keyboard.press("/");
    const focused = "document.activeElement.getAttribute('name') ?? document.activeElement.className";
    await window.until(`(${focused}) === "search"`);
    await window.page.locator(".switcher").press("Enter");
    await window.heading("Choose organization");
    await window.page.keyboard.press("Escape");
    await window.page.getByRole("dialog").waitFor({ state: "detached" });
    await window.until(`(${focused}) === "switcher"`);
    expect(window.complaints).toEqual([]);
  });

  test("keeps the focus where it is while filters are chosen, typed and cleared", async () => {
    const window = await stage().open(`/orgs/${stage().organizationId}/projects`);
    const { page } = window;
    const focused = "document.activeElement?.getAttribute('name')";
    await window.field("State").focus();
    await window.field("State").selectOption("Active");
    await page.waitForURL((url) => url.search === "?state=1");
    await page.getByText(/in total|Nothing fits/).waitFor();
    expect(await page.evaluate(focused)).toBe("state");
    await window.field("Name or ID").fill("Lamp");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.search === "?search=Lamp&state=1");
    await page.getByText("Nothing fits these filters.").waitFor();
    expect(await page.evaluate(focused)).toBe("search");
    await window.button("Clear filters").click();
    await window.until(`(${focused}) === "search"`);
    expect([await window.field("Name or ID").inputValue(), await window.field("State").inputValue()]).toEqual(
      ["", ""],
    );
    await page.goBack();
    await page.waitForURL((url) => url.search === "?search=Lamp&state=1");
    await window.until("document.querySelector('[name=search]').value === 'Lamp'");
    expect(await window.field("State").inputValue()).toBe("1");
    expect(await page.evaluate(focused)).toBe("search");
  });

  test("leaves a page with changes only after a question", async () => {
    const window = await stage().open("/orgs/new");
    await window.field("Name").fill("Half");
    const questions: string[] = [];
    window.page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    await window.page.getByRole("link", { name: "Overview" }).click();
    expect(window.place()).toBe("/orgs/new");
    await window.page.getByRole("link", { name: "Overview" }).click();
    await window.heading("Hello, Ada Lovelace");
    expect(questions).toHaveLength(2);
    await window.page.goBack();
    await window.heading("Add organization");
  });
});

describe("a German page", () => {
  test("marks what the service says as English, and nothing else", async () => {
    const { service, organizationId } = stage();
    const window = await stage().open("/orgs/new");
    const { page } = window;
    await window.heading("Add organization");
    await page.evaluate('localStorage.setItem("gatehouse.language", "de")');
    await page.reload();
    await window.heading("Organisation hinzufügen");
    const name = uniqueName("Taken");
    await service.call(OrganizationService.method.addOrganization, { name });
    await window.field("Name").fill(name);
    await window.button("Organisation hinzufügen").click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.locator("[lang=en]").allTextContents()).toEqual([
      expect.stringContaining("already exists"),
    ]);
    page.on("dialog", (dialog) => void dialog.accept());
    await window.visit(`/orgs/${organizationId}/users/new`);
    for (const [label, value] of [
      ["Benutzername", "ada-lovelace"],
      ["Vorname", "Ada"],
      ["Nachname", "Lovelace"],
    ] as const)
      await window.field(label).fill(value);
    await window.button("Person hinzufügen").click();
    const errors = page.locator(".field-error");
    await errors.waitFor();
    expect([await errors.textContent(), await errors.getAttribute("lang")]).toEqual([
      "Diese Angabe fehlt.",
      null,
    ]);
    await window.field("E-Mail").fill("ada@example.com");
    await window.field("Telefon freiwillig").fill("12345");
    await window.button("Person hinzufügen").click();
    await page.locator(".field-error[lang=en]").waitFor();
    expect(await errors.count()).toBe(1);
  });
});

describe("a dialog", () => {
  const openProfile = async (): Promise<ConsoleWindow> => {
    const { organizationId, owner } = stage();
    const window = await stage().open(`/orgs/${organizationId}/users/${owner.id}`);
    await window.button("Email: Change").click();
    await window.dialog.field("Email").waitFor();
    return window;
  };

  test("stays when a selection of its text ends beside it, and closes by a click there", async () => {
    const { page, dialog } = await openProfile();
    const box = await dialog.field("Email").boundingBox();
    if (box === null) throw new Error("the field is in sight");
    await page.mouse.move(box.x + 40, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5, { steps: 4 });
    await page.mouse.up();
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.mouse.click(5, 5);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("stays when a file field in it is left without a choice", async () => {
    const { page } = await openProfile();
    await page.evaluate(
      `document.querySelector("dialog input").dispatchEvent(new Event("cancel", { bubbles: true }))`,
    );
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  test("with a secret is closed only by its button, however often Escape is pressed", async () => {
    const { organizationId, service } = stage();
    const { id } = await createServiceUser(service, organizationId);
    const window = await stage().open(`/orgs/${organizationId}/users/${id}/tokens`);
    const { page } = window;
    await window.button("Add token").click();
    await window.dialog.button("Add token").click();
    const keep = window.dialog.button("I have kept it");
    await keep.waitFor();
    const token = await page.locator("dialog code").first().textContent();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open] code").first().textContent()).toBe(token);
    // What a browser does that does not know how to keep it open.
    await page.evaluate('document.querySelector("dialog").close()');
    await page.locator("dialog[open]").waitFor();
    await keep.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await window.button("Add token").click();
    await window.dialog.button("Add token").waitFor();
  });
});

describe("a narrow window", () => {
  test("has the navigation behind a button, in sight wherever the page was scrolled to", async () => {
    const { organizationId, owner } = stage();
    const options = { viewport: { width: 360, height: 500 } };
    const window = await stage().open(`/orgs/${organizationId}/users/${owner.id}`, options);
    await window.heading("Ada Lovelace");
    const projects = window.page.getByRole("link", { name: "Projects", exact: true });
    expect(await projects.isVisible()).toBe(false);
    await window.page.mouse.wheel(0, 400);
    await window.until("scrollY > 100");
    await window.button("Menu").click();
    const box = await projects.boundingBox();
    expect(box?.y).toBeGreaterThan(40);
    expect(box?.y).toBeLessThan(500);
    await projects.click();
    await window.heading("Projects");
    expect(await projects.isVisible()).toBe(false);
  });
});

describe("the languages", () => {
  test("are those of the browser, until another one is chosen", async () => {
    const window = await stage().profile({ locale: "de-CH" });
    await window.visit("/orgs");
    await window.page.getByLabel("Benutzername").fill(stage().owner.username);
    await window.page.getByLabel("Passwort").fill("correct horse battery staple");
    await window.page.getByRole("button", { name: "Anmelden" }).click();
    await window.heading("Organisationen");
    await window.page.getByText("AL", { exact: true }).click();
    await window.button("English").click();
    await window.heading("Organizations");
    await window.page.reload();
    await window.heading("Organizations");
    expect(await window.page.evaluate("document.documentElement.lang")).toBe("en");
  });
});
