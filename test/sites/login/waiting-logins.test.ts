// What anybody can begin without a browser leaves rows: only so many wait in a network, whichever protocol they have begun by.
import { afterAll, expect, test } from "@jest/globals";
import { maxWaitingInteractions } from "../../../src/identity/logins/interactions/interaction.ts";
import { createLoginPlace, createOidcApplication, createPerson } from "../oidc/support/login-place.ts";
import { endLogin, openUserAgent, type UserAgent, type Visited } from "../oidc/support/user-agent.ts";
import { addScriptedParty, openBrowser, openSignedIn, originOf } from "../saml/support/scripted-party.ts";
import { startService } from "../../support/service.ts";
import { fillInteractions } from "../../support/waiting-interactions.ts";

const redirectUri = "https://app.example/callback";

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const party = await addScriptedParty(service, place);
const { clientId } = await createOidcApplication(service, place, { redirectUris: [redirectUri] });
const asked = { client_id: clientId, redirect_uri: redirectUri, response_type: "code", scope: "openid" };
const authorization = `${originOf(service)}/oauth/v2/authorize?${new URLSearchParams(asked).toString()}`;
afterAll(() => service.stop());

const rows = () =>
  service.context.database.read((tx) => tx.all<{ id: string }>("SELECT id FROM interactions ORDER BY id"));

/** Takes all places but one, as somebody does who sends one request of an application again and again. */
async function fill(): Promise<void> {
  const [first] = await rows();
  const taken = (await rows()).length;
  await fillInteractions(service.context.database, {
    like: first?.id ?? "",
    count: maxWaitingInteractions - 1 - taken,
  });
}

const beginnings: readonly (readonly [
  name: string,
  begin: (browser: UserAgent, url: string) => Promise<Visited>,
])[] = [
  ["a signed request of SAML", (browser, url) => browser.open(url)],
  ["one by POST", (browser) => party.askByPost(browser)],
  ["a request of OpenID Connect", (browser) => browser.open(authorization)],
  ["a page of the account", (browser) => browser.open(`${originOf(service)}/account`)],
];

const logOut = (browser: UserAgent) => browser.post(`${originOf(service)}/oidc/v1/end_session`, []);

test("a request that anybody can repeat stores no more when all places of the network are taken", async () => {
  const url = party.urlOf();
  const early = openBrowser(service);
  const start = await early.open(url);
  await fill();
  expect((await openBrowser(service).open(url)).page?.status).toBe(200); // the last place

  for (const [name, begin] of beginnings) {
    const { page } = await begin(openBrowser(service), url);
    expect([name, page?.status, Number(page?.headers.get("retry-after")) > 0]).toEqual([name, 429, true]);
    expect(page?.text).toContain("<html");
  }
  expect(await rows()).toHaveLength(maxWaitingInteractions);
  expect((await logOut(openBrowser(service))).page?.status).toBe(200); // logins do not count there

  // A session suffices without a row, and who has begun comes to the end, which makes room for one more.
  const known = await openSignedIn(service, person.userId);
  expect(party.read(await known.open(url)).status).toBe("Success");
  expect(party.read(await endLogin(early, start, person)).status).toBe("Success");
  expect((await openBrowser(service).open(url)).page?.status).toBe(200);
  expect((await openBrowser(service).open(url)).page?.status).toBe(429);

  service.clock.turn(900_000);
  for (const [name, begin] of beginnings) {
    const { page } = await begin(openBrowser(service), party.urlOf());
    expect([name, page?.status]).toEqual([name, 200]);
  }
});

/** A browser that asks for what is in a page of somebody else: all of its requests say what for. */
function openEmbedded(headers: Readonly<Record<string, string>>): UserAgent {
  return openUserAgent({
    origin: originOf(service),
    send: (request) => service.http.send({ ...request, headers: { ...request.headers, ...headers } }),
  });
}

test.each([
  { "sec-fetch-dest": "image", "sec-fetch-site": "cross-site" },
  { "sec-fetch-dest": "image", "sec-fetch-site": "same-site" },
  { "sec-fetch-dest": "empty", "sec-fetch-site": "cross-site" },
  { "sec-fetch-dest": "object", "sec-fetch-site": "same-origin" },
  { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" },
])("what another page embeds stores nothing: %p", async (headers) => {
  const before = await rows();
  for (const [name, begin] of [...beginnings, ["a logout by POST", logOut] as const]) {
    const { page } = await begin(openEmbedded(headers), party.urlOf());
    expect([name, page?.status, page?.text.includes("<html")]).toEqual([name, 403, true]);
  }
  const known = await openSignedIn(service, person.userId);
  const embedded = openEmbedded(headers);
  for (const [name, value] of known.cookies) embedded.cookies.set(name, value);
  expect((await embedded.open(`${originOf(service)}/oidc/v1/end_session`)).page?.status).toBe(403);
  expect(await rows()).toEqual(before);
});

test.each([
  { "sec-fetch-dest": "document", "sec-fetch-site": "cross-site" },
  { "sec-fetch-dest": "iframe", "sec-fetch-site": "same-site" },
  { "sec-fetch-dest": "frame", "sec-fetch-site": "same-origin" },
])("what a window or a frame of the same site opens begins: %p", async (headers) => {
  for (const [name, begin] of [...beginnings, ["a logout by POST", logOut] as const]) {
    const { page } = await begin(openEmbedded(headers), party.urlOf());
    expect([name, page?.status]).toEqual([name, 200]);
  }
});

test("a silent login in a frame of any site is answered as before", async () => {
  const frame = openEmbedded({ "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site" });
  const { url } = await frame.open(`${authorization}&prompt=none`);
  expect(url.searchParams.get("error")).toBe("login_required");
});
