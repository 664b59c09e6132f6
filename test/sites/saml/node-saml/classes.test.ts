// Classes of logins (RequestedAuthnContext) as node-saml asks for them: what the pages ask then, and what the assertion names.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SamlStatusError, type SamlConfig } from "@node-saml/node-saml";
import { endLogin, type UserAgent, type Visited } from "../../oidc/support/user-agent.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { registerTotp } from "../../../support/totp.ts";
import { messageOf } from "./message-of.ts";
import { addNodeSamlParty, type NodeSamlParty } from "./node-saml.ts";
import { createSamlPlace, type ServicePlace } from "./saml-place.ts";

const mfa = "https://refeds.org/profile/mfa";
const ours = "urn:gatehouse:acr:mfa";
const password = "urn:oasis:names:tc:SAML:2.0:ac:classes:Password";
const transport = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

let service: TestService;
let place: ServicePlace;
let app: Awaited<ReturnType<typeof registerTotp>>;
beforeAll(async () => {
  service = await startService();
  place = await createSamlPlace(service);
  app = await registerTotp(service, place.person.userId);
});
afterAll(() => service.stop());

/** node-saml has the time of the machine, while codes need a clock that goes on. */
const ask = (saml: Partial<SamlConfig>) =>
  addNodeSamlParty(place, { saml: { acceptedClockSkewMs: 3_600_000, ...saml } });

const asksFor = ({ page }: Visited) => [
  page?.text.includes('type="password"') === true,
  page?.text.includes('name="code"') === true,
];

async function typeCode(browser: UserAgent, page: Visited): Promise<Visited> {
  service.clock.turn(30_000); // each code is good once
  return await browser.submit(page, { code: app.code(service.clock.nowMs()) });
}

/** Logs in with both factors, the code after the password. */
async function logInTwice(browser: UserAgent, asked: Visited): Promise<Visited> {
  expect(asksFor(asked)).toEqual([true, false]);
  const page = await browser.submit(asked, { ...place.person, text: place.person.username });
  expect(asksFor(page)).toEqual([false, true]);
  return await typeCode(browser, page);
}

/** What the service provider learns of the login: its class and the instant, or a status. */
async function learn(party: NodeSamlParty, visited: Visited) {
  try {
    await party.take(visited);
  } catch (error) {
    if (error instanceof SamlStatusError) return [error.message.replace(/^.*: /, "")];
    throw error;
  }
  const xml = messageOf(visited);
  const [, instant = ""] = /AuthnInstant="([^"]+)"/.exec(xml) ?? [];
  const [, named] = /<saml:AuthnContextClassRef[^>]*>([^<]+)</.exec(xml) ?? [];
  return [named, Math.round((service.clock.nowMs() - Date.parse(instant)) / 1000)];
}

test("a class of two factors is reached by two, and named as it was asked for", async () => {
  const [two, own, one] = [
    await ask({ authnContext: ["urn:x", ours, mfa] }),
    await ask({ authnContext: [mfa] }),
    await ask({ authnContext: [password] }),
  ];
  const browser = place.openBrowser();
  expect(await learn(two, await logInTwice(browser, await two.ask(browser)))).toEqual([ours, 0]);
  service.clock.turn(60_000);
  expect(await learn(own, await own.ask(browser))).toEqual([mfa, 60]); // the session is enough
  expect((await learn(one, await one.ask(browser)))[0]).toBe(password);
});

test("a new login asks for all that the class needs, in spite of a session with both factors", async () => {
  const [first, anew] = [
    await ask({ authnContext: [mfa] }),
    await ask({ authnContext: [mfa], forceAuthn: true }),
  ];
  const browser = place.openBrowser();
  await logInTwice(browser, await first.ask(browser));
  expect(await learn(anew, await logInTwice(browser, await anew.ask(browser)))).toEqual([mfa, 0]);
});

test.each([
  ["minimum", [transport], mfa],
  ["better", [transport], mfa],
  ["maximum", [mfa], mfa],
] as const)(
  "two factors are named, if asked for a class by comparison: %s",
  async (racComparison, classes, named) => {
    const party = await ask({ authnContext: [...classes], racComparison });
    const browser = place.openBrowser();
    const visited = await logInTwice(browser, await party.ask(browser));
    expect(await learn(party, visited)).toEqual([named, 0]);
  },
);

test("whoever has no second factor gets no class of two quietly, and is asked to register one by a page", async () => {
  const other = await createSamlPlace(service);
  const browser = other.openBrowser();
  const add = (saml: Partial<SamlConfig>) =>
    addNodeSamlParty(other, { saml: { acceptedClockSkewMs: 3_600_000, ...saml } });
  const one = await add({ authnContext: [password] });
  expect((await learn(one, await endLogin(browser, await one.ask(browser), other.person)))[0]).toBe(password);
  const quiet = await add({ authnContext: [mfa], passive: true });
  const { profile } = await quiet.take(await quiet.ask(browser));
  expect(profile).toBeNull();
  const two = await add({ authnContext: [mfa] });
  const { url, page } = await two.ask(browser);
  expect([url.pathname, page?.status]).toEqual([expect.stringMatching(/^\/login\//), 200]);
});

test("nothing is better than two factors", async () => {
  const party = await ask({ authnContext: [mfa], racComparison: "better" });
  const browser = place.openBrowser();
  expect(await learn(party, await party.ask(browser))).toEqual(["NoAuthnContext"]);
});
