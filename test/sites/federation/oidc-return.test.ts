// Which browsers may come back from a provider, with what, and how often.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { logIn } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { createCaller, uniqueName } from "../../support/world.ts";
import {
  addProvider,
  beginLogin,
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  openBrowser,
  titleOf,
} from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

const service = await startService({ dev: true });
/** Deletes nothing in the background. */
const quiet = await startService({ dev: true }, { isSweepOff: true });
const provider = await startProvider(service.clock);
const other = await startProvider(service.clock);
beforeEach(() => void provider.asked.splice(0));
afterEach(() => {
  provider.play({});
  other.play({});
});
afterAll(async () => {
  provider.stop();
  other.stop();
  await service.stop();
  await quiet.stop();
});

const begunAgain = [400, "Please begin again"];
const refused = [400, "You are not signed in"];
const exchanges = () => provider.asked.filter(({ path }) => path === "/token").length;

/** Somebody whose browser has been sent to the provider. */
async function leave(place?: FederationPlace) {
  const ground = place ?? (await createFederationPlace(service, provider, { autoRegister: true }));
  const browser = openBrowser(service);
  const url = await leaveForProvider(service, ground, browser);
  const [id = ""] = [...browser.cookies.keys()].flatMap((name) => /[0-9]+$/.exec(name) ?? []);
  return { place: ground, browser, url, page: `http://localhost:${service.port}/login/${id}` };
}

async function countVisits(): Promise<number> {
  return (await service.place.raw.dump())["provider_visits"]?.length ?? 0;
}

describe("a browser in which the login was not begun", () => {
  test.each([
    ["has no cookie", async () => openBrowser(service)],
    ["has logins of its own", async (place: FederationPlace) => (await leave(place)).browser],
  ])("lets nobody in, and ends the login: it %s", async (_name, open) => {
    const attacker = await leave();
    const victim = await open(attacker.place);
    const cookies = new Map(victim.cookies);
    expect(titleOf(await victim.open(provider.logIn(attacker.url).href))).toEqual(begunAgain);
    expect(exchanges()).toBe(0);
    expect(new Map(victim.cookies)).toEqual(cookies);
    expect(titleOf(await attacker.browser.open(attacker.page))).toEqual(begunAgain);
  });

  test("has a cookie of that name and another value", async () => {
    const attacker = await leave();
    const victim = openBrowser(service);
    for (const [name] of attacker.browser.cookies) victim.cookies.set(name, "A".repeat(43));
    expect(titleOf(await victim.open(provider.logIn(attacker.url).href))).toEqual(begunAgain);
    expect(exchanges()).toBe(0);
    expect(titleOf(await attacker.browser.open(attacker.page))).toEqual(begunAgain);
  });

  test("does not end a login whose state it has to guess", async () => {
    const { browser, url, page } = await leave();
    const guess = provider.logIn(url);
    guess.searchParams.set("state", "B".repeat(43));
    expect(titleOf(await openBrowser(service).open(guess.href))).toEqual(begunAgain);
    expect(titleOf(await browser.open(`${page}/another-way`))).toEqual([200, "Sign in"]);
  });

  test("keeps its own login when it is sent the answer of somebody else", async () => {
    const attacker = await leave();
    const victim = await leave(attacker.place);
    await victim.browser.open(provider.logIn(attacker.url).href);
    expect(titleOf(await victim.browser.open(victim.page))[0]).toBe(200);
    expect(titleOf(await victim.browser.open(provider.logIn(victim.url).href))).not.toEqual(begunAgain);
    expect(exchanges()).toBe(1);
  });
});

