// What comes to the endpoint of logins, and to the path where they go on, that must not get in.
import { afterAll, describe, expect, test } from "@jest/globals";
import { createLoginPlace, createPerson } from "../oidc/support/login-place.ts";
import { browse } from "../oidc/support/signed-in.ts";
import { type UserAgent } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { uniqueName } from "../../support/world.ts";
import { toQuery, writeRequest } from "./support/messages.ts";
import {
  addScriptedParty,
  openBrowser,
  openSignedIn,
  originOf,
  type Sending,
  switchOff,
} from "./support/scripted-party.ts";
import { largeTest } from "../../support/large.ts";

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const party = await addScriptedParty(service, place);
afterAll(() => service.stop());

const cookieOf = ({ cookies }: Pick<UserAgent, "cookies">) =>
  [...cookies].map((pair) => pair.join("=")).join("; ");

/** Begins a login by POST, and stops before the browser comes back. */
async function begin(browser: UserAgent, sending: Sending = {}): Promise<string> {
  const query = new URL(party.urlOf({ isSigned: false, ...sending })).search.slice(1);
  const { status, headers } = await service.http.send({
    method: "POST",
    path: "/saml/v2/SSO",
    headers: {
      host: new URL(originOf(service)).host,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: query,
  });
  expect(status).toBe(303);
  for (const line of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    browser.cookies.set(name, value);
  }
  return new URL(headers.get("location") ?? "").pathname;
}

describe("a login that goes on", () => {
  test("is that of the browser that has its cookie, whoever has a session", async () => {
    const path = await begin(openBrowser(service));
    const other = await openSignedIn(service, person.userId);
    const foreign = await browse(service, path, { cookie: cookieOf(other) });
    expect([foreign.status, foreign.text]).toEqual([400, expect.not.stringContaining("SAMLResponse")]);
    const id = path.split("/").at(-1) ?? "";
    const guessed = `${cookieOf(other)}; gh_login_${id}=${"A".repeat(43)}`;
    expect((await browse(service, path, { cookie: guessed })).status).toBe(400);
  });

  test("gives one answer, and then the user has to begin again", async () => {
    const browser = await openSignedIn(service, person.userId);
    const path = await begin(browser);
    const cookie = cookieOf(browser);
    const answers = await Promise.all([1, 2, 3].map(() => browse(service, path, { cookie })));
    const later = await browse(service, path, { cookie });
    const statuses = [...answers, later].map(({ status }) => status);
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 400, 400, 400]);
    expect(later.text).not.toContain("SAMLResponse");
    expect(later.text).toContain('/console/">Go to the console</a>');
  });

  test("ends with a refusal once, too", async () => {
    const browser = openBrowser(service);
    const path = await begin(browser, { attributes: { IsPassive: "true" } });
    const cookie = cookieOf(browser);
    const { text } = await browse(service, path, { cookie });
    expect(text).toContain("SAMLResponse");
    expect((await browse(service, path, { cookie })).status).toBe(400);
  });

  test("gives nothing after the application was switched off", async () => {
    const browser = await openSignedIn(service, person.userId);
    const path = await begin(browser);
    const switchOn = await switchOff(service, "application", party);
    const { status, text } = await browse(service, path, { cookie: cookieOf(browser) });
    await switchOn();
    expect([status, text]).toEqual([400, expect.not.stringContaining("SAMLResponse")]);
  });

  test.each([
    ["", 404],
    ["1/2", 404],
    ["0", 404],
    ["a", 404],
    ["%00", 404],
    ["1", 400],
  ])("is at no path like %s", async (id, status) => {
    expect((await browse(service, `/saml/v2/continue/${id}`)).status).toBe(status);
  });

  test("is got by no other verb", async () => {
    const headers = { host: new URL(originOf(service)).host };
    const sent = await service.http.send({ method: "POST", path: "/saml/v2/continue/1", headers });
    expect([sent.status, sent.headers.get("allow")]).toEqual([405, "GET"]);
    const put = await service.http.send({ method: "PUT", path: "/saml/v2/SSO", headers });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });
});

