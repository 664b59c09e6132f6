import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { createApplication } from "../oidc/support/application.ts";
import { getTokens } from "../oidc/support/signed-in.ts";
import { createHumanUser } from "../../support/world.ts";
import { type BroughtMessage, type LogoutParty } from "./support/logout-party.ts";
import { attribute } from "./support/elements.ts";
import { startLogoutStage } from "./support/logout-stage.ts";
import { makePartyKeys } from "./node-saml/party-keys.ts";

const stage = await startLogoutStage();
const party = await stage.addParty();
afterAll(() => stage.stop());

/** Somebody who has logged in at the service provider. */
async function begin(at: LogoutParty = party, userId?: string) {
  const browser = await stage.signIn(userId);
  return { browser, part: await at.takePart(browser.session.sessionId) };
}

const minute = 60_000;

describe("a LogoutRequest (SAML Profiles §4.4.3.2)", () => {
  test("by HTTP-Redirect ends the session, and is answered by HTTP-Redirect", async () => {
    const { browser, part } = await begin();
    const named = { nameId: part.nameId, sessionIndexes: [part.sessionIndex] };
    const brought = party.request(named, { id: "_asked", relayState: "a b&c=d/ü'" });
    const sent = stage.read(await browser.send(brought));
    expect(sent).toMatchObject({
      kind: "SAMLResponse",
      binding: "redirect",
      to: party.slo,
      relayState: "a b&c=d/ü'",
      inResponseTo: "_asked",
      issuer: `${stage.issuer}/saml/v2/metadata`,
      status: "Success",
    });
    expect(attribute(sent.root, "Destination")).toBe(party.slo);
    expect(await stage.endsOf(browser)).toEqual(["saml_logout"]);
    expect(browser.cookies.size).toBe(0);
  });

  test("by HTTP-POST ends the session, and is answered by HTTP-POST", async () => {
    const { browser, part } = await begin();
    const cookie = new Map(browser.cookies);
    browser.cookies.clear(); // a POST of another site comes without the session
    const answer = await browser.send(
      party.request({ nameId: part.nameId }, { id: "_posted", relayState: '"><b>', binding: "post" }),
    );
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(answer.text).toContain("You are being signed out");
    expect(stage.read(answer)).toMatchObject({
      binding: "post",
      to: party.slo,
      relayState: "&quot;&gt;&lt;b&gt;",
      inResponseTo: "_posted",
      status: "Success",
    });
    expect(await stage.isOver(browser)).toBe(true);
    for (const [name, value] of cookie) browser.cookies.set(name, value);
    expect((await browser.open("/account")).path).toMatch(/^\/login\//);
  });

  test.each(["%FFa%00%0d%0Ab", "a+b%20c%2f%2F~(é)".replace("é", "%c3%A9"), "=%61=", ""])(
    "gets its RelayState %j back by HTTP-Redirect, byte for byte (SAML Bindings §3.4.3)",
    async (encodedRelayState) => {
      const { browser, part } = await begin();
      const sent = stage.read(await browser.send(party.request(part, { encodedRelayState })));
      expect(sent).toMatchObject({ binding: "redirect", status: "Success", encodedRelayState });
    },
  );

  test("gets a RelayState of HTTP-POST back by HTTP-Redirect, where it takes no other answer", async () => {
    const at = await stage.addParty({ services: [{ binding: "redirect" }] });
    const { browser, part } = await begin(at);
    const relayState = "a\r\n\0 é";
    const sent = stage.read(await browser.send(at.request(part, { relayState, binding: "post" })));
    expect(sent).toMatchObject({ binding: "redirect", status: "Success", relayState });
  });

  test("with a RelayState that the form of the answer would change ends nothing (SAML Bindings §3.5.3)", async () => {
    const at = await stage.addParty({ services: [{ binding: "post" }] });
    const { browser, part } = await begin(at);
    for (const encodedRelayState of ["%FF", "a%0Ab", "a%0D", "%00"])
      expect((await browser.send(at.request(part, { encodedRelayState }))).status).toBe(400);
    const own = await begin();
    const posted = party.request(own.part, { relayState: "a\nb", binding: "post" });
    expect((await own.browser.send(posted)).status).toBe(400);
    expect([await stage.isOver(browser), await stage.isOver(own.browser)]).toEqual([false, false]);
    expect(stage.read(await browser.send(at.request(part, { relayState: "é" }))).relayState).toBe("é");
  });

  test("ends only the sessions of its SessionIndexes, and without one all of the user", async () => {
    const userId = await createHumanUser(stage.service, stage.world.organizationId);
    const [first, second, third] = [await begin(party, userId), await begin(party, userId), await begin()];
    const nameId = "the same in both";
    const indexes = [
      await party.takePart(first.browser.session.sessionId, nameId),
      await party.takePart(second.browser.session.sessionId, nameId),
    ].map(({ sessionIndex }) => sessionIndex);
    const isOver = async () => [
      await stage.isOver(first.browser),
      await stage.isOver(second.browser),
      await stage.isOver(third.browser),
    ];
    const send = async (sessionIndexes: readonly string[]) =>
      stage.read(await stage.open().send(party.request({ nameId, sessionIndexes }))).status;
    expect(await send(["_unknown"])).toBe("Responder/UnknownPrincipal");
    expect(await isOver()).toEqual([false, false, false]);
    expect(await send(["_unknown", indexes[0] ?? ""])).toBe("Success");
    expect(await isOver()).toEqual([true, false, false]);
    expect(await send([])).toBe("Success");
    expect(await isOver()).toEqual([true, true, false]);
  });

  test("lets applications of OpenID Connect hear of the end (OpenID Connect Back-Channel Logout §2.1)", async () => {
    const backChannelLogoutUri = "https://app.example/back-channel";
    const application = await createApplication(stage.service, stage.world, { backChannelLogoutUri });
    const { browser, part } = await begin();
    await getTokens(stage.service, application, { browser: browser.session });
    await browser.send(party.request({ nameId: part.nameId }));
    const waiting = await stage.service.context.database.read((tx) =>
      tx.all<{ application_id: string }>("SELECT application_id FROM logout_notices WHERE session_id = ?", [
        browser.session.sessionId,
      ]),
    );
    expect(waiting).toEqual([{ application_id: application.clientId }]);
  });

  test("is answered the same again", async () => {
    const { browser, part } = await begin();
    const brought = party.request({ nameId: part.nameId });
    const statuses = [await browser.send(brought), await browser.send(brought), await browser.send(brought)];
    expect(statuses.map((answer) => stage.read(answer).status)).toEqual(["Success", "Success", "Success"]);
    expect(await stage.endsOf(browser)).toEqual(["saml_logout"]);
  });

  test("for a name that another service provider knows ends nothing", async () => {
    const other = await stage.addParty();
    const { browser, part } = await begin();
    const named = { nameId: part.nameId, sessionIndexes: [part.sessionIndex] };
    for (const request of [named, { nameId: part.nameId }]) {
      const { status, to } = stage.read(await browser.send(other.request(request)));
      expect([status, to]).toEqual(["Responder/UnknownPrincipal", other.slo]);
    }
    expect(await stage.isOver(browser)).toBe(false);
  });

  test("is answered at the ResponseLocation, by another binding if there is no other", async () => {
    const at = await stage.addParty({
      services: [
        { binding: "post", location: "https://p.example/in", responseLocation: "https://p.example/out" },
      ],
    });
    const { browser, part } = await begin(at);
    const sent = stage.read(await browser.send(at.request({ nameId: part.nameId })));
    expect([sent.binding, sent.to]).toEqual(["post", "https://p.example/out"]);
    expect(attribute(sent.root, "Destination")).toBe("https://p.example/out");
  });

  test("is answered at a location with characters that a header cannot carry", async () => {
    const location = "https://p.example/выход?é=日本";
    const at = await stage.addParty({ services: [{ binding: "redirect", location }] });
    const { browser, part } = await begin(at);
    const sent = stage.read(await browser.send(at.request({ nameId: part.nameId })));
    expect([sent.to, sent.status]).toEqual([new URL(location).href, "Success"]);
    expect(attribute(sent.root, "Destination")).toBe(location);
    expect(await stage.isOver(browser)).toBe(true);
  });

  test("of a service provider that takes no answer ends in a page", async () => {
    const at = await stage.addParty({ services: [] });
    const { browser, part } = await begin(at);
    const answer = await browser.send(at.request({ nameId: part.nameId }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("You are signed out<")]);
    expect(await stage.isOver(browser)).toBe(true);
  });

  test("of a service provider that takes no answer ends in a page that says what did not happen", async () => {
    const at = await stage.addParty({ services: [] });
    const { browser, part } = await begin(at);
    const nobody = await browser.send(at.request({ nameId: "nobody" }));
    expect([nobody.status, nobody.text]).toEqual([
      400,
      expect.stringContaining("This sign-out cannot go on"),
    ]);
    expect(await stage.isOver(browser)).toBe(false);
    await (await stage.addParty({ services: [] })).takePart(browser.session.sessionId);
    const answer = await browser.send(at.request({ nameId: part.nameId }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("You are signed out here<")]);
  });

  test("is taken from 127.0.0.1 to the name of the issuer first", async () => {
    const { browser, part } = await begin();
    const brought = party.request({ nameId: part.nameId });
    const headers = { host: `127.0.0.1:${stage.service.port}` };
    const answer = await browser.send({ ...brought, headers });
    expect(answer.headers.get("location")).toBe(brought.url);
    expect(await stage.isOver(browser)).toBe(false);
  });
});

describe("a message that is not in order is a page, and changes nothing", () => {
  const named = { nameId: "somebody" };
  const makeRefused: Readonly<Record<string, () => BroughtMessage>> = {
    "unsigned in a query": () => party.request(named, { keys: undefined }),
    "unsigned in a form": () => party.request(named, { keys: undefined, binding: "post" }),
    "signed by another key in a query": () => party.request(named, { keys: makePartyKeys() }),
    "signed by another key in a form": () => party.request(named, { keys: makePartyKeys(), binding: "post" }),
    "of an unknown service provider": () => party.request(named, { issuer: "https://nobody.example" }),
    "for another path": () =>
      party.request(named, { attributes: { Destination: `${stage.issuer}/saml/v2/SSO` } }),
    "without Destination": () => party.request(named, { attributes: { Destination: undefined } }),
    "eleven minutes old": () => party.request(named, { attributes: { IssueInstant: instant(-11) } }),
    "eleven minutes ahead": () => party.request(named, { attributes: { IssueInstant: instant(11) } }),
    "past its NotOnOrAfter": () => party.request(named, { attributes: { NotOnOrAfter: instant(0) } }),
    "with a RelayState that was added": () => {
      const brought = party.request(named);
      return { ...brought, url: `${brought.url}&RelayState=x` };
    },
    "no message": () => ({ method: "GET", url: `${stage.issuer}/saml/v2/SLO` }),
    "an empty form": () => ({ method: "POST", url: `${stage.issuer}/saml/v2/SLO`, form: {} }),
  };
  const instant = (minutes: number) => new Date(stage.service.clock.nowMs() + minutes * minute).toISOString();

  test.each(Object.keys(makeRefused))("%s", async (name) => {
    const { browser } = await begin();
    await party.takePart(browser.session.sessionId, named.nameId);
    const brought = makeRefused[name]?.();
    if (brought === undefined) throw new Error("there is no such message");
    const answer = await browser.send(brought);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(answer.text).toContain("This sign-out cannot go on");
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await stage.isOver(browser)).toBe(false);
  });

  test("of an application that is switched off", async () => {
    const at = await stage.addParty();
    const { browser, part } = await begin(at);
    const about = { projectId: stage.world.projectId, appId: at.applicationId };
    await at.call(ApplicationService.method.deactivateApplication, about);
    expect((await browser.send(at.request({ nameId: part.nameId }))).status).toBe(400);
    expect(await stage.isOver(browser)).toBe(false);
    await at.call(ApplicationService.method.reactivateApplication, about);
    expect(stage.read(await browser.send(at.request({ nameId: part.nameId }))).status).toBe("Success");
  });

  test("of a service provider whose metadata has no key", async () => {
    const at = await stage.addParty({ hidesKey: true });
    const { browser, part } = await begin(at);
    for (const binding of ["redirect", "post"] as const)
      expect((await browser.send(at.request({ nameId: part.nameId }, { binding }))).status).toBe(400);
    expect(await stage.isOver(browser)).toBe(false);
  });

  test("is logged without what it holds", async () => {
    await stage.open().send(party.request({ nameId: "nobody who is logged" }, { keys: undefined }));
    const line = stage.service
      .log()
      .split("\n")
      .findLast((each) => each.includes("saml.refused"));
    expect(JSON.parse(line ?? "")).toMatchObject({
      application_id: party.applicationId,
      kind: "logout",
      binding: "redirect",
      reason: "unsigned",
    });
    expect(stage.service.log()).not.toContain("nobody who is logged");
  });

  test("such as by another verb, or below the path", async () => {
    const browser = stage.open();
    const url = `${stage.issuer}/saml/v2/SLO`;
    const put = await browser.send({ method: "PUT", url });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
    const post = await browser.send({ method: "POST", url: `${url}/1`, form: {} });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET"]);
    for (const path of ["/", "/x", "/1/2", "/0"])
      expect((await browser.send({ method: "GET", url: `${url}${path}` })).status).toBe(404);
    const over = await browser.send({ method: "GET", url: `${url}/1` });
    expect([over.status, over.text]).toEqual([400, expect.stringContaining("This sign-out is over")]);
  });
});
