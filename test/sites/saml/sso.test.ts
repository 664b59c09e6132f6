// SAML Profiles §4.1: Web Browser SSO.
import { afterAll, describe, expect, test } from "@jest/globals";
import { createLoginPlace, createPerson } from "../oidc/support/login-place.ts";
import { browse } from "../oidc/support/signed-in.ts";
import { endLogin } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import {
  addScriptedParty,
  openBrowser,
  openSignedIn,
  originOf,
  type ScriptedParty,
  switchOff,
} from "./support/scripted-party.ts";
import { escapeXml } from "./support/messages.ts";

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const party = await addScriptedParty(service, place);
afterAll(() => service.stop());

const relayState = "/a b?c=d&e='(!)~*+%2B\"<ü>\t&amp;";

describe.each(["ask", "askByPost"] as const)("a login by %s", (ask) => {
  test("ends at the service provider with a signed answer to its request", async () => {
    const browser = openBrowser(service);
    const start = await party[ask](browser, { id: "_request", relayState });
    expect(start.url.pathname).toMatch(/^\/login\/\d+$/);
    const end = await endLogin(browser, start, person);
    expect(end.url.href).toBe(party.acs);
    expect(party.read(end)).toMatchObject({
      relayState,
      status: "Success",
      inResponseTo: "_request",
      assertion: {
        format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        nameId: expect.stringMatching(/^[a-z2-7]{52}$/),
        inResponseTo: "_request",
        recipient: party.acs,
        classUri: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
        authority: undefined,
        attributes: { UserName: [person.username], UserID: [person.userId] },
      },
    });
    expect([...browser.cookies.keys()].toSorted()).toEqual(["gh_known", "gh_session"]);
  });

  test("needs no page while there is a session, and tells the same name and session", async () => {
    const browser = await openSignedIn(service, person.userId);
    const { relayState: none, assertion: first } = party.read(await party[ask](browser));
    const { assertion: second } = party.read(await party[ask](browser));
    expect(none).toBeUndefined();
    expect(first?.nameId).toMatch(/^[a-z2-7]{52}$/);
    expect(second).toMatchObject({ nameId: first?.nameId, sessionIndex: first?.sessionIndex });
    const other = party.read(await party[ask](await openSignedIn(service, person.userId)));
    expect(other.assertion?.nameId).toBe(first?.nameId);
    expect(other.assertion?.sessionIndex).not.toBe(first?.sessionIndex);
  });

  test("that may show no page tells that somebody has to log in (Core §3.4.1, IsPassive)", async () => {
    const passive = { id: "_passive", relayState, attributes: { IsPassive: "true" } };
    const browser = openBrowser(service);
    const answer = party.read(await party[ask](browser, passive));
    expect(answer).toMatchObject({ status: "Responder/NoPassive", inResponseTo: "_passive", relayState });
    expect(answer.assertion).toBeUndefined();
    const known = await openSignedIn(service, person.userId);
    expect(party.read(await party[ask](known, passive)).status).toBe("Success");
  });
});

describe("the answer", () => {
  test("is the body of a GET, never that of a POST (what a browser asks about before it sends it again)", async () => {
    const browser = await openSignedIn(service, person.userId);
    const origin = originOf(service);
    const headers = {
      host: new URL(origin).host,
      "content-type": "application/x-www-form-urlencoded;charset=utf8",
    };
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const body = new URL(party.urlOf()).searchParams;
    body.delete("SigAlg");
    body.delete("Signature");
    const posted = await service.http.send({
      method: "POST",
      path: "/saml/v2/SSO",
      headers: { ...headers, cookie },
      body: body.toString(),
    });
    const location = posted.headers.get("location") ?? "";
    expect([posted.status, posted.text]).toEqual([303, ""]);
    expect(location).toMatch(new RegExp(`^${origin}/saml/v2/continue/\\d+$`));
    const own = posted.headers.getSetCookie().map((line) => line.replace(/;.*/, ""));
    expect(own).toEqual([expect.stringMatching(/^gh_login_\d+=/)]);
    const {
      status,
      headers: answered,
      text,
    } = await browse(service, new URL(location).pathname, {
      cookie: [cookie, ...own].join("; "),
    });
    expect([status, text]).toEqual([200, expect.stringContaining('name="SAMLResponse"')]);
    expect(answered.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; .*base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(answered.get("content-security-policy")).not.toContain("form-action");
    expect(answered.get("cache-control")).toBe("no-store");
    expect(answered.get("referrer-policy")).toBe("no-referrer");
    expect(text).toContain("<button");
  });

  test("comes at the path of its protocol when the last form of the pages was sent", async () => {
    const browser = openBrowser(service);
    const start = await party.ask(browser);
    const cookies = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const fields = [
      ...(start.page?.text ?? "").matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g),
    ];
    const form = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
    form.set("username", person.username);
    form.set("password", person.password);
    const id = start.url.pathname.split("/")[2] ?? "";
    const { status, headers } = await service.http.send({
      method: "POST",
      path: `/login/${id}/password`,
      headers: {
        host: new URL(originOf(service)).host,
        "content-type": "application/x-www-form-urlencoded; charset=ISO-8859-1", // the parameter changes nothing
        cookie: cookies,
      },
      body: form.toString(),
    });
    expect([status, headers.get("location")]).toEqual([303, `${originOf(service)}/saml/v2/continue/${id}`]);
    expect(headers.getSetCookie().join()).toContain("gh_session=");
  });

  test("carries a RelayState back as it was, whatever is in it (Bindings §3.4.3)", async () => {
    const browser = await openSignedIn(service, person.userId);
    for (const state of [
      "",
      " ",
      "+",
      "%",
      "a=b&c=d",
      "</form><script>",
      "\"'",
      "ä€😀",
      "\t",
      "x".repeat(4096),
    ])
      expect(party.read(await party.ask(browser, { relayState: state })).relayState).toBe(state);
    for (const state of ["a\nb", "a\r\nb", "\0", "x".repeat(4097)])
      for (const ask of ["ask", "askByPost"] as const)
        expect((await party[ask](browser, { relayState: state })).page?.status).toBe(400);
  });
});

