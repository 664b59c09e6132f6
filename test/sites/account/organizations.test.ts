// How people whose organization has ways of its own come to the pages of their account.
import { afterAll, describe, expect, test } from "@jest/globals";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { addProvider, openBrowser, titleOf } from "../federation/support/place.ts";
import { startProvider } from "../federation/support/provider.ts";
import { addOrganization } from "../login/support/people.ts";
import type { UserAgent, Visited } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
afterAll(async () => {
  provider.stop();
  await service.stop();
});

const minuteMs = 60_000;
const urlOf = (path: string) => `http://localhost:${service.port}${path}`;
const textOf = ({ page }: Visited) => page?.text ?? "";

/** Makes an organization whose people log in at the provider, and have an account as soon as they do. */
async function createPlace() {
  const organizationId = await addOrganization(service, "Lamp Works");
  const settings = { name: "Staff directory", autoRegister: true };
  const idpId = await addProvider(service, organizationId, provider, settings);
  const accountUrl = urlOf(`/account?organization=${organizationId}`);
  return { organizationId, idpId, accountUrl };
}

/** Presses the button of the provider, where the user `as` logs in. */
async function logInAtProvider(
  browser: UserAgent,
  { page, idpId, as }: { readonly page: Visited; readonly idpId: string; readonly as: string },
) {
  const { url } = await browser.submit(page, { provider: idpId });
  const username = `${as}-${idpId}`; // no other organization has it
  const userinfo = { sub: as, preferred_username: username, email: `${username}@example.com` };
  provider.play({ userinfo });
  return { asked: url, back: await browser.open(provider.logIn(url, as).href) };
}

describe("a link with an organization", () => {
  test("offers the ways of the organization, and lets its people in", async () => {
    const { accountUrl, idpId } = await createPlace();
    const browser = openBrowser(service);
    const page = await browser.open(accountUrl);
    expect(textOf(page)).toContain("Staff directory");
    const { back, asked } = await logInAtProvider(browser, { page, idpId, as: "ada" });
    expect([back.url.pathname, ...titleOf(back)]).toEqual(["/account", 200, "Your account"]);
    expect(asked.searchParams.has("prompt")).toBe(false);
  });

  test("leads to a page below, too", async () => {
    const { organizationId, idpId } = await createPlace();
    const browser = openBrowser(service);
    const page = await browser.open(urlOf(`/account/sessions?organization=${organizationId}`));
    const { back } = await logInAtProvider(browser, { page, idpId, as: "ada" });
    expect(back.url.pathname).toBe("/account/sessions");
    expect(textOf(back)).toContain("with another account");
  });

  test.each(["", "0", "1", "%00", "%C3%28", "x".repeat(2000)])(
    "that does not exist (%j) is as one without",
    async (id) => {
      const page = await openBrowser(service).open(urlOf(`/account?organization=${id}`));
      expect(titleOf(page)).toEqual([200, "Sign in"]);
      expect(textOf(page)).not.toContain("Staff directory");
    },
  );

  test("that is deactivated is as one without", async () => {
    const { organizationId, accountUrl } = await createPlace();
    await createCaller(service, organizationId)(OrganizationService.method.deactivateOrganization, {
      id: organizationId,
    });
    const page = await openBrowser(service).open(accountUrl);
    expect(titleOf(page)).toEqual([200, "Sign in"]);
    expect(textOf(page)).not.toContain("Staff directory");
  });

  test("lets nobody of another organization in", async () => {
    const [own, other] = [await createPlace(), await createPlace()];
    const browser = openBrowser(service);
    const page = await browser.open(own.accountUrl);
    const refused = await browser.submit(page, { provider: other.idpId });
    expect(refused.url.origin).toBe(urlOf(""));
  });
});

describe("a new login", () => {
  test("offers the ways of the user's organization, and asks the provider for a new login, too", async () => {
    const { accountUrl, idpId } = await createPlace();
    const browser = openBrowser(service);
    await logInAtProvider(browser, { page: await browser.open(accountUrl), idpId, as: "ada" });
    service.clock.turn(10 * minuteMs);
    const page = await browser.open(urlOf("/account/links"));
    expect(textOf(page)).toContain("Staff directory");
    const { asked, back } = await logInAtProvider(browser, { page, idpId, as: "ada" });
    expect(asked.searchParams.get("prompt")).toBe("login");
    expect(back.url.pathname).toBe("/account/links");
    expect(textOf(back)).toContain("<strong><bdi>Staff directory</bdi></strong>");
  });

  test("lets nobody else of the organization in", async () => {
    const { accountUrl, idpId } = await createPlace();
    const browser = openBrowser(service);
    await logInAtProvider(browser, { page: await browser.open(accountUrl), idpId, as: "ada" });
    service.clock.turn(10 * minuteMs);
    const page = await browser.open(urlOf("/account/links"));
    const { back } = await logInAtProvider(browser, { page, idpId, as: "grace" });
    expect(textOf(back)).not.toContain("<strong><bdi>Staff directory</bdi></strong>");
    expect(back.url.pathname).not.toBe("/account/links");
  });

  test("after signing out is one of the organization", async () => {
    const { organizationId, accountUrl, idpId } = await createPlace();
    const browser = openBrowser(service);
    const page = await browser.open(accountUrl);
    const { back } = await logInAtProvider(browser, { page, idpId, as: "ada" });
    const end = await browser.submit(back, {});
    expect(titleOf(end)).toEqual([200, "You are signed out"]);
    expect(textOf(end)).toContain(`href="/account?organization=${organizationId}"`);
  });
});
