// SAML Core §3.3.2.2.1 and §2.7.2.2: how a user has to be authenticated, and was; and who the user is (§3.4.1.1).
import { afterAll, describe, expect, test } from "@jest/globals";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { SamlNameIdFormat } from "../../../gen/gatehouse/v1/application_pb.ts";
import { findSession } from "../../../src/identity/logins/sessions/repository.ts";
import { addSessionChecks, type SessionMethod } from "../../../src/identity/logins/sessions/session.ts";
import { createLoginPlace, createPerson } from "../oidc/support/login-place.ts";
import { startService } from "../../support/service.ts";
import { registerTotp } from "../../support/totp.ts";
import { addScriptedParty, openBrowser, openSignedIn, originOf } from "./support/scripted-party.ts";

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const party = await addScriptedParty(service, place);
afterAll(() => service.stop());

const password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
const plain = "urn:oasis:names:tc:SAML:2.0:ac:classes:Password";
const unspecified = "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified";
const mfa = "https://refeds.org/profile/mfa";
const own = "urn:gatehouse:acr:mfa";

/** Asks for classes. */
const asking = (comparison: string, ...classes: readonly string[]) => ({
  content: `<samlp:RequestedAuthnContext Comparison="${comparison}">${classes
    .map((uri) => `<saml:AuthnContextClassRef>${uri}</saml:AuthnContextClassRef>`)
    .join("")}</samlp:RequestedAuthnContext>`,
});

async function answerTo(methods: readonly SessionMethod[], sending = {}, userId = person.userId) {
  const answer = party.read(await party.ask(await openSignedIn(service, userId, methods), sending));
  return answer.assertion ?? answer.status;
}

const two: readonly SessionMethod[] = ["PASSWORD", "TOTP"];

test.each<[string, readonly SessionMethod[], object, object]>([
  ["one factor, unasked", ["PASSWORD"], {}, { classUri: password }],
  ["two factors, unasked", two, {}, { classUri: password }],
  ["exactly a class of one factor", ["PASSWORD"], asking("exact", "urn:x", plain, mfa), { classUri: plain }],
  ["exactly a class of two", two, asking("exact", own), { classUri: own }],
  ["a passkey for two", ["PASSKEY"], asking("exact", mfa), { classUri: mfa }],
  ["at least one", two, asking("minimum", plain), { classUri: mfa }],
  ["better than one", two, asking("better", plain), { classUri: mfa }],
  ["at most one", two, asking("maximum", password), { classUri: password }],
])("tells of %s", async (_name, methods, sending, told) => {
  expect(await answerTo(methods, sending)).toMatchObject({ ...told, authority: undefined });
});

test.each([
  ["unknown classes only", asking("exact", "urn:x", "urn:y")],
  ["better than everything", asking("better", mfa)],
  [
    "declarations",
    {
      content:
        "<samlp:RequestedAuthnContext><saml:AuthnContextDeclRef>urn:x</saml:AuthnContextDeclRef></samlp:RequestedAuthnContext>",
    },
  ],
])("answers NoAuthnContext to %s, before anybody logs in", async (_name, sending) => {
  const answer = party.read(await party.askByPost(openBrowser(service), sending));
  expect(answer.status).toBe("Responder/NoAuthnContext");
});

describe("a class of two factors", () => {
  test("asks a session with one factor for the other, and tells when that was", async () => {
    const { userId } = await createPerson(service, place.organizationId);
    const app = await registerTotp(service, userId);
    const browser = await openSignedIn(service, userId);
    service.clock.turn(60_000);
    const start = await party.ask(browser, asking("exact", mfa));
    expect(start.page?.text).toContain('name="code"');
    const end = await browser.submit(start, { code: app.code(service.clock.nowMs()) });
    const { assertion } = party.read(end);
    expect(assertion).toMatchObject({ classUri: mfa });
    expect(Date.parse(assertion?.authnInstant ?? "")).toBe(service.clock.nowMs());
    const unasked = party.read(await party.ask(browser)).assertion;
    expect(Date.parse(unasked?.authnInstant ?? "")).toBe(service.clock.nowMs() - 60_000);
  });

  test("lets a user without a second factor register one, and cannot be had without a page", async () => {
    const passive = { ...asking("exact", mfa), attributes: { IsPassive: "true" } };
    expect(await answerTo(["PASSWORD"], passive)).toBe("Responder/NoPassive");
    const browser = await openSignedIn(service, person.userId);
    const start = await party.ask(browser, asking("exact", mfa));
    expect(start.page?.text).toMatch(/new-factor/);
  });

  test("with ForceAuthn asks for both again", async () => {
    const user = await createPerson(service, place.organizationId);
    const app = await registerTotp(service, user.userId);
    const browser = await openSignedIn(service, user.userId, ["PASSWORD", "TOTP"]);
    service.clock.turn(60_000);
    const forced = { ...asking("exact", mfa), attributes: { ForceAuthn: "true" } };
    const typed = { username: user.username, password: user.password };
    const second = await browser.submit(await party.ask(browser, forced), typed);
    expect(second.page?.text).toContain('name="code"');
    const { assertion } = party.read(await browser.submit(second, { code: app.code(service.clock.nowMs()) }));
    expect(assertion).toMatchObject({ classUri: mfa });
  });
});