describe("an answer", () => {
  test("is good once", async () => {
    const { browser, url } = await leave();
    const back = provider.logIn(url).href;
    provider.play({ claims: { nonce: "another" } }); // the login goes on after it
    expect(titleOf(await browser.open(back))).toEqual(refused);
    expect(titleOf(await browser.open(back))).toEqual(begunAgain);
    expect(exchanges()).toBe(1);
  });

  test.each([
    ["as it is", (code: string) => code],
    ["with what a decoder passes over", (code: string) => `${code.slice(0, 9)} ${code.slice(9)}=`],
  ])(
    "that a malicious provider has let come to itself lets nobody in, %s (RFC 9700 §4.4)",
    async (_name, write) => {
      const silent = {
        metadata: { authorization_response_iss_parameter_supported: false },
        returned: { iss: undefined },
      };
      provider.play(silent);
      other.play(silent);
      const attacker = await leave();
      const victim = openBrowser(service);
      const trap = await leaveForProvider(service, await createFederationPlace(service, other), victim);
      const back = provider.logIn(attacker.url); // with the challenge and the nonce of the attacker
      const mixedUp = new URL(back);
      mixedUp.searchParams.set("state", trap.searchParams.get("state") ?? "");
      await victim.open(mixedUp.href);
      const code = other.asked.at(-1)?.form.get("code") ?? "";
      expect(code).toBe(back.searchParams.get("code"));
      back.searchParams.set("code", write(code));
      expect(titleOf(await attacker.browser.open(back.href))).toEqual(refused);
      expect(exchanges()).toBe(0);
    },
  );

  test("that is loaded again after the login leads on to the console", async () => {
    const { browser, url, page } = await leave();
    provider.play({ userinfo: { preferred_username: uniqueName("ada") } });
    const back = provider.logIn(url).href;
    expect((await browser.open(back)).url.searchParams.has("code")).toBe(true);
    for (const visited of [await browser.open(back), await browser.open(page)]) {
      expect(titleOf(visited)).toEqual(begunAgain);
      expect(visited.page?.text).toContain(
        `<a href="http://localhost:${service.port}/console/">Go to the console</a>`,
      );
    }
  });

  test("is good once, however many bring it at the same time", async () => {
    const { browser, url } = await leave();
    const back = provider.logIn(url).href;
    provider.play({ claims: { nonce: "another" } });
    const titles = await Promise.all(
      Array.from({ length: 8 }, async () => titleOf(await browser.open(back))),
    );
    expect(titles.filter(([, title]) => title === refused[1])).toHaveLength(1);
    expect(exchanges()).toBe(1);
  });

  test("to an earlier request of the same login is none", async () => {
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const page = await beginLogin(service, place, browser);
    const first = (await browser.submit(page, { provider: place.idpId })).url;
    await browser.submit(page, { provider: place.idpId });
    expect(titleOf(await browser.open(provider.logIn(first).href))).toEqual(begunAgain);
    expect(exchanges()).toBe(0);
  });

  test("with the code of another login is refused", async () => {
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const mine = provider.logIn(await leaveForProvider(service, place, browser));
    const foreign = provider.logIn((await leave(place)).url);
    mine.searchParams.set("code", foreign.searchParams.get("code") ?? "");
    expect(titleOf(await browser.open(mine.href))).toEqual(refused);
  });

  test("of another provider is refused, and its code goes to nobody", async () => {
    const place = await createFederationPlace(service, provider);
    await addProvider(service, place.organizationId, other);
    const browser = openBrowser(service);
    const url = await leaveForProvider(service, place, browser);
    expect(titleOf(await browser.open(other.logIn(url).href))).toEqual(refused);
    expect(exchanges()).toBe(0);
  });

  test.each([
    ["state", "400 This did not work"],
    ["code", "400 You are not signed in"],
    ["iss", "400 You are not signed in"],
  ])("with %s twice is refused", async (name, expected) => {
    const { browser, url } = await leave();
    const back = provider.logIn(url);
    back.searchParams.append(name, "x");
    expect(titleOf(await browser.open(back.href)).join(" ")).toBe(expected);
    expect(exchanges()).toBe(0);
  });

  test("after the time of the login is none", async () => {
    const { browser, url } = await leave();
    const back = provider.logIn(url).href;
    service.clock.turn(15 * 60_000);
    expect(titleOf(await browser.open(back))).toEqual(begunAgain);
    expect(exchanges()).toBe(0);
  });

  test("after the user has logged in otherwise changes nothing", async () => {
    const place = await createFederationPlace(service, provider);
    const person = await createPerson(service, place.organizationId);
    const browser = openBrowser(service);
    const page = await beginLogin(service, place, browser);
    const { url } = await browser.submit(page, { provider: place.idpId });
    const held = new Map(browser.cookies);
    expect((await logIn(browser, page, person)).origin).toBe("https://app.example");
    for (const [name, value] of held) browser.cookies.set(name, value);
    expect((await browser.open(provider.logIn(url).href)).page?.text).toContain("signed in");
    expect(exchanges()).toBe(0);
  });

  test("to an application that was switched off is used up", async () => {
    const { place, browser, url } = await leave();
    const { projectId } = place.application;
    const call = createCaller(service, place.organizationId);
    const { listApplications, deactivateApplication } = ApplicationService.method;
    const listed = await call(listApplications, { projectId });
    const [{ id: appId }] = listed["applications"] as [{ id: string }];
    await call(deactivateApplication, { projectId, appId });
    const before = await countVisits();
    expect(titleOf(await browser.open(provider.logIn(url).href))[0]).toBe(400);
    expect(await countVisits()).toBe(before - 1);
    expect(exchanges()).toBe(0);
  });

  test("that is an error leads to a page with a way back to the first one", async () => {
    provider.play({ returned: { code: undefined, error: "access_denied", error_description: "<b>no</b>" } });
    const { browser, url, page } = await leave();
    const denied = await browser.open(provider.logIn(url).href);
    expect(titleOf(denied)).toEqual([403, "You are not signed in"]);
    const { pathname } = new URL(page);
    expect(denied.page?.text).toContain(`href="${pathname}/another-way"`);
    expect(denied.page?.text).not.toContain("no</b>");
    expect(titleOf(await browser.open(`${page}/another-way`))).toEqual([200, "Sign in"]);
  });
});

