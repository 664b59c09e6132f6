// Logouts of service providers with node-saml 5.1, begun by one of them, and told to the others.
import { afterAll, describe, expect, test } from "@jest/globals";
import { type Profile, ValidateInResponseTo } from "@node-saml/node-saml";
import { endLogin, type UserAgent, type Visited } from "../../oidc/support/user-agent.ts";
import { startService } from "../../../support/service.ts";
import { addNodeSamlParty, type NodeSamlParty, postedTo } from "./node-saml.ts";
import { makePartyKeys } from "./party-keys.ts";
import { createSamlPlace } from "./saml-place.ts";

const signing = makePartyKeys();
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

const service = await startService();
const place = await createSamlPlace(service);
afterAll(() => service.stop());

const add = () =>
  addNodeSamlParty(place, {
    signing,
    saml: { identifierFormat: persistent, validateInResponseTo: ValidateInResponseTo.ifPresent },
  });

/** Logs in to a service provider, with the password if it is asked for. Returns whom it knows then. */
async function enter(browser: UserAgent, party: NodeSamlParty): Promise<Profile> {
  const { profile } = await party.take(await endLogin(browser, await party.ask(browser), place.person));
  if (profile === null) throw new Error("nobody has logged in");
  return profile;
}

const askForLogout = async (browser: UserAgent, party: NodeSamlParty, profile: Profile, relayState = "bye") =>
  await browser.open(await party.saml.getLogoutUrlAsync(profile, relayState, {}));

/** Plays the service provider that gets a LogoutRequest: it ends its session and sends the browser back. */
async function obey(
  browser: UserAgent,
  party: NodeSamlParty,
  visited: Visited,
): Promise<readonly [Profile | null, Visited]> {
  const { SAMLRequest = "", RelayState = "" } = postedTo(visited, party.slo);
  const { profile } = await party.saml.validatePostRequestAsync({ SAMLRequest });
  const back = await party.saml.getLogoutResponseUrlAsync(profile, RelayState, {}, true);
  return [profile, await browser.open(back)];
}

/** Reads the LogoutResponse that the browser brings. Throws what node-saml says against it. */
async function takeGoodbye(party: NodeSamlParty, visited: Visited) {
  const { SAMLResponse = "", RelayState } = postedTo(visited, party.slo);
  const { loggedOut } = await party.saml.validatePostResponseAsync({ SAMLResponse });
  const xml = Buffer.from(SAMLResponse, "base64").toString();
  const statuses = [...xml.matchAll(/StatusCode Value="[^"]*:(\w+)"/g)].map(([, status]) => status);
  return { loggedOut, relayState: RelayState, statuses };
}

async function asksForPassword(browser: UserAgent, party: NodeSamlParty): Promise<boolean> {
  return (await party.ask(browser)).page?.text.includes('type="password"') === true;
}

describe("a logout that node-saml asks for", () => {
  test("ends the session, and is answered with Success", async () => {
    const [browser, party] = [place.openBrowser(), await add()];
    const profile = await enter(browser, party);
    const end = await takeGoodbye(party, await askForLogout(browser, party, profile));
    expect(end).toEqual({ loggedOut: true, relayState: "bye", statuses: ["Success"] });
    expect(await asksForPassword(browser, party)).toBe(true);
  });

  test("is told to the other service providers of the session, each in its own words, and then answered", async () => {
    const browser = place.openBrowser();
    const parties = [await add(), await add(), await add()] as const;
    const profiles: Profile[] = [];
    for (const party of parties) profiles.push(await enter(browser, party));
    let visited = await askForLogout(browser, parties[0], profiles[0]!);
    const told = new Map<string, string | undefined>();
    for (let index = 0; index < 2; index++) {
      const party = parties.find(({ slo }) => slo === visited.url.href) ?? parties[0];
      const [profile, next] = await obey(browser, party, visited);
      told.set(party.entityId, profile?.nameID);
      visited = next;
    }
    expect(told).toEqual(new Map([1, 2].map((at) => [parties[at]!.entityId, profiles[at]!.nameID])));
    expect(await takeGoodbye(parties[0], visited)).toEqual({
      loggedOut: true,
      relayState: "bye",
      statuses: ["Success"],
    });
    for (const party of parties) expect(await asksForPassword(browser, party)).toBe(true);
  });
});
