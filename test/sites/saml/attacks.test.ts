// What attackers try (the list of the contract, one case each). Each is a page: nothing is sent to a service provider, nobody is
// logged in or out, and the log has one line. The browser of the attacks has a session, so that what got through would be answered.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { startService, type TestService } from "../../support/service.ts";
import {
  type Attack,
  type AttackGround,
  type Attempt,
  bySignedPost,
  bySignedQuery,
  layAttackGround,
  slo,
} from "./attacks/ground.ts";
import { names, writeQuery } from "./attacks/forge.ts";
import { logoutAttacks, victimsName } from "./attacks/logout-attacks.ts";
import { addressAttacks, envelopeAttacks } from "./attacks/request-attacks.ts";
import {
  referenceAttacks,
  strangerAttacks,
  textAttacks,
  wrappingAttacks,
} from "./attacks/signature-attacks.ts";
import { documentAttacks, encodingAttacks, parameterAttacks } from "./attacks/wire-attacks.ts";
import { createCaller } from "../../support/world.ts";
import { createSamlPlace } from "./node-saml/saml-place.ts";

let service: TestService;
let ground: AttackGround;
beforeAll(async () => {
  service = await startService();
  ground = await layAttackGround(await createSamlPlace(service));
});
afterAll(() => service.stop());

/** Sends it with the cookies of the browser, also where browsers would keep them back, and follows nothing. */
async function send({ path, query, form }: Attempt) {
  const { host, origin } = new URL(ground.issuer);
  const cookie = [...ground.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/html", host, cookie, "sec-fetch-site": "cross-site" };
  if (form === undefined)
    return await service.http.send({ method: "GET", path: `${path}?${query ?? ""}`, headers });
  const type = { "content-type": "application/x-www-form-urlencoded", origin: `${origin.slice(0, -1)}0` };
  return await service.http.send({ method: "POST", path, headers: { ...headers, ...type }, body: form });
}

const refusals = () =>
  service
    .log()
    .split("\n")
    .filter((line) => line.includes('"saml.refused"'));

const attacks: Readonly<Record<string, readonly Attack[]>> = {
  "a wrapped signature": wrappingAttacks,
  "a signature of nobody who may sign": strangerAttacks,
  "a reference of a signature": referenceAttacks,
  "text that is not one run": textAttacks,
  "a document": documentAttacks,
  "an encoding": encodingAttacks,
  "a parameter": parameterAttacks,
  "a place for the answer": addressAttacks,
  "an envelope": envelopeAttacks,
  "a message of logout": logoutAttacks,
};

describe.each(Object.entries(attacks))("%s", (_chapter, rows) => {
  test.each(rows)("%s is refused with a page, and nothing is sent anywhere", async (_name, toAttempt) => {
    const before = refusals().length;
    const { status, headers, text } = await send(toAttempt(ground));
    expect({ status, text }).toMatchObject({ status: 400 });
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("location")).toBeNull();
    expect(headers.getSetCookie()).toEqual([]);
    for (const secret of ["SAMLResponse", ".example", "<form"]) expect(text).not.toContain(secret);
    const lines = refusals().slice(before);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(ground.target.entityId);
  });
});

test("a service provider that nobody knows, and one that is inactive, show the same page", async () => {
  const { place, other } = ground;
  const { appId } = other;
  const asks = (entityId: string) =>
    bySignedQuery(ground, ground.request({ issuer: `<saml:Issuer>${entityId}</saml:Issuer>` }));
  const look = async (attempt: Attempt) => {
    const { status, text, headers } = await send(attempt);
    const kept = [...headers.keys()].filter((name) => name !== "content-length").toSorted();
    return { status, kept, text: text.replaceAll(/[0-9a-f]{32}/g, "") };
  };
  const { projectId } = place;
  const call = createCaller(service, place.organizationId);
  await call(ApplicationService.method.deactivateApplication, { projectId, appId });
  const [inactive, unknown] = [ground.other.entityId, "https://nobody.example"];
  expect(await look(asks(inactive))).toEqual(await look(asks(unknown)));
  await call(ApplicationService.method.reactivateApplication, { projectId, appId });
});

test.each(["rsa-sha1 as SigAlg", "rsa-sha1 as SignatureMethod"])(
  "%s is named, for whoever looks after it",
  async (wanted) => {
    const [, toAttempt] = [...parameterAttacks, ...strangerAttacks].find(([name]) => name === wanted) ?? [];
    const before = refusals().length;
    const { text } = await send(toAttempt?.(ground) ?? { path: "" });
    expect(text).toContain("<code>rsa-sha1</code>");
    expect(refusals()[before]).toContain('"algorithm":"rsa-sha1"');
  },
);

