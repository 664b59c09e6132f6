import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  titleOf,
} from "../../sites/federation/support/place.ts";
import { startProvider, type TestProvider } from "../../sites/federation/support/provider.ts";
import { openUserAgent, type UserAgent } from "../../sites/oidc/support/user-agent.ts";
import { createTestClock } from "../../support/clock.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { type Pair, startPair } from "./support/pair.ts";

// A browser leaves from one process and comes back to the other, and neither has to know.

const port = 4712;
const issuer = `http://localhost:${port}`;

let pair: Pair;
let one: HttpClient;
let other: HttpClient;
let provider: TestProvider;
let place: FederationPlace;
beforeAll(async () => {
  pair = await startPair({ issuer });
  [one, other] = [createHttpClient(pair.one.url), createHttpClient(pair.other.url)];
  provider = await startProvider(createTestClock(Date.now()));
  place = await createFederationPlace(pair.one, provider);
});
afterAll(async () => {
  one.close();
  other.close();
  provider.stop();
  await pair.close();
});

/** A browser each of whose requests comes to the process that did not get the one before. */
function openBrowser(): UserAgent {
  let requests = 0;
  return openUserAgent({
    origin: issuer,
    send: (request) => (requests++ % 2 === 0 ? one : other).send(request),
  });
}

const exchanges = () => provider.asked.filter(({ path }) => path === "/token").length;

test("a browser may come back to either process", async () => {
  for (let round = 0; round < 4; round++) {
    const browser = openBrowser();
    const url = await leaveForProvider({ port }, place, browser);
    const before = exchanges();
    expect(titleOf(await browser.open(provider.logIn(url).href))).not.toEqual([400, "Please begin again"]);
    expect(exchanges()).toBe(before + 1);
  }
});

test("of 8 who bring an answer at once, at both processes, one is heard", async () => {
  for (let round = 0; round < 4; round++) {
    const browser = openBrowser();
    const url = await leaveForProvider({ port }, place, browser);
    const before = exchanges();
    const back = provider.logIn(url).href;
    await Promise.all(Array.from({ length: 8 }, () => browser.open(back)));
    expect(exchanges()).toBe(before + 1);
  }
});

test("a login that another browser has brought an answer for is over at both processes", async () => {
  const browser = openBrowser();
  const url = await leaveForProvider({ port }, place, browser);
  const [id = ""] = [...browser.cookies.keys()].flatMap((name) => /[0-9]+$/.exec(name) ?? []);
  await openBrowser().open(provider.logIn(url).href);
  for (let request = 0; request < 2; request++)
    expect(titleOf(await browser.open(`${issuer}/login/${id}`))).toEqual([400, "Please begin again"]);
});
