// SAML Profiles §4.1.5: a login that begins here, without a request.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  createLoginPlace,
  createPerson,
  type LoginPlace,
  type TestPerson,
} from "../oidc/support/login-place.ts";
import { endLogin } from "../oidc/support/user-agent.ts";
import { startService, type TestService } from "../../support/service.ts";
import {
  addScriptedParty,
  openBrowser,
  openSignedIn,
  originOf,
  type ScriptedParty,
  switchOff,
} from "./support/scripted-party.ts";

let service: TestService;
let place: LoginPlace;
let person: TestPerson;
beforeAll(async () => {
  service = await startService();
  place = await createLoginPlace(service);
  person = await createPerson(service, place.organizationId);
});
afterAll(() => service.stop());

const startOf = ({ appId }: Pick<ScriptedParty, "appId">, query = "") =>
  `${originOf(service)}/saml/v2/start/${appId}${query}`;

test("answers nobody's request, with the RelayState of the settings or of the query", async () => {
  const party = await addScriptedParty(service, place);
  await party.setSettings({ allowIdpInitiated: true, defaultRelayState: "/home?a=1" });
  const browser = openBrowser(service);
  const answer = party.read(await endLogin(browser, await browser.open(startOf(party)), person));
  expect(answer).toMatchObject({
    status: "Success",
    relayState: "/home?a=1",
    inResponseTo: undefined,
    destination: party.acs,
    assertion: { inResponseTo: undefined, attributes: { UserID: [person.userId] } },
  });
  expect(answer.xml).not.toContain("InResponseTo");
  const again = party.read(await browser.open(startOf(party, "?RelayState=%2Fother%20page")));
  expect([again.status, again.relayState]).toEqual(["Success", "/other page"]);
  await party.setSettings({ allowIdpInitiated: true });
  expect(party.read(await browser.open(startOf(party))).relayState).toBeUndefined();
});

test("is for applications that allow it, and the page does not say which there are", async () => {
  const party = await addScriptedParty(service, place);
  const browser = await openSignedIn(service, person.userId);
  const look = async (id: string) => {
    const { page } = await browser.open(startOf({ appId: id }));
    return [page?.status, page?.text.replace(/Request [\da-f]+/, "")];
  };
  const refused = await look(party.appId);
  expect(refused[0]).toBe(403);
  // Nobody is asked for a password before.
  expect((await openBrowser(service).open(startOf(party))).page?.status).toBe(403);
  expect(await look("123")).toEqual(refused);
  await party.setSettings({ allowIdpInitiated: true });
  expect(party.read(await browser.open(startOf(party))).status).toBe("Success");
  await switchOff(service, "application", party);
  expect(await look(party.appId)).toEqual(refused);
  expect(await look("x%22%3E")).toEqual(refused);
  expect((await look("1/2"))[0]).toBe(404);
  expect((await look(""))[0]).toBe(404);
});

test("takes one RelayState that can come back as it was", async () => {
  const party = await addScriptedParty(service, place);
  await party.setSettings({ allowIdpInitiated: true });
  const browser = await openSignedIn(service, person.userId);
  const states = ["?RelayState=a&RelayState=b", "?RelayState=a%0Ab", `?RelayState=${"x".repeat(4097)}`];
  for (const query of states) expect((await browser.open(startOf(party, query))).page?.status).toBe(400);
  const marked = party.read(await browser.open(startOf(party, "?RelayState=%22%3E%3Cscript%3E")));
  expect(marked.relayState).toBe('"><script>');
});

test("ends in the page of the settings when they change while somebody logs in", async () => {
  const party = await addScriptedParty(service, place);
  await party.setSettings({ allowIdpInitiated: true });
  const browser = openBrowser(service);
  const begun = await browser.open(startOf(party));
  await party.setSettings({ allowIdpInitiated: false });
  // The page has no form: neither a next step nor an answer.
  await expect(endLogin(browser, begun, person)).rejects.toThrow(/no form [^]*This sign-in cannot begin/);
});