describe("a provider that was changed meanwhile", () => {
  const idps = IdentityProviderService.method;
  const changes: Readonly<Record<string, (place: FederationPlace) => Promise<unknown>>> = {
    "was switched off": ({ organizationId, idpId }) =>
      createCaller(service, organizationId)(idps.deactivateIdentityProvider, { idpId }),
    "has another issuer": ({ organizationId, idpId }) =>
      createCaller(service, organizationId)(idps.updateIdentityProvider, {
        idpId,
        name: "Provider",
        config: {
          case: "oidc",
          value: { clientId: provider.clientId, clientSecret: "s", issuer: other.issuer },
        },
      }),
    "has another client": ({ organizationId, idpId }) =>
      createCaller(service, organizationId)(idps.updateIdentityProvider, {
        idpId,
        name: "Provider",
        config: { case: "oidc", value: { clientId: "another client", issuer: provider.issuer } },
      }),
  };

  test.each(Object.keys(changes))("is asked for nothing: it %s", async (name) => {
    const { place, browser, url } = await leave();
    await changes[name]?.(place);
    const ended = await browser.open(provider.logIn(url).href);
    expect(titleOf(ended)).toEqual([403, "This way to sign in is switched off"]);
    expect(exchanges()).toBe(0);
  });

  test("takes what waits for it along when it is removed", async () => {
    const { place, browser, url } = await leave();
    const before = await countVisits();
    const call = createCaller(service, place.organizationId);
    await call(idps.removeIdentityProvider, { idpId: place.idpId });
    expect(await countVisits()).toBe(before - 1);
    expect(titleOf(await browser.open(provider.logIn(url).href))).toEqual(begunAgain);
  });

  test("is gone with its organization", async () => {
    const { place, browser, url } = await leave();
    const { removeOrganization } = OrganizationService.method;
    await createCaller(service, place.organizationId)(removeOrganization, { id: place.organizationId });
    expect(titleOf(await browser.open(provider.logIn(url).href))[0]).toBe(400);
    expect(exchanges()).toBe(0);
  });
});

test("what waits for a browser goes with its login", async () => {
  const { page, browser } = await leave();
  expect(await countVisits()).toBeGreaterThan(0);
  const { database } = service.context;
  await database.write((tx) => tx.run("DELETE FROM interactions", []));
  expect(await countVisits()).toBe(0);
  expect(titleOf(await browser.open(page))).toEqual(begunAgain);
});

test.each([
  [
    "the provider",
    ({ organizationId, idpId }: FederationPlace) =>
      createCaller(quiet, organizationId)(IdentityProviderService.method.removeIdentityProvider, { idpId }),
  ],
  [
    "the organization of the provider",
    ({ organizationId: id }: FederationPlace) =>
      quiet.call(OrganizationService.method.removeOrganization, { id }),
  ],
])("what waits for a browser goes in the write that removes %s", async (_what, remove) => {
  const open = () => createFederationPlace(quiet, provider);
  const [place, kept] = [await open(), await open()];
  await leaveForProvider(quiet, kept, openBrowser(quiet));
  // At the application of another organization, so that the login outlives that of the provider.
  const { idpId, organizationId } = place;
  const scope = `openid urn:zitadel:iam:org:id:${organizationId}`;
  await leaveForProvider(quiet, { application: kept.application, idpId }, openBrowser(quiet), { scope });
  await remove(place);
  const visits = (await quiet.place.raw.dump())["provider_visits"] ?? [];
  expect(visits.map((row) => row["provider_id"])).not.toContain(place.idpId);
  expect(visits.map((row) => row["provider_id"])).toContain(kept.idpId);
});

describe("the path", () => {
  const send = (method: string, path: string) =>
    service.http.send({ method, path, headers: { host: `localhost:${service.port}` } });

  test.each(["/idps/callback", "/idps/callback?state=", "/idps/callback?code=%ff&state=x"])(
    "wants a state: %s",
    async (path) => expect((await send("GET", path)).status).toBe(400),
  );

  test("is there for GET and the forms of providers, and no other below", async () => {
    for (const verb of ["PUT", "HEAD"]) {
      const { status, headers } = await send(verb, "/idps/callback");
      expect([status, headers.get("allow")]).toEqual([405, "GET, POST"]);
    }
    expect((await send("GET", "/idps/other")).status).toBe(404);
  });
});