describe("a request for a new login (Core §3.4.1, ForceAuthn)", () => {
  const forced = { attributes: { ForceAuthn: "true" } };

  test("asks for the password again, and stays in the session of the same user", async () => {
    const browser = await openSignedIn(service, person.userId);
    const before = party.read(await party.ask(browser)).assertion;
    service.clock.turn(60_000);
    const start = await party.ask(browser, forced);
    expect(start.url.pathname).toMatch(/^\/login\//);
    const after = party.read(await endLogin(browser, start, person)).assertion;
    expect(after?.sessionIndex).toBe(before?.sessionIndex);
    expect(Date.parse(after?.authnInstant ?? "")).toBe(service.clock.nowMs());
    expect(Date.parse(before?.authnInstant ?? "")).toBe(service.clock.nowMs() - 60_000);
  });

  test("begins another session for another user", async () => {
    const other = await createPerson(service, place.organizationId);
    const browser = await openSignedIn(service, person.userId);
    const before = party.read(await party.ask(browser)).assertion;
    const { assertion } = party.read(await endLogin(browser, await party.askByPost(browser, forced), other));
    expect(assertion?.attributes["UserID"]).toEqual([other.userId]);
    expect(assertion?.sessionIndex).not.toBe(before?.sessionIndex);
    expect(party.read(await party.ask(browser)).assertion?.nameId).toBe(assertion?.nameId);
  });

  test("and no page cannot be", async () => {
    const browser = await openSignedIn(service, person.userId);
    const both = { attributes: { ForceAuthn: "true", IsPassive: "1" } };
    expect(party.read(await party.ask(browser, both)).status).toBe("Responder/NoPassive");
  });
});

describe("a request for a certain user (Core §3.4.1, Subject)", () => {
  const subject = (
    nameId: string,
    format = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    confirmation = "",
  ) => ({
    content: `<saml:Subject><saml:NameID Format="${format}">${escapeXml(nameId)}</saml:NameID>${confirmation}</saml:Subject>`,
  });
  const bearer = (data: string) =>
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">${data}</saml:SubjectConfirmation>`;

  test("is answered by the session of that user, and by no other one", async () => {
    const other = await createPerson(service, place.organizationId);
    const browser = await openSignedIn(service, person.userId);
    const nameId = party.read(await party.ask(browser)).assertion?.nameId ?? "";
    const stranger = await openSignedIn(service, other.userId);
    const othersName = party.read(await party.ask(stranger)).assertion?.nameId ?? "";
    expect(party.read(await party.ask(browser, subject(nameId))).assertion?.nameId).toBe(nameId);
    const confirmed = await party.ask(browser, subject(nameId, undefined, bearer("")));
    expect(party.read(confirmed).assertion?.nameId).toBe(nameId);
    const withData = subject(nameId, undefined, bearer("<saml:SubjectConfirmationData/>"));
    expect(party.read(await party.ask(browser, withData)).status).toBe("Requester/RequestUnsupported");
    for (const ask of ["ask", "askByPost"] as const) {
      const start = await party[ask](browser, subject(othersName));
      expect(start.url.pathname).toMatch(/^\/login\//);
      expect(party.read(await endLogin(browser, start, person)).status).toBe("Responder/UnknownPrincipal");
      const again = await party[ask](browser, subject(othersName));
      expect(party.read(await endLogin(browser, again, other)).assertion?.nameId).toBe(othersName);
      await endLogin(browser, await party.ask(browser, { attributes: { ForceAuthn: "1" } }), person);
    }
  });

  test("finds a transient name that it was told, and fills in a readable one", async () => {
    const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    const browser = await openSignedIn(service, person.userId);
    const policy = { content: `<samlp:NameIDPolicy Format="${transient}"/>` };
    const told = party.read(await party.ask(browser, policy)).assertion?.nameId ?? "";
    expect(told).toMatch(/^_[\da-f]{32}$/);
    const stranger = await openSignedIn(service, (await createPerson(service, place.organizationId)).userId);
    expect((await party.ask(stranger, subject(told, transient))).url.pathname).toMatch(/^\/login\//);
    expect(party.read(await party.ask(browser, subject(told, transient))).status).toBe("Success");
    const unspecified = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
    const named = await party.ask(openBrowser(service), subject("some <body>", unspecified));
    expect(named.page?.text).toContain('value="some &lt;body&gt;"');
    const hinted = await openBrowser(service).open(`${party.urlOf()}&login_hint=somebody`);
    expect(hinted.page?.text).toContain('value="somebody"');
  });

  test("who is named in a way that nobody can read is not supported", async () => {
    const content = '<saml:Subject><saml:BaseID Format="a"/></saml:Subject>';
    const answer = party.read(await party.askByPost(openBrowser(service), { content, id: "_base" }));
    expect(answer).toMatchObject({ status: "Requester/RequestUnsupported", inResponseTo: "_base" });
  });
});

describe("a login that begins here, without a request (Profiles §4.1.5),", () => {
  const startOf = ({ appId }: Pick<ScriptedParty, "appId">, query = "") =>
    `${originOf(service)}/saml/v2/start/${appId}${query}`;

  test("answers nobody's request, with the RelayState of the settings or of the query", async () => {
    const own = await addScriptedParty(service, place);
    await own.setSettings({ allowIdpInitiated: true, defaultRelayState: "/home?a=1" });
    const browser = openBrowser(service);
    const answer = own.read(await endLogin(browser, await browser.open(startOf(own)), person));
    expect(answer).toMatchObject({
      status: "Success",
      relayState: "/home?a=1",
      inResponseTo: undefined,
      destination: own.acs,
      assertion: { inResponseTo: undefined, attributes: { UserID: [person.userId] } },
    });
    expect(answer.xml).not.toContain("InResponseTo");
    const again = own.read(await browser.open(startOf(own, "?RelayState=%2Fother%20page")));
    expect([again.status, again.relayState]).toEqual(["Success", "/other page"]);
    await own.setSettings({ allowIdpInitiated: true });
    expect(own.read(await browser.open(startOf(own))).relayState).toBeUndefined();
  });

  test("is for applications that allow it, and the page does not say which there are", async () => {
    const own = await addScriptedParty(service, place);
    const browser = await openSignedIn(service, person.userId);
    const look = async (id: string) => {
      const { page } = await browser.open(startOf({ appId: id }));
      return [page?.status, page?.text.replace(/Request [\da-f]+/, "")];
    };
    const refused = await look(own.appId);
    expect(refused[0]).toBe(403);
    // Nobody is asked for a password before.
    expect((await openBrowser(service).open(startOf(own))).page?.status).toBe(403);
    expect(await look("123")).toEqual(refused);
    await own.setSettings({ allowIdpInitiated: true });
    expect(own.read(await browser.open(startOf(own))).status).toBe("Success");
    await switchOff(service, "application", own);
    expect(await look(own.appId)).toEqual(refused);
    expect(await look("x%22%3E")).toEqual(refused);
    expect((await look("1/2"))[0]).toBe(404);
    expect((await look(""))[0]).toBe(404);
  });

  test("takes one RelayState that can come back as it was", async () => {
    const own = await addScriptedParty(service, place);
    await own.setSettings({ allowIdpInitiated: true });
    const browser = await openSignedIn(service, person.userId);
    const states = ["?RelayState=a&RelayState=b", "?RelayState=a%0Ab", `?RelayState=${"x".repeat(4097)}`];
    for (const query of states) expect((await browser.open(startOf(own, query))).page?.status).toBe(400);
    const marked = own.read(await browser.open(startOf(own, "?RelayState=%22%3E%3Cscript%3E")));
    expect(marked.relayState).toBe('"><script>');
  });

  test("ends in the page of the settings when they change while somebody logs in", async () => {
    const own = await addScriptedParty(service, place);
    await own.setSettings({ allowIdpInitiated: true });
    const browser = openBrowser(service);
    const begun = await browser.open(startOf(own));
    await own.setSettings({ allowIdpInitiated: false });
    // The page has no form: neither a next step nor an answer.
    await expect(endLogin(browser, begun, person)).rejects.toThrow(/no form [^]*This sign-in cannot begin/);
  });
});
