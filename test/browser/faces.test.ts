// How each page of the login looks. With GATEHOUSE_PICTURES=<folder> a picture of each is left there.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { LabelPolicyService } from "../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { SecondFactorType } from "../../gen/gatehouse/v1/second_factor_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { addProvider } from "../sites/federation/support/place.ts";
import { startProvider, type TestProvider } from "../sites/federation/support/provider.ts";
import { makeSetupLink } from "../../src/identity/instance/setup-link.ts";
import type { ServicePerson } from "../sites/login/support/people.ts";
import { canaries } from "../support/canaries.ts";
import { generateRecoveryCodes, registerTotp } from "../support/totp.ts";
import { createCaller } from "../support/world.ts";
import { addDevice, addKey } from "./support/authenticator.ts";
import {
  addProviders,
  createFacePlace,
  type FacePlace,
  setUpByOthers,
  typePassword,
} from "./support/faces.ts";
import {
  askForCode,
  atApplication,
  forgetPassword,
  goToPartners,
  type Places,
  typeCode,
  linkAs,
  showNewIdentity,
  signUpFirst,
  takePicture,
} from "./support/face-steps.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const { method: labels } = LabelPolicyService;
const stage = useLoginStage({ dev: true });

let places: Places;
let provider: TestProvider;
/** The id under which `places.open` knows the provider. */
let partners: string;
beforeAll(async () => {
  const ways = { allowPassword: true, allowExternalIdps: true, allowPasskeys: true, allowRegistration: true };
  await stage().service.call(LoginPolicyService.method.updateDefaultLoginPolicy, ways);
  const links = { termsUrl: "https://lamp.example/terms", helpUrl: "https://lamp.example/help" };
  await stage().service.call(labels.updateDefaultLabelPolicy, {
    ...links,
    supportEmail: "help@lamp.example",
  });
  await stage().service.call(labels.activateDefaultLabelPolicy, {});
  places = {
    open: await createFacePlace(stage()),
    strict: await createFacePlace(stage(), {
      allowPassword: true,
      forceMfa: true,
      secondFactors: [SecondFactorType.U2F],
    }),
    strictApps: await createFacePlace(stage(), {
      allowPassword: true,
      forceMfa: true,
      secondFactors: [SecondFactorType.TOTP],
    }),
    codes: await createFacePlace(stage(), {
      allowPassword: true,
      secondFactors: [SecondFactorType.TOTP, SecondFactorType.EMAIL_CODE],
    }),
    strictBoth: await createFacePlace(stage(), { allowPassword: true, forceMfa: true }),
    many: await createFacePlace(stage()),
    closed: await createFacePlace(stage(), { allowExternalIdps: true }),
    providersOnly: await createFacePlace(stage(), { allowExternalIdps: true }),
  };
  await addProviders(places.open, ["Lamp Works staff directory"]);
  await addProviders(places.many, [
    "Directory of the employees of Lamp Works and all of its subsidiaries",
    "Mitarbeiterverzeichnis-Donaudampfschifffahrtsgesellschaft",
    "North",
    "East",
    "South",
    "West",
  ]);
  provider = await startProvider(stage().service.clock);
  partners = await addProvider(stage().service, places.open.organizationId, provider, { name: "Partners" });
});

afterAll(() => provider.stop());

type Reach = (places: Places, profile: LoginProfile) => Promise<void>;
type Language = "en" | "de";

