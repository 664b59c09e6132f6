// An application that goes while somebody logs in to it: the login ends at a page, and what was kept of it goes with the application.
import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type LoginPlace,
} from "../oidc/support/login-place.ts";
import { toAuthorizationUrl, type UserAgent } from "../oidc/support/user-agent.ts";
import { addScriptedParty, openBrowser, originOf, switchOff } from "../saml/support/scripted-party.ts";
import { startService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";

const redirectUri = "https://app.example/callback";

const service = await startService();
const home = await createLoginPlace(service);
const person = await createPerson(service, home.organizationId);
afterAll(() => service.stop());

interface Target {
  readonly place: LoginPlace;
  readonly appId: string;
  /** Where the application sends the browser. */
  readonly url: string;
}

const targets = {
  async saml(): Promise<Target> {
    const place = await createLoginPlace(service);
    const { appId, urlOf } = await addScriptedParty(service, place);
    return { place, appId, url: urlOf() };
  },
  async oidc(): Promise<Target> {
    const place = await createLoginPlace(service);
    const { appId, clientId } = await createOidcApplication(service, place, { redirectUris: [redirectUri] });
    const url = toAuthorizationUrl(originOf(service), [
      ["client_id", clientId],
      ["redirect_uri", redirectUri],
      ["response_type", "code"],
      ["scope", "openid"],
    ]);
    return { place, appId, url };
  },
};

async function remove(
  what: "application" | "project" | "organization",
  { place, appId }: Target,
): Promise<void> {
  const { projectId, organizationId } = place;
  const call = createCaller(service, organizationId);
  if (what === "application") await call(ApplicationService.method.removeApplication, { projectId, appId });
  else if (what === "project") await call(ProjectService.method.removeProject, { id: projectId });
  else await call(OrganizationService.method.removeOrganization, { id: organizationId });
}

async function countOf({ appId }: Target): Promise<number> {
  const rows = await service.place.raw.peek("SELECT id FROM interactions WHERE application_id = ?", [appId]);
  return rows.length;
}

/** Logs in, and says what page there is instead of the application. */
async function submitIn(browser: UserAgent, start: Awaited<ReturnType<UserAgent["open"]>>) {
  const { username, password } = person;
  const { page, posted, url } = await browser.submit(start, { username, password });
  return { status: page?.status, posted, origin: url.origin };
}

describe.each(["saml", "oidc"] as const)("an application of %s", (protocol) => {
  const isPage = () => ({ status: 400, posted: undefined, origin: originOf(service) });

  test.each(["application", "project", "organization"] as const)(
    "is left at a page, and without a row, when the %s was removed",
    async (what) => {
      const target = await targets[protocol]();
      const browser = openBrowser(service);
      const start = await browser.open(target.url);
      expect([start.page?.status, await countOf(target)]).toEqual([200, 1]);
      await remove(what, target);
      expect(await countOf(target)).toBe(0);
      expect(await submitIn(browser, start)).toEqual(isPage());
      expect((await browser.open(start.url.href)).page?.status).toBe(400);
    },
  );

  test.each(["application", "project", "organization"] as const)(
    "is left at a page when the %s was switched off",
    async (what) => {
      const target = await targets[protocol]();
      const browser = openBrowser(service);
      const start = await browser.open(target.url);
      await switchOff(service, what, target);
      expect(await submitIn(browser, start)).toEqual(isPage());
      expect((await browser.open(start.url.href)).page?.status).toBe(400);
    },
  );
});
