import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { LabelPolicyService } from "../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { PrivateLabelingSetting } from "../../gen/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addOrganization, addPerson, password } from "../sites/login/support/people.ts";
import { createApplication } from "../sites/oidc/support/application.ts";
import { authorizePath } from "../sites/oidc/support/signed-in.ts";
import { createCaller, createProject, uniqueName } from "../support/world.ts";
import { measurePage } from "./support/measure-page.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";
import { waitForMail } from "./support/mails.ts";

const stage = useLoginStage();

async function fill(page: Page, typed: string, username = stage().person.username): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(typed);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the page that asks for name and password. */
async function begin(options?: Parameters<ReturnType<typeof stage>["profile"]>[0]): Promise<LoginProfile> {
  const profile = await stage().profile(options);
  await profile.page.goto(stage().url());
  return profile;
}

/** Waits until the browser is back at the application, and expects it there with a code. */
async function expectCode(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Time Sheets", exact: true }).waitFor();
  expect(page.url()).toMatch(/\/callback\?code=[\w-]+&state=[\w+]+&iss=http/);
}

describe("a login in Chromium", () => {
  test("ends at the application with a code, and nothing in the console", async () => {
    const { page, complaints } = await begin();
    expect(await page.title()).toBe("Sign in – Gatehouse");
    await fill(page, password);
    await expectCode(page);
    await page.goto(stage().url({ prompt: "none" }));
    expect(page.url()).toContain("code=");
    expect(complaints).toEqual([]);
  });

  test("can be made with the keyboard alone, from the field that has the focus", async () => {
    const { page } = await begin();
    await page.locator("#username:focus").waitFor(); // browsers focus when they first draw the page
    await page.keyboard.type(stage().person.username);
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await expectCode(page);
  });

  test("works without script", async () => {
    const { page } = await begin({ javaScriptEnabled: false });
    await fill(page, password);
    await expectCode(page);
  });

  test("tells of a wrong password by an alert, keeps the name, and goes on from the password", async () => {
    const { page, complaints } = await begin();
    await fill(page, "wrong");
    const alert = page.getByRole("alert");
    expect(await alert.textContent()).toBe("The name or the password is wrong. Check both and try again.");
    expect(await page.getByLabel("Username").inputValue()).toBe(stage().person.username);
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await expectCode(page);
    expect(complaints).toEqual([]);
  });

  test("goes on in each of two windows, whichever comes first", async () => {
    const { context, page } = await begin();
    const other = await context.newPage();
    await other.goto(stage().url());
    await fill(page, password);
    await expectCode(page);
    await fill(other, password);
    await expectCode(other);
  });

  test("is over for who goes back to its page, and can begin again", async () => {
    const { page } = await begin();
    await fill(page, password);
    await expectCode(page);
    await page.goBack();
    await page.getByRole("heading", { name: "Please begin again" }).waitFor();
    await page.goto(stage().url());
    await expectCode(page);
  });

  test("of a guest is confirmed first; the way back from there asks for no password again", async () => {
    const guest = await addPerson(stage().service, await addOrganization(stage().service, "Guests"));
    const { page } = await begin();
    await fill(page, password, guest.username);
    await page.getByRole("heading", { name: "Continue to Time Sheets?" }).waitFor();
    await page.goBack();
    await page.goto(page.url());
    await page.getByRole("button", { name: "Continue" }).click();
    await expectCode(page);
  });

  test("is refused in a frame of another site, however the frame asks", async () => {
    const { page, complaints } = await begin();
    const here = page.url();
    await page.goto(`${stage().application.redirectUri}?frame=${encodeURIComponent(here)}`);
    await page.waitForLoadState("load");
    const [, frame] = page.frames();
    expect(await frame?.locator("form").count()).toBe(0);
    expect(complaints.join()).toMatch(/frame-ancestors|X-Frame-Options/);
  });
});

test("every other page is refused in such a frame, too, even to those who are signed in", async () => {
  const origin = `http://localhost:${stage().service.port}`;
  const { page, complaints } = await stage().profile();
  await page.goto(`${origin}/account`);
  await fill(page, password);
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  const account = ["profile", "email", "phone", "password", "passkeys", "passkeys/new", "factors"];
  const guarded = ["factors/new", "factors/new-app", "recovery-codes", "links", "sessions", "applications"];
  const paths = [
    "/",
    "/console/",
    "/device",
    "/oidc/v1/end_session",
    "/login/1",
    "/login/setup/code",
    "/login/password/1",
    "/account",
    ...[...account, ...guarded, "tokens", "sign-out", "unknown"].map((name) => `/account/${name}`),
  ];
  for (const path of paths) {
    complaints.length = 0;
    const framed = encodeURIComponent(`${origin}${path}`);
    await page.goto(`${stage().application.redirectUri}?frame=${framed}`);
    const [, frame] = page.frames();
    expect([path, frame?.url(), complaints.some(isOfFrame)]).toEqual([
      path,
      "chrome-error://chromewebdata/",
      true,
    ]);
  }
});

const isOfFrame = (text: string) => /frame-ancestors|X-Frame-Options/.test(text);

