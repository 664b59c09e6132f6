// A provider that falls silent at one of its endpoints: the browser gets a page once the limit is over, and nobody is linked or made.
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import type { GuardedFetch } from "../../../src/kernel/outbound/guarded-fetch.ts";
import { formsOf } from "../login/support/browser.ts";
import { addIdentityPlace, addLink, newIdentity, readLinks } from "../login/support/identities.ts";
import { type LoginStage, startLoginStage } from "../login/support/login-stage.ts";
import { startProvider, type TestProvider } from "./support/provider.ts";

/** The limit of a request to a provider; the tests wait for less of it. */
const limitMs = 5_000;
const shortMs = 50;

let stage: LoginStage;
let provider: TestProvider;
/** The endpoint that is silent. */
let silent = "";
const limits = new Set<number>();

beforeAll(async () => {
  stage = await startLoginStage("https", {}, undefined, { toFetcher: hurry });
  const { clock } = stage.fixture;
  clock.turn(Date.now() - clock.nowMs()); // the library that redeems codes has no other clock
  provider = await startProvider(clock);
});
afterEach(() => {
  silent = "";
  provider.play({});
});
afterAll(async () => {
  provider.stop();
  await stage.stop();
});

/** Gives the silent endpoint less time, and notes how much it would have had. */
function hurry(fetcher: GuardedFetch): GuardedFetch {
  const shorten = <T extends { readonly timeoutMs: number }>(url: string, options: T): T => {
    if (new URL(url).pathname !== silent) return options;
    limits.add(options.timeoutMs);
    return { ...options, timeoutMs: shortMs };
  };
  return {
    ...fetcher,
    get: (url, options) => fetcher.get(url, shorten(url, options)),
    getOnce: (url, options) => fetcher.getOnce(url, shorten(url, options)),
    post: (url, fields, options) => fetcher.post(url, fields, shorten(url, options)),
  };
}

async function addPlace() {
  const { issuer, clientId, clientSecret } = provider;
  const place = await addIdentityPlace(stage, { autoRegister: true, issuer, clientId });
  const { context } = stage.fixture;
  const id = `idp-client-secret:${place.provider.id}`;
  const sealed = context.keyring.encrypt("client-secret", Buffer.from(clientSecret), id);
  await context.database.write((tx) => putSecret(tx, id, sealed));
  return place;
}

const countUsers = async () =>
  (await stage.fixture.database.read((tx) => tx.all("SELECT id FROM users"))).length;

/** Goes to the provider by its button. */
async function leave(place: Awaited<ReturnType<typeof addPlace>>) {
  const browser = stage.browser();
  const page = await browser.open(stage.path(place.request));
  const index = formsOf(page.text).findIndex(({ action }) => action.endsWith("/idp"));
  return { browser, away: await page.submit({ provider: place.provider.id }, { index }) };
}

const away = [503, "You cannot sign in there at the moment"];
const discovery = "/.well-known/openid-configuration";

const silences: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "does not answer": () => undefined,
  "does not end its answer": (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"');
  },
};

test.each(
  [discovery, "/token", "/keys"].flatMap((path) => Object.keys(silences).map((how) => [path, how] as const)),
)("%s %s", async (path, how) => {
  const place = await addPlace();
  const person = await stage.addPerson(place.organization);
  const before = [await countUsers(), stage.ended.length];
  silent = path;
  limits.clear();
  provider.play({ answers: { [path]: silences[how] ?? (() => undefined) } });
  const left = await leave(place);
  const page =
    path === discovery
      ? left.away
      : await left.browser.open(provider.logIn(new URL(left.away.location ?? "")).href);
  expect([page.status, page.title]).toEqual(away);
  expect([...limits]).toEqual([limitMs]);
  expect([await countUsers(), stage.ended.length]).toEqual(before);
  expect(await readLinks(stage, place.provider)).toEqual([]);
  expect(stage.log()).not.toContain(provider.subject);
  // The login goes on in another way, and with the provider once it answers.
  provider.play({});
  silent = "";
  stage.fixture.clock.turn(limitMs);
  const identity = newIdentity(place.provider, {}, { subject: provider.subject });
  await addLink(stage, person, { provider: place.provider, identity });
  const again = await leave(place);
  const end = await again.browser.open(provider.logIn(new URL(again.away.location ?? "")).href);
  expect(end.location).toContain("code=");
});

test.each(Object.keys(silences))("/userinfo %s, and only its claims are missing", async (how) => {
  const place = await addPlace();
  const person = await stage.addPerson(place.organization);
  const identity = newIdentity(place.provider, {}, { subject: provider.subject });
  await addLink(stage, person, { provider: place.provider, identity });
  silent = "/userinfo";
  limits.clear();
  provider.play({ answers: { "/userinfo": silences[how] ?? (() => undefined) } });
  const left = await leave(place);
  const end = await left.browser.open(provider.logIn(new URL(left.away.location ?? "")).href);
  expect(end.location).toContain("code=");
  expect([...limits]).toEqual([limitMs]);
});