/** The pages by their names, and how somebody comes to see each of them from the request of an application on. */
const faces: Readonly<Record<string, Reach>> = {
  "sign-in": async ({ open }, { page }) => void (await page.goto(open.url())),
  "sign-in-wrong": async ({ open }, { page }) => {
    await page.goto(open.url());
    await typePassword(page, await open.addPerson(), "wrong");
    await page.getByRole("alert").waitFor();
  },
  "sign-in-password-only": async ({ strict }, { page }) => void (await page.goto(strict.url())),
  "sign-in-many": async ({ many }, { page }) => void (await page.goto(many.url())),
  "sign-in-closed": async ({ closed }, { page }) => void (await page.goto(closed.url())),
  "sent-code": (all, profile) => askForCode(stage().service, all, profile),
  "sent-code-wrong": async (all, profile) => {
    await askForCode(stage().service, all, profile);
    await profile.page.locator("main form button").click();
    await typeCode(profile.page, "00000000");
    await profile.page.getByRole("alert").waitFor();
  },
  passkey: async ({ open }, { page }) => {
    await page.goto(open.url());
    await page.locator("a[href$='/passkey']").click();
    await page.locator("[data-ceremony=passkey]").waitFor();
  },
  "passkey-wrong": async ({ open }, { page, context }) => {
    await addKey(await context.newCDPSession(page), { protocol: "ctap2" });
    await page.goto(open.url());
    await page.locator("a[href$='/passkey']").click();
    await page.locator("[data-ceremony=passkey] button").click();
    await page.getByText(/^(No passkey|Es wurde kein)/).waitFor();
  },
  register: async ({ open }, { page }) => {
    await page.goto(open.url());
    await page.locator("a[href$='/register']").click();
    await page.locator("#given_name").waitFor();
  },
  "register-taken": async ({ open }, { page }) => {
    const { username } = await open.addPerson();
    await page.goto(open.url({ prompt: "create" }));
    const typed = { username, given_name: "Ada", family_name: "Lovelace", email: "ada@example.com" };
    for (const [name, value] of Object.entries(typed)) await page.locator(`#${name}`).fill(value);
    for (const name of ["password", "repeated"]) await page.locator(`#${name}`).fill("correct horse battery");
    await page.locator("main form button").click();
    await page.getByRole("alert").waitFor();
  },
  "choose-account": async ({ open }, { page }) => {
    await page.goto(open.url());
    await typePassword(page, await open.addPerson());
    await atApplication(page);
    await page.goto(open.url({ prompt: "select_account" }));
  },
  "confirm-application": async ({ open }, { page }) => {
    await page.goto(open.url());
    await typePassword(page, stage().person);
    await page.locator("main ul").waitFor();
  },
  "new-identity": async (all, profile) =>
    void (await showNewIdentity(all.open, profile, { autoRegister: true })),
  "new-identity-unknown": async (all, profile) =>
    void (await showNewIdentity(all.open, profile, { autoRegister: false })),
  "new-identity-none": async ({ providersOnly }, profile) =>
    void (await showNewIdentity(providersOnly, profile, { autoRegister: false, isListed: true })),
  "new-identity-account": async (all, profile) =>
    void (await showNewIdentity(all.open, profile, { autoRegister: true, hasAccount: true })),
  "link-identity": async (all, profile) => {
    const { owner } = await showNewIdentity(all.open, profile, { autoRegister: false, hasAccount: true });
    await linkAs(profile, owner);
  },
  "link-identity-refused": async (all, profile) => {
    await showNewIdentity(all.open, profile, { autoRegister: false });
    await linkAs(profile, stage().person); // of another organization
  },
  "sign-in-linking": async (all, profile) => {
    await showNewIdentity(all.open, profile, { autoRegister: false });
    await profile.page.locator("form:has([value=link]) button").click();
    await profile.page.locator("#username").waitFor();
  },
  "own-factor": async (all, { page }) => {
    const person = await all.open.addPerson();
    const { service } = stage();
    const userId = person.id;
    const identity = { externalUserId: `subject of ${userId}`, externalUsername: "ada" };
    await service.call(UserService.method.addIdpLink, { userId, idpId: partners, ...identity });
    const scope = { case: "instance", value: true } as const;
    await service.call(MembershipService.method.addMembership, { userId, scope, roles: ["INSTANCE_VIEWER"] });
    const sub = identity.externalUserId;
    provider.play({ claims: { sub }, userinfo: { sub } });
    await goToPartners(all, page);
    await page.locator("form[action$='/own-factor']").waitFor();
  },
  "provider-denied": async (all, { page }) => {
    provider.play({ returned: { code: undefined, error: "access_denied" } });
    await goToPartners(all, page);
    await page.locator("a[href^='/login/']").waitFor();
  },
  "review-factors": async ({ open }, { page }) => {
    const person = await open.addPerson();
    const { service } = stage();
    const { organizationId } = open;
    const app = await setUpByOthers(service, { organizationId, userId: person.id });
    await page.goto(open.url());
    await typePassword(page, person);
    service.clock.turn(30_000); // the code of its registration counts no more
    await page.locator("#code").fill(app.code(service.clock.nowMs()));
    await page.locator("main form button").click();
    await page.locator("fieldset").first().waitFor();
  },
  "add-key": async ({ strict }, { page }) => {
    await page.goto(strict.url());
    await typePassword(page, await strict.addPerson());
    await page.locator("[data-ceremony]").waitFor();
  },
  "add-key-or-app": async ({ strictBoth }, { page }) => {
    await page.goto(strictBoth.url());
    await typePassword(page, await strictBoth.addPerson());
    await page.locator("[data-ceremony]").waitFor();
  },
  "use-key": async ({ strict }, { page, context }) => {
    await addKey(await context.newCDPSession(page), { protocol: "ctap2" });
    const person = await strict.addPerson();
    await page.goto(strict.url());
    await typePassword(page, person);
    await page.locator("[data-ceremony=registration] button").click();
    await atApplication(page);
    await context.clearCookies();
    await page.goto(strict.url());
    await typePassword(page, person);
    await page.locator("[data-ceremony]").waitFor();
  },
  "add-app": async ({ strictApps }, { page }) => {
    await page.goto(strictApps.url());
    await typePassword(page, await strictApps.addPerson());
    await page.locator(".qr").waitFor();
  },
  "add-app-wrong": async ({ strictApps }, { page }) => {
    await page.goto(strictApps.url());
    await typePassword(page, await strictApps.addPerson());
    await page.locator("#code").fill("000000");
    await page.locator("main form button").click();
    await page.getByRole("alert").waitFor();
  },
  "use-app": async ({ open }, { page }) => await reachApp(page, open),
  "use-recovery-code": async ({ open }, { page }) => {
    await reachApp(page, open);
    await page.locator("a[href$='/recovery-code']").click();
    await page.locator("form[action$='/recovery-code']").waitFor();
  },
  "new-password": async ({ open }, { page }) => {
    const person = await open.addPerson();
    const chosen = "chosen by an administrator";
    const asked = { userId: person.id, password: chosen, changeRequired: true };
    await createCaller(stage().service, open.organizationId)(UserService.method.setPassword, asked);
    await page.goto(open.url());
    await typePassword(page, person, chosen);
    await page.locator("#repeated").waitFor();
  },
  "reset-password": async ({ open }, { page }) => {
    const person = await open.addPerson();
    await page.goto(`http://localhost:${stage().service.port}/login/password/${person.id}?code=AAAA`);
  },
  "forgotten-password": async ({ open }, { page }) => await forgetPassword(page, open),
  "forgotten-password-sent": async ({ open }, { page }) => {
    await forgetPassword(page, open);
    await page.locator("#username").fill("nobody");
    await page.locator("main form button").click();
    await page.getByRole("status").waitFor();
  },
  setup: async (_places, { page }) => void (await page.goto(setupLink())),
  "setup-factor": async (_places, { page }) => await signUpFirst(page, setupLink()),
  "setup-app": async (_places, { page }) => {
    await signUpFirst(page, setupLink());
    await page.locator("a[href$='/totp']").click();
    await page.locator(".qr").waitFor();
  },
  "unknown-application": async ({ open }, { page }) => void (await page.goto(open.url({ client_id: "1" }))),
  ...Object.fromEntries(
    [
      "",
      "/profile",
      "/email",
      "/phone",
      "/password",
      "/passkeys",
      "/passkeys/new",
      "/factors",
      "/factors/new",
      "/factors/new-app",
      "/recovery-codes",
      "/links",
      "/sessions",
      "/tokens",
      "/applications",
    ].map((path): [string, Reach] => [
      `account${path.replaceAll("/", "-")}`,
      (all, profile) => openAccount(all, profile, path),
    ]),
  ),
  "account-factors-with-app": async ({ open }, { page }) => {
    await signInWithApp(page, await signInToAccount(page, open), accountUrl("/factors"));
    await page.locator("a[href$='/recovery-codes']").waitFor();
  },
  "account-recovery-codes-made": async ({ open }, { page }) => {
    await signInWithApp(page, await signInToAccount(page, open), accountUrl("/recovery-codes"));
    await page.locator("form:has([value=make]) button").click();
    await page.locator(".codes").waitFor();
    for (const code of await page.locator(".codes li").allTextContents()) canaries.add("recovery code", code);
  },
  "account-passkeys-held": async ({ open }, { page }) => {
    await addDevice(page);
    await signInToAccount(page, open);
    await page.goto(accountUrl("/passkeys/new"));
    await page.locator("[data-ceremony] button").click();
    await page.locator(".rows").waitFor();
  },
  "account-passkey-removed": async ({ open }, { page }) => {
    await addDevice(page);
    await signInToAccount(page, open);
    await page.goto(accountUrl("/passkeys/new"));
    await page.locator("[data-ceremony] button").click();
    await page.locator(".rows a").click();
    await page.locator("form[action*='/passkeys/']").waitFor();
  },
  "account-signed-out": async ({ open }, { page }) => {
    await signInToAccount(page, open);
    await page.locator("form[action$='/sign-out'] button").click();
    await page.locator("a[href*='organization=']").waitFor();
  },
  device: async (_places, { page }) =>
    void (await page.goto(`http://localhost:${stage().service.port}/device`)),
};