test.each(["ask", "askByPost"] as const)("a browser has at most 20 logins begun by %s", async (ask) => {
  const browser = openBrowser(service);
  const namesIn = () => [...browser.cookies.keys()].filter((name) => name.startsWith("gh_login_"));
  for (let count = 0; count < 20; count++) {
    await party[ask](browser);
    service.clock.turn(1); // ids grow with the milliseconds
  }
  const [oldest = "", ...others] = namesIn();
  const { url } = await party[ask](browser);
  expect(namesIn()).toEqual([...others, `gh_login_${url.pathname.split("/").at(-1)}`]);
  expect(others).not.toContain(oldest);
});

describe("a message that may not be answered", () => {
  test("is one line of the log and one count, without anything that it holds", async () => {
    const canary = uniqueName("canary").replaceAll(" ", "-");
    const before = service.log().length;
    await party.ask(openBrowser(service), {
      relayState: canary,
      attributes: { AssertionConsumerServiceURL: `https://${canary}.example/` },
    });
    const lines = service
      .log()
      .slice(before)
      .split("\n")
      .filter((line) => line.includes("saml.refused"));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      application_id: party.appId,
      reason: "acs",
      binding: "redirect",
    });
    expect(service.log()).not.toContain(canary);
    const { text } = await browse(service, "/metrics");
    expect(text).toMatch(/saml_messages_total\{kind="login",binding="redirect",outcome="acs"\} \d/);
    expect(text).toMatch(/saml_messages_total\{kind="login",binding="redirect",outcome="accepted"\} \d/);
  });

  test("looks the same from an unknown sender and from one that is switched off", async () => {
    const off = await addScriptedParty(service, place);
    await switchOff(service, "application", off);
    const destination = `${originOf(service)}/saml/v2/SSO`;
    const message = { entityId: "urn:unknown", id: "_id", nowMs: service.clock.nowMs(), destination };
    const query = toQuery("SAMLRequest", writeRequest(message), { keys: off.keys });
    const unknown = await openBrowser(service).open(`${destination}?${query}`);
    const pages = [unknown, await off.ask(openBrowser(service))].map(({ page }) => [
      page?.status,
      page?.text.replace(/Request [\da-f]+/, ""),
    ]);
    expect(pages[0]).toEqual(pages[1]);
  });
});

test("a browser without the name of the issuer is sent there first", async () => {
  const { pathname, search } = new URL(party.urlOf());
  const { status, headers } = await service.http.send({
    method: "GET",
    path: `${pathname}${search}`,
    headers: { host: `127.0.0.1:${service.port}` },
  });
  expect([status, headers.get("location")]).toEqual([303, `${originOf(service)}${pathname}${search}`]);
});

largeTest(
  "100 unsigned requests a minute may wait at an address; signed ones and those of sessions always may",
  async () => {
    service.clock.turn(60_000);
    const unsigned = { isSigned: false } as const;
    for (let count = 0; count < 100; count++)
      expect((await party.ask(openBrowser(service), unsigned)).page?.status).toBe(200);
    for (const ask of ["ask", "askByPost"] as const) {
      const { page } = await party[ask](openBrowser(service), unsigned);
      expect([page?.status, Number(page?.headers.get("retry-after")) > 0]).toEqual([429, true]);
    }
    expect((await party.ask(openBrowser(service))).page?.status).toBe(200);
    const known = await openSignedIn(service, person.userId);
    expect(party.read(await party.ask(known, unsigned)).status).toBe("Success");
    service.clock.turn(60_000);
    const start = await party.ask(openBrowser(service), unsigned);
    expect(start.page?.status).toBe(200);
  },
);

largeTest.each([
  ["NoPassive", { attributes: { IsPassive: "true" } }],
  ["InvalidNameIDPolicy", { content: '<samlp:NameIDPolicy Format="urn:unknown"/>' }],
])("100 unsigned requests a minute are refused at an address, as with %s", async (second, sending) => {
  service.clock.turn(60_000);
  const unsigned = { ...sending, isSigned: false } as const;
  for (let count = 0; count < 100; count++)
    expect(party.read(await party.ask(openBrowser(service), unsigned)).status).toContain(second);
  const { page, posted } = await party.ask(openBrowser(service), unsigned);
  expect([page?.status, Number(page?.headers.get("retry-after")) > 0, posted]).toEqual([
    429,
    true,
    undefined,
  ]);
  expect(party.read(await party.ask(openBrowser(service), sending)).status).toContain(second);
  service.clock.turn(60_000);
  expect(party.read(await party.ask(openBrowser(service), unsigned)).status).toContain(second);
});