describe("what is not an attack", () => {
  const expectAnswered = async (attempt: Attempt, location: string) => {
    const url = `${ground.issuer}${attempt.path}`;
    const { browser } = ground;
    const visited =
      attempt.form === undefined
        ? await browser.open(`${url}?${attempt.query}`)
        : await browser.post(url, [...new URLSearchParams(attempt.form)]);
    expect([visited.page?.text, visited.url.href]).toEqual([undefined, location]);
    expect(visited.posted?.map(([name]) => name)).toEqual(["SAMLResponse", "RelayState"]);
  };

  test("is answered: by HTTP-POST and by HTTP-Redirect", async () => {
    await expectAnswered(bySignedPost(ground, ground.request()), ground.target.acs);
    await expectAnswered(bySignedQuery(ground, ground.request()), ground.target.acs);
  });

  test.each<[string, (ground: AttackGround) => Attempt]>([
    ["another parameter", (own) => ({ ...bySignedQuery(own, own.request()), path: "/saml/v2/SSO" })],
    [
      "9 minutes ago",
      (own) => bySignedQuery(own, own.request({ attributes: { IssueInstant: own.instant(-590) } })),
    ],
    [
      "in 9 minutes",
      (own) => bySignedQuery(own, own.request({ attributes: { IssueInstant: own.instant(590) } })),
    ],
    ["comments between elements", (own) => bySignedQuery(own, own.request({ content: "<!-- x -->" }))],
    [
      "50 levels",
      (own) =>
        bySignedPost(
          own,
          own.request({
            content: `<samlp:Extensions>${"<x>".repeat(46)}${"</x>".repeat(46)}</samlp:Extensions>`,
          }),
        ),
    ],
    ["rsa-sha512", (own) => bySignedQuery(own, own.request(), { algorithm: `${names.more}rsa-sha512` })],
    [
      "a RelayState of 4,096 bytes",
      (own) => bySignedQuery(own, own.request(), { relayState: "é".repeat(2048) }),
    ],
  ])("is answered with %s", async (_what, toAttempt) => {
    await expectAnswered(toAttempt(ground), ground.target.acs);
  });

  test("goes to another place of the metadata, by URL and by index", async () => {
    const { target } = ground;
    const byUrl = { AssertionConsumerServiceURL: target.secondAcs };
    await expectAnswered(bySignedQuery(ground, ground.request({ attributes: byUrl })), target.secondAcs);
    const byIndex = {
      AssertionConsumerServiceURL: undefined,
      ProtocolBinding: undefined,
      AssertionConsumerServiceIndex: "1",
    };
    await expectAnswered(bySignedQuery(ground, ground.request({ attributes: byIndex })), target.secondAcs);
  });

  test("has a RelayState with markup, which comes back as it was", async () => {
    const relayState = `"><script>alert(1)</script>&amp;'`;
    const { query } = bySignedQuery(ground, ground.request(), { relayState });
    const { posted } = await ground.browser.open(`${ground.issuer}/saml/v2/SSO?${query}`);
    expect(posted).toContainEqual(["RelayState", relayState]);
  });

  test("is the logout of the user by the service provider itself", async () => {
    const { target, browser, issuer } = ground;
    const crossed = writeQuery({
      xml: ground.logout("LogoutRequest", {
        issuer: `<saml:Issuer>${ground.other.entityId}</saml:Issuer>`,
        content: victimsName(ground),
      }),
      key: ground.other.keys.privateKey,
    });
    const told = await browser.open(`${issuer}${slo}?${crossed}`); // with the right NameID
    expect(`${told.url.origin}${told.url.pathname}`).toBe(ground.other.slo);
    const { query } = bySignedQuery(ground, ground.request());
    expect((await browser.open(`${issuer}/saml/v2/SSO?${query}`)).posted).toBeDefined(); // the session goes on
    const own = ground.logout("LogoutRequest", { content: victimsName(ground) });
    const left = await browser.open(
      `${issuer}${slo}?${writeQuery({ xml: own, key: target.keys.privateKey })}`,
    );
    expect(`${left.url.origin}${left.url.pathname}`).toBe(target.slo);
    const { page } = await browser.open(`${issuer}/saml/v2/SSO?${query}`);
    expect(page?.text).toContain('type="password"');
  });
});