/** German words are longer: what they fit, English ones fit. Pictures are made of both. */
const languages: readonly Language[] =
  process.env["GATEHOUSE_PICTURES"] === undefined ? ["de"] : ["en", "de"];

describe.each(languages)("in %s", (language) => {
  test.each(Object.keys(faces))(
    "%s fits, has contrast in both colours, and says what everything is",
    async (name) => {
      const profile = await stage().profile({ locale: { en: "en-GB", de: "de-DE" }[language] });
      const { page } = profile;
      await faces[name]?.(places, profile);
      expect(await page.locator("html").getAttribute("lang")).toBe(language);
      for (const colorScheme of ["light", "dark"] as const)
        for (const [width, height] of [
          [320, 568],
          [1280, 800],
        ] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.setViewportSize({ width, height });
          await takePicture(page, `${name}-${language}-${colorScheme}-${width}`);
          const look = await measurePage(page);
          expect(look.width).toBeLessThanOrEqual(width);
          expect(look.isDark).toBe(colorScheme === "dark");
          expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
          expect(look.faults).toEqual([]);
        }
      expect(profile.complaints.filter((text) => !/status of 4/.test(text))).toEqual([]);
    },
  );
});

/** Opens a page of the account of somebody who has just logged in, in this browser and another one. */
async function openAccount({ open }: Places, { page }: LoginProfile, path: string): Promise<void> {
  await signInToAccount(page, open);
  await page.goto(accountUrl(path));
}