describe("a login at an identity provider", () => {
  test("is one factor, of which its issuer says what it was", async () => {
    const authority = `${originOf(service)}/saml/v2/metadata`; // of a session that does not say where it began
    expect(await answerTo(["IDP"])).toMatchObject({ classUri: unspecified, authority });
    for (const comparison of ["exact", "minimum"]) {
      const told = await answerTo(["IDP"], asking(comparison, password));
      expect(told).toMatchObject({ classUri: password, authority });
    }
    expect(await answerTo(["IDP", "TOTP"], asking("exact", mfa))).toMatchObject({ classUri: mfa, authority });
    expect(await answerTo(["IDP", "PASSWORD"])).toMatchObject({ classUri: password, authority: undefined });
    const passive = { ...asking("exact", mfa), attributes: { IsPassive: "true" } };
    expect(await answerTo(["IDP"], passive)).toBe("Responder/NoPassive");
  });

  test("names the provider, also in later logins by the same session", async () => {
    const browser = await openSignedIn(service, person.userId, ["IDP"]);
    const { database, log } = service.context;
    const session = await database.read((tx) => findSession(tx, browser.sessionId));
    if (session === undefined) throw new Error("there is no session");
    const origin = { editor: session.userId, remoteAddress: undefined, requestId: "test" };
    const issuer = "https://provider.example";
    const events = addSessionChecks(session, [{ method: "IDP", issuer }]);
    await database.write((tx) => log.append(tx, origin, events));
    for (const classUri of [password, plain]) {
      const { assertion } = party.read(await party.ask(browser, asking("exact", classUri)));
      expect(assertion).toMatchObject({ classUri, authority: issuer });
    }
  });
});

describe("the name of the user (Core §3.4.1.1, §8.3)", () => {
  const format = (name: string) => `urn:oasis:names:tc:SAML:${name}`;
  const policy = (uri: string, more = "") => ({ content: `<samlp:NameIDPolicy Format="${uri}"${more}/>` });
  const email = format("1.1:nameid-format:emailAddress");

  test("is an email address only when that is verified", async () => {
    const user = await createPerson(service, place.organizationId);
    expect(await answerTo(["PASSWORD"], policy(email), user.userId)).toBe("Requester/InvalidNameIDPolicy");
    const verification = { case: "isVerified", value: true } as const;
    const address = `a.${user.userId}@example.com`;
    await service.call(UserService.method.setEmail, { userId: user.userId, email: address, verification });
    expect(await answerTo(["PASSWORD"], policy(email), user.userId)).toMatchObject({
      nameId: address,
      format: email,
      attributes: { Email: [address] },
    });
  });

  test.each([
    ["a format that there is not", policy(format("1.1:nameid-format:X509SubjectName"))],
    [
      "a name for somebody else",
      policy(format("2.0:nameid-format:persistent"), ' SPNameQualifier="urn:other"'),
    ],
  ])("is not given for %s, whoever the user is", async (_name, sending) => {
    const answer = party.read(await party.ask(openBrowser(service), sending));
    expect(answer.status).toBe("Requester/InvalidNameIDPolicy");
  });

  test("is the username if the settings of the application say so", async () => {
    const other = await addScriptedParty(service, place);
    await other.setSettings({ nameIdFormat: SamlNameIdFormat.USERNAME });
    const browser = await openSignedIn(service, person.userId);
    const { assertion } = other.read(await other.ask(browser, policy(email)));
    expect(assertion).toMatchObject({
      nameId: person.username,
      format: format("1.1:nameid-format:unspecified"),
    });
  });

  test("is another one at another service provider", async () => {
    const other = await addScriptedParty(service, place);
    const browser = await openSignedIn(service, person.userId);
    const names = [party, other].map(async (each) => each.read(await each.ask(browser)).assertion?.nameId);
    expect(new Set(await Promise.all(names)).size).toBe(2);
  });
});
