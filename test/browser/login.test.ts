// A single-page application with oidc-client-ts, which others have written, logs somebody in who has a real browser.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { OidcAppType, OidcGrantType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestPerson,
} from "../sites/oidc/support/login-place.ts";
import { canaries } from "../support/canaries.ts";
import { startService, type TestService } from "../support/service.ts";
import type { LoggedIn, LoginFunctions } from "./page/login.ts";
import { launchChromium } from "./support/chromium.ts";
import { type RelyingParty, startRelyingParty } from "./support/relying-party.ts";

let browser: Browser;
let party: RelyingParty;
let service: TestService;
let person: TestPerson;
let clientId: string;

beforeAll(async () => {
  browser = await launchChromium();
  party = await startRelyingParty();
  service = await startService();
  const place = await createLoginPlace(service);
  person = await createPerson(service, place.organizationId);
  ({ clientId } = await createOidcApplication(service, place, {
    redirectUris: [`${party.origin}/callback`, `${party.origin}/popup`],
    postLogoutRedirectUris: [`${party.origin}/goodbye`],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.USER_AGENT,
    devMode: true, // for http
  }));
  party.setUp({
    authority: `http://localhost:${service.port}`,
    client_id: clientId,
    redirect_uri: `${party.origin}/callback`,
    popup_redirect_uri: `${party.origin}/popup`,
    post_logout_redirect_uri: `${party.origin}/goodbye`,
    scope: "openid profile offline_access",
    loadUserInfo: true,
    monitorSession: false,
    automaticSilentRenew: false,
  });
});

afterAll(async () => {
  await browser.close();
  await party.stop();
  await service.stop();
});

/** Opens the application in a profile of its own, and closes it after the steps. Fails for any error that the page reports. */
async function visit(steps: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    const faults: string[] = [];
    context.on("weberror", (error) => faults.push(error.error().message));
    context.on("console", (message) => {
      if (message.type() === "error") faults.push(`${message.text()} ${message.location().url}`);
    });
    const page = await context.newPage();
    await page.goto(party.origin);
    await steps(page, context);
    expect(faults).toEqual([]);
  } finally {
    await context.close();
  }
}

async function run<Name extends keyof LoginFunctions>(
  page: Page,
  name: Name,
  ...input: Parameters<LoginFunctions[Name]>
): Promise<Awaited<ReturnType<LoginFunctions[Name]>>> {
  return await page.evaluate<Awaited<ReturnType<LoginFunctions[Name]>>>(
    `login.${name}(${JSON.stringify(input).slice(1, -1)})`,
  );
}

/** Fills the pages of the login as somebody does who sees them: field by field, and the first button. */
async function fillIn(page: Page): Promise<void> {
  await page.locator('input[autocomplete~="username"]').fill(person.username);
  await page.locator('input[type="password"]').fill(person.password);
  await page.locator('button[type="submit"], form button:not([type])').first().click();
}

function note({ accessToken, refreshToken = "", idToken = "" }: LoggedIn): void {
  for (const [name, value] of Object.entries({ accessToken, refreshToken, idToken }))
    canaries.add(name, value);
}

describe("oidc-client-ts", () => {
  test("logs in by a redirect, asks for claims, refreshes, revokes, and logs out", async () => {
    await visit(async (page) => {
      await Promise.all([
        page.waitForURL(/\/login\//),
        run(page, "redirect", "where I was").catch(() => undefined),
      ]);
      await fillIn(page);
      await page.waitForURL(`${party.origin}/callback?**`);
      const user = await run(page, "callback");
      note(user);
      expect(user).toMatchObject({
        subject: person.userId,
        username: person.username,
        state: "where I was",
      });
      expect(await run(page, "userinfo", user.accessToken)).toMatchObject({
        status: 200,
        claims: { sub: person.userId },
      });
      const refreshed = await run(page, "refresh");
      note(refreshed);
      expect(refreshed.refreshToken).not.toBe(user.refreshToken);
      await Promise.all([
        page.waitForURL(`${party.origin}/goodbye**`),
        run(page, "signOut").catch(() => undefined),
      ]);
      await Promise.all([page.waitForURL(/\/login\//), run(page, "redirect", "").catch(() => undefined)]);
      expect(await page.locator('input[type="password"]').count()).toBe(1);
    });
  });

  test("logs in by a window of its own, which hands over what it got", async () => {
    await visit(async (page, context) => {
      const opened = context.waitForEvent("page");
      const loggedIn = run(page, "popup");
      await fillIn(await opened);
      const user = await loggedIn;
      note(user);
      expect(user.subject).toBe(person.userId);
      await run(page, "revoke");
      const again = context.waitForEvent("page");
      const quietly = run(page, "popup");
      await again; // the session of the browser suffices
      const second = await quietly;
      note(second);
      expect(second.subject).toBe(person.userId);
    });
  });
});