describe("an answer by form_post", () => {
  const asked = () => stage().url({ response_mode: "form_post" });

  test("sends itself to the application, and whoever goes back does not send it again", async () => {
    const { page, complaints } = await stage().profile();
    await page.goto(asked());
    await fill(page, password);
    await page.getByText("POST code state iss", { exact: true }).waitFor();
    expect(page.url()).toBe(stage().application.redirectUri);
    await page.goBack();
    await page.getByRole("heading", { name: "Please begin again" }).waitFor();
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
    await page.goto(asked()); // now the session suffices, and no page comes before
    await page.getByText("POST code state iss", { exact: true }).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "has a button for who has no script, in %s colours",
    async (colorScheme) => {
      const options = { colorScheme, viewport: { width: 320, height: 568 }, javaScriptEnabled: false };
      const { page, complaints } = await stage().profile(options);
      await page.goto(asked());
      await fill(page, password);
      await page.getByRole("heading", { name: "Back to the application" }).waitFor();
      const look = await measurePage(page);
      expect(look.width).toBeLessThanOrEqual(320);
      expect(look.isDark).toBe(colorScheme === "dark");
      expect(look.contrasts.length).toBeGreaterThan(3);
      expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByText("POST code state iss", { exact: true }).waitFor();
      expect(complaints).toEqual([]);
    },
  );
});

describe.each(["light", "dark"] as const)("on a small screen in %s colours, pages", (colorScheme) => {
  const options = { colorScheme, viewport: { width: 320, height: 568 } };

  test("fit, have contrast, and move nothing for who does not want that", async () => {
    const { page } = await begin({ ...options, reducedMotion: "reduce" });
    await fill(page, "wrong");
    await page.getByRole("alert").waitFor();
    const look = await measurePage(page);
    expect(look.width).toBeLessThanOrEqual(320);
    expect(look.isDark).toBe(colorScheme === "dark");
    expect(look.contrasts.length).toBeGreaterThan(6);
    expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(look.transition).not.toContain("background");
  });
});

describe("the branding of pages", () => {
  const { updateLabelPolicy, activateLabelPolicy, updateDefaultLabelPolicy, activateDefaultLabelPolicy } =
    LabelPolicyService.method;
  const accents = { owner: "rgb(122, 31, 162)", user: "rgb(11, 107, 46)", instance: "rgb(138, 59, 0)" };
  const lightOf = (primaryColor: string) => ({ light: { primaryColor } });
  let user: { readonly organizationId: string; readonly username: string };
  beforeAll(async () => {
    const { service, organizationId: owner } = stage();
    const organizationId = await addOrganization(service, "Rail Works");
    user = { organizationId, username: (await addPerson(service, organizationId)).username };
    await service.call(updateDefaultLabelPolicy, lightOf("#8a3b00"));
    await service.call(activateDefaultLabelPolicy, {});
    for (const [id, color] of [
      [owner, "#7a1fa2"],
      [organizationId, "#0b6b2e"],
    ] as const) {
      const call = createCaller(service, id);
      await call(updateLabelPolicy, lightOf(color));
      await call(activateLabelPolicy, {});
    }
  });

  /** Whose color links and buttons of a page have, or the button of a mail. */
  async function wearerOf(page: Page): Promise<string | undefined> {
    const color = await page.evaluate<string>(`(() => {
      const ofMail = document.querySelector("a[style]");
      const probe = document.body.appendChild(document.createElement("div"));
      probe.style.backgroundColor = "var(--accent)";
      return getComputedStyle(ofMail ?? probe).backgroundColor;
    })()`);
    return Object.entries(accents).find(([, accent]) => accent === color)?.[0] ?? color;
  }

  test.each([
    ["ENFORCE_PROJECT_RESOURCE_OWNER_POLICY", "owner", "owner"],
    ["ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY", "owner", "user"],
    ["UNSPECIFIED", "instance", "instance"],
  ] as const)("follows the setting %s, page by page", async (setting, before, after) => {
    const { service, organizationId, application } = stage();
    const projectId = await createProject(service, organizationId);
    await createCaller(service, organizationId)(ProjectService.method.updateProject, {
      id: projectId,
      name: uniqueName("Project"),
      privateLabelingSetting: PrivateLabelingSetting[setting],
    });
    const settings = { name: "Rail", redirectUris: [application.redirectUri], devMode: true };
    const rail = await createApplication(service, { organizationId, projectId }, settings);
    const origin = `http://localhost:${service.port}`;
    const { page, complaints } = await stage().profile();
    const worn: (string | undefined)[] = [];
    const look = async () => void worn.push(await wearerOf(page));
    await page.goto(origin + authorizePath(rail));
    await look();
    await fill(page, password, user.username);
    await page.locator("main ul").waitFor(); // what the application of another organization is given
    await look();
    await page.goto(`${origin}/oidc/v1/end_session`);
    await look();
    await page.goto(origin + authorizePath(rail, { redirect_uri: "https://elsewhere.example/" }));
    await look();
    expect(worn).toEqual([before, after, "instance", "instance"]);
    expect(complaints.filter((text) => !text.includes("400"))).toEqual([]);
  });

  test("is that of the organization of its user in a mail", async () => {
    const { service } = stage();
    await createCaller(service, user.organizationId)(UserService.method.addHumanUser, {
      username: uniqueName("invited"),
      givenName: "Mei",
      familyName: "Tanaka",
      email: "mei.tanaka@example.com",
      invite: {},
    });
    const { html = "" } = await waitForMail(service, "mei.tanaka@example.com", /./);
    const { page } = await stage().profile();
    await page.setContent(html);
    expect(await wearerOf(page)).toBe("user");
  });
});
