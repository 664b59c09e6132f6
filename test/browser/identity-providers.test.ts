// Logging in at an identity provider, in Chromium.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { StylingType } from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addProvider } from "../sites/federation/support/place.ts";
import { startProvider, type TestProvider } from "../sites/federation/support/provider.ts";
import { addPerson } from "../sites/login/support/people.ts";
import { typePassword } from "./support/faces.ts";
import { useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const stage = useLoginStage({ dev: true });

let provider: TestProvider;
beforeAll(async () => {
  const { service, organizationId } = stage();
  provider = await startProvider(service.clock);
  const settings = { autoRegister: true, name: "Lamp Works Employees" };
  await addProvider(service, organizationId, provider, settings);
  const google = { name: "Sign in with Google", stylingType: StylingType.GOOGLE };
  await addProvider(service, organizationId, provider, google);
});
afterEach(() => provider.play({}));
afterAll(() => provider.stop());

describe("somebody logs in at a provider", () => {
  test("with the keyboard alone, and nothing in the console", async () => {
    const { page, complaints } = await stage().profile();
    await page.goto(stage().url());
    await page.getByRole("button", { name: "Lamp Works Employees" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("without script", async () => {
    const { page, complaints } = await stage().profile({ javaScriptEnabled: false });
    await page.goto(stage().url());
    await page.getByRole("button", { name: "Lamp Works Employees" }).click();
    await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("and links the account that seems to be theirs, by logging in to it once", async () => {
    const { service, organizationId, url } = stage();
    const person = await addPerson(service, organizationId);
    const userId = person.id;
    const email = "grace@provider.example";
    const verification = { case: "isVerified", value: true } as const;
    await service.call(UserService.method.setEmail, { userId, email, verification });
    provider.play({ claims: { sub: "grace" }, userinfo: { sub: "grace", email } });
    const { page, context, complaints } = await stage().profile();
    const goToProvider = async () => {
      await page.goto(url());
      await page.getByRole("button", { name: "Sign in with Google" }).click();
    };
    await goToProvider();
    await page.getByRole("heading", { name: "Do you have an account here?" }).waitFor();
    await page.getByRole("button", { name: "Sign in to my account" }).click();
    await typePassword(page, person);
    await page.getByRole("heading", { name: "Connect your account with Sign in with Google?" }).waitFor();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("heading", { name: "Time Sheets" }).waitFor();

    await context.clearCookies();
    await goToProvider();
    await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
    expect(new URL(page.url()).searchParams.get("code")).not.toBeNull();
    expect(await service.call(UserService.method.listIdpLinks, { userId })).toMatchObject({
      links: [{ externalUserId: "grace" }],
    });
    expect(complaints).toEqual([]);
  });

  test("and links the account that they say is theirs", async () => {
    const { service, organizationId, url } = stage();
    const person = await addPerson(service, organizationId);
    const email = "katherine@provider.example"; // of nobody here
    provider.play({ claims: { sub: "katherine" }, userinfo: { sub: "katherine", email } });
    const { page, complaints } = await stage().profile();
    await page.goto(url());
    await page.getByRole("button", { name: "Sign in with Google" }).click();
    await page.getByText("No account here is connected with it.").waitFor();
    await page.getByRole("button", { name: "Sign in to my account" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Sign in without connecting" }).waitFor();
    expect(await page.getByRole("button", { name: "Sign in with Google" }).count()).toBe(0);
    await typePassword(page, person);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
    expect(await service.call(UserService.method.listIdpLinks, { userId: person.id })).toMatchObject({
      links: [{ externalUserId: "katherine" }],
    });
    expect(complaints).toEqual([]);
  });

  test("in another way after the provider has let nobody in", async () => {
    provider.play({ returned: { code: undefined, error: "access_denied" } });
    const { page } = await stage().profile();
    await page.goto(stage().url());
    await page.getByRole("button", { name: "Lamp Works Employees" }).click();
    await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
    await page.getByRole("link", { name: "Sign in another way" }).click();
    await page.getByLabel("Username").waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/login\/[0-9]+$/);
  });
});

describe.each(["light", "dark"] as const)("the buttons on a %s page", (colorScheme) => {
  test("have contrast and fit a small screen", async () => {
    const { page, complaints } = await stage().profile({
      colorScheme,
      viewport: { width: 320, height: 640 },
    });
    await page.goto(stage().url());
    const look = await measurePage(page);
    expect(look.width).toBeLessThanOrEqual(320);
    expect(look.isDark).toBe(colorScheme === "dark");
    expect(look.faults).toEqual([]);
    const ofGoogle = look.contrasts.filter(({ name }) => name.includes("idp-google"));
    expect(ofGoogle).toHaveLength(1);
    expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
