import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { loadInteraction, storeInteraction } from "../../../src/sites/login/flow/interaction-store.ts";
import { noteIdentity } from "../../../src/sites/login/external/identity-note.ts";
import { password, type ServicePerson } from "../../sites/login/support/people.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { addCodeFactorOf } from "../../support/code-factor.ts";
import type { TestService } from "../../support/service.ts";
import { uniqueName } from "../../support/world.ts";
import { addNewIdentity, type FacePlace, type NewIdentity, typePassword } from "./faces.ts";
import type { LoginProfile } from "./login-stage.ts";

/** Where the pages are looked at. */
export interface Places {
  /** Offers every way to log in. */
  readonly open: FacePlace;
  /** Demands two factors, of keys alone. */
  readonly strict: FacePlace;
  /** Demands two factors, of apps alone. */
  readonly strictApps: FacePlace;
  /** Takes codes by email as a second factor. */
  readonly codes: FacePlace;
  /** Demands two factors, of either kind. */
  readonly strictBoth: FacePlace;
  /** Has many identity providers, some with long names. */
  readonly many: FacePlace;
  /** Allows passkeys and identity providers, and has none of these. */
  readonly closed: FacePlace;
  /** Allows identity providers alone. */
  readonly providersOnly: FacePlace;
}

/** Comes to the page of a forgotten password. */
export async function forgetPassword(page: Page, { url }: FacePlace): Promise<void> {
  await page.goto(url());
  await page.locator("a[href$='/forgotten-password']").click();
  await page.locator("form[action$='/forgotten-password']").waitFor();
}

/** Waits until the browser is back at the application. */
export async function atApplication(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Time Sheets", exact: true }).waitFor();
}

/** Leaves a picture in the folder that GATEHOUSE_PICTURES names, if it does. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env["GATEHOUSE_PICTURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Signs up as the first administrator by that link, as far as to the second factor. */
export async function signUpFirst(page: Page, link: string): Promise<void> {
  await page.goto(link);
  const username = uniqueName("first").toLowerCase().replaceAll(" ", "-");
  const typed = { username, given_name: "Grace", family_name: "Hopper", email: "grace@example.com" };
  for (const [name, value] of Object.entries(typed)) await page.locator(`#${name}`).fill(value);
  for (const name of ["password", "repeated"]) await page.locator(`#${name}`).fill(password);
  await page.locator("main form button").click();
  await page.locator("[data-ceremony]").waitFor();
}

/** Comes back from a provider of the place with an identity that is linked to nobody. */
export async function showNewIdentity(
  place: FacePlace,
  { page, context }: LoginProfile,
  asked: Parameters<typeof addNewIdentity>[1],
): Promise<NewIdentity> {
  const { service } = place.stage;
  const made = await addNewIdentity(place, asked);
  const { identity } = made;
  await page.goto(place.url());
  const id = /\/login\/([0-9]+)/.exec(page.url())?.[1] ?? "";
  const { value = "" } = (await context.cookies()).find(({ name }) => name.endsWith(id)) ?? {};
  const held = { id, cookie: new Secret(value) };
  await service.context.database.write(async (tx) => {
    const nowMs = service.context.clock.nowMs();
    const interaction = await loadInteraction(service.context, tx, { ...held, nowMs });
    if (interaction === undefined) throw new Error("no login has begun");
    const noted = noteIdentity(interaction, { identity, use: "ask" });
    await storeInteraction(service.context, tx, { interaction: noted, cookie: held.cookie });
  });
  await page.goto(page.url());
  return made;
}

/** Says that an account is there, and logs in as somebody. */
export async function linkAs({ page }: Pick<LoginProfile, "page">, person: ServicePerson): Promise<void> {
  await page.locator("form:has([value=link]) button").first().click();
  await typePassword(page, person);
  await page.locator("[name=choice]").first().waitFor();
}

/** Types the code of an app, and sends it. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await page.locator("#code").fill(code);
  await page.locator("main form button").first().click();
}

/** Presses the button of the provider that the test plays. */
export async function goToPartners({ open }: Places, page: Page): Promise<void> {
  await page.goto(open.url());
  await page.getByRole("button", { name: "Partners", exact: true }).click();
}

/** Logs in as somebody whose second factor is a code by email. */
export async function askForCode(
  service: TestService,
  { codes }: Places,
  { page }: LoginProfile,
): Promise<void> {
  const person = await codes.addPerson();
  await service.call(UserService.method.setEmail, {
    userId: person.id,
    email: `${person.username}@example.com`,
    verification: { case: "isVerified", value: true },
  });
  await addCodeFactorOf(service, person.id);
  await page.goto(codes.url());
  await typePassword(page, person);
  await page.locator("input[name=choice]").waitFor({ state: "attached" });
}