/** Comes to the first page of the account of somebody new. */
async function signInToAccount(page: Page, place: FacePlace): Promise<ServicePerson> {
  const person = await place.addPerson();
  await page.goto(accountUrl(""));
  await typePassword(page, person);
  await page.locator("nav").first().waitFor();
  return person;
}

/** Gives somebody who is signed in an app, with which they have to sign in anew to see a page. */
async function signInWithApp(page: Page, person: ServicePerson, url: string): Promise<void> {
  const { service } = stage();
  const { code } = await registerTotp(service, person.id);
  service.clock.turn(30_000); // its first time step is used up
  await page.goto(url);
  await typeCode(page, code(service.clock.nowMs()));
}

function accountUrl(path: string): string {
  return `http://localhost:${stage().service.port}/account${path}`;
}

/** Logs in somebody who has an app and recovery codes, as far as to the app. */
async function reachApp(page: Page, place: FacePlace): Promise<void> {
  const { service } = stage();
  const person = await place.addPerson();
  await registerTotp(service, person.id);
  await generateRecoveryCodes(service, person.id);
  await page.goto(place.url());
  await typePassword(page, person);
  await page.locator("#code").waitFor();
}

function setupLink(): string {
  const { service } = stage();
  const { keyring, random, clock } = service.context;
  const issuer = `http://localhost:${service.port}`;
  return makeSetupLink({ issuer, keyring, random, nowMs: clock.nowMs() }).reveal();
}
