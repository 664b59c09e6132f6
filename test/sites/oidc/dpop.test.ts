// Demonstrating proof of possession (RFC 9449) where tokens are given, and where they tell of their user.
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { OidcAppType, OidcAuthMethodType, OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { sweepExpired } from "../../../src/sites/oidc/sweep.ts";
import { makeProofKey } from "../../support/proofs.ts";
import { startService } from "../../support/service.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import {
  authorize,
  browse,
  credentialsOf,
  getCode,
  getTokens,
  redemption,
  refresh,
  signIn,
} from "./support/signed-in.ts";
import { allowDevice, beginDevice, createDeviceApplication, deviceGrant } from "./support/device.ts";
import { askWithProof, boundTo, proofFor, type WrongRequestProof } from "./support/dpop.ts";
import { createGateway, scopeFor, tokenExchange, tokenTypes } from "./support/exchange.ts";
import {
  askForTokens,
  bySecret,
  byAssertion,
  createMachine,
  jwtBearer,
  postForm,
  signAssertion,
} from "./support/machine.ts";
import { broughtPath, push } from "./support/pushed.ts";

const key = makeProofKey();
const otherKey = makeProofKey("EdDSA");

const service = await startService();
const world = await createWorld(service);
const machine = await createMachine(service, world.organizationId);
const application = await createApplication(service, world);
const publicApplication = await createApplication(service, world, {
  appType: OidcAppType.USER_AGENT,
  authMethodType: OidcAuthMethodType.NONE,
  accessTokenType: OidcTokenType.JWT,
});
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

type Form = Readonly<Record<string, string | undefined>>;

const ask = (form: Form, wrong: WrongRequestProof = {}, by = key) =>
  askWithProof(service, by, { form, ...wrong });
const code = (of: TestApplication, parameters: Form = {}) =>
  getCode(service, of, { browser, parameters: { scope: "openid offline_access", ...parameters } });
const redeem = async (of: TestApplication, parameters?: Form, by = key) =>
  await ask(redemption(of, await code(of, parameters)), {}, by);
const refreshWithProof = (of: TestApplication, token: unknown, by = key) =>
  ask({ grant_type: "refresh_token", refresh_token: String(token), ...credentialsOf(of) }, {}, by);

const countProofs = async () => (await service.place.raw.peek("SELECT * FROM used_assertions")).length;

/** The time of a proof that is so many seconds ahead. */
const at = (seconds: number) => ({ iat: Math.floor(service.clock.nowMs() / 1000) + seconds });

const refused = { status: 400, error: "invalid_dpop_proof" };

async function introspect(token: unknown) {
  const form = { token: String(token), ...credentialsOf(application) };
  const { text } = await postForm(service, "/oauth/v2/introspect", form);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

describe("a request for tokens with a proof (RFC 9449 §5)", () => {
  test("of any grant gets a token that is bound to the key", async () => {
    const secret = await ask(bySecret(machine));
    const keyed = await ask(byAssertion(await signAssertion(service, machine)));
    const assertion = await signAssertion(service, machine);
    const bearer = await ask({ grant_type: jwtBearer, assertion });
    const coded = await redeem(application);
    const refreshed = await refreshWithProof(application, coded.json["refresh_token"]);
    for (const { status, json } of [secret, keyed, bearer, coded, refreshed]) {
      expect(status).toBe(200);
      expect(json).toMatchObject({ token_type: "DPoP", expires_in: 3600 });
    }
  });

  test("says so in the claims of a JWT, and at introspection, whatever the form of the token (§6)", async () => {
    const jwt = await redeem(publicApplication);
    expect(decodeJwt(String(jwt.json["access_token"]))).toMatchObject({ cnf: { jkt: key.jkt } });
    const opaque = await redeem(application);
    for (const { json } of [jwt, opaque])
      expect(await introspect(json["access_token"])).toMatchObject({
        active: true,
        token_type: "DPoP",
        cnf: { jkt: key.jkt },
      });
    const plain = await getTokens(service, application, { browser });
    expect(plain.json["token_type"]).toBe("Bearer");
    expect(await introspect(plain.accessToken)).toMatchObject({ active: true, token_type: "Bearer" });
    expect(await introspect(plain.accessToken)).not.toHaveProperty("cnf");
    const { json } = await askForTokens(
      service,
      redemption(publicApplication, await code(publicApplication)),
    );
    expect(decodeJwt(String(json["access_token"]))).not.toHaveProperty("cnf");
  });

  test.each<[string, WrongRequestProof]>([
    ["for another method", { verb: "GET" }],
    ["for another endpoint", { path: "/oidc/v1/userinfo" }],
    ["for another host", { claims: { htu: "https://evil.example/oauth/v2/token" } }],
    ["that is stale", { claims: { iat: 1 } }],
    ["without an id", { claims: { jti: undefined } }],
    ["of another type", { header: { typ: "JWT" } }],
    ["that another key has signed", { privateKey: makeProofKey().privateKey }],
    ["with the private key in it", { header: { jwk: key.privateKey.export({ format: "jwk" }) } }],
  ])("is refused with a proof %s", async (_name, wrong) => {
    expect(await ask(bySecret(machine), wrong)).toMatchObject(refused);
  });

  test("has a proof of within a minute, before and after", async () => {
    const asked = async (seconds: number) => await ask(bySecret(machine), { claims: at(seconds) });
    for (const seconds of [-59, 60]) expect(await asked(seconds)).toMatchObject({ status: 200 });
    for (const seconds of [-61, 61, 3600]) expect(await asked(seconds)).toMatchObject(refused);
  });

  test("is refused with two proofs, and with what is none", async () => {
    const [one, other] = [await proofFor(service, key), await proofFor(service, key)];
    for (const dpop of ["", "garbage", `${one}, ${other}`, "x".repeat(12_000)])
      expect(await askForTokens(service, bySecret(machine), { dpop })).toMatchObject(refused);
    const huge = { "content-type": "application/x-www-form-urlencoded", dpop: "x".repeat(65_536) };
    const answer = service.http.send({ method: "POST", path: "/oauth/v2/token", headers: huge });
    await expect(answer).resolves.toMatchObject({ status: 431 });
  });

  test("is judged by the issuer, whatever host it names", async () => {
    const host = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const good = { dpop: await proofFor(service, key), ...host };
    expect(await askForTokens(service, bySecret(machine), good)).toMatchObject({ status: 200 });
    const claims = { htu: "http://evil.example/oauth/v2/token" };
    const evil = { dpop: await proofFor(service, key, { claims }), ...host };
    expect(await askForTokens(service, bySecret(machine), evil)).toMatchObject(refused);
  });

  test("learns of its client first", async () => {
    const wrong = await ask({ ...bySecret(machine), client_secret: "wrong" }, { verb: "GET" });
    expect(wrong).toMatchObject({ status: 401, error: "invalid_client" });
  });
});

describe("a proof is good once", () => {
  test("whoever sends it again, but not used up by a request that is refused", async () => {
    const dpop = await proofFor(service, key);
    const wrong = { ...bySecret(machine), scope: "urn:zitadel:iam:org:domain:primary:x" };
    expect(await askForTokens(service, wrong, { dpop })).toMatchObject({ error: "invalid_scope" });
    expect(await askForTokens(service, bySecret(machine), { dpop })).toMatchObject({ status: 200 });
    const other = await createMachine(service, world.organizationId);
    for (const by of [machine, other])
      expect(await askForTokens(service, bySecret(by), { dpop })).toMatchObject(refused);
    service.clock.turn(59_000);
    expect(await askForTokens(service, bySecret(machine), { dpop })).toMatchObject(refused);
  });

  test("for as long as it could be sent, if its time is ahead", async () => {
    const dpop = await proofFor(service, key, { claims: at(60) });
    expect(await askForTokens(service, bySecret(machine), { dpop })).toMatchObject({ status: 200 });
    service.clock.turn(119_000);
    await sweepExpired(service.context);
    expect(await askForTokens(service, bySecret(machine), { dpop })).toMatchObject(refused);
  });

  test("and so is the assertion beside it, each on its own", async () => {
    const assertion = await signAssertion(service, machine);
    const dpop = await proofFor(service, key);
    expect(await askForTokens(service, byAssertion(assertion), { dpop })).toMatchObject({ status: 200 });
    const fresh = await signAssertion(service, machine);
    expect(await askForTokens(service, byAssertion(fresh), { dpop })).toMatchObject(refused);
    const again = { status: 401, error: "invalid_client" };
    for (const used of [assertion, fresh]) expect(await ask(byAssertion(used))).toMatchObject(again);
  });

  test("and is not stored for a request that changes nothing, which anybody can send", async () => {
    const { clientId } = publicApplication;
    const before = await countProofs();
    for (const form of [
      { grant_type: "refresh_token", refresh_token: "x", client_id: clientId },
      { grant_type: "authorization_code", code: "x", client_id: clientId },
      { grant_type: "authorization_code", client_id: clientId },
    ])
      expect(await ask(form)).toMatchObject({ status: 400 });
    expect(await countProofs()).toBe(before);
  });

  test("nor for a second use of a code, but for the first of those", async () => {
    const form = redemption(application, await code(application));
    expect(await ask(form)).toMatchObject({ status: 200 });
    const before = await countProofs();
    for (let time = 0; time < 2; time++) expect(await ask(form)).toMatchObject({ error: "invalid_grant" });
    expect(await countProofs()).toBe(before + 1);
  });

  test("of eight at once one is accepted", async () => {
    const dpop = await proofFor(service, key);
    const all = Array.from({ length: 8 }, () => askForTokens(service, bySecret(machine), { dpop }));
    const answers = await Promise.all(all);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_dpop_proof")).toHaveLength(7);
  });
});

describe("a code that was asked for with dpop_jkt (RFC 9449 §10)", () => {
  test.each(["secret", "none"])("is redeemed by nobody but the holder of the key (%s)", async (which) => {
    const of = which === "none" ? publicApplication : application;
    const sent = await code(of, { dpop_jkt: key.jkt });
    const invalid = { status: 400, error: "invalid_grant" };
    expect(await askForTokens(service, redemption(of, sent))).toMatchObject(invalid);
    expect(await ask(redemption(of, sent), {}, otherKey)).toMatchObject(invalid);
    const { status, json } = await ask(redemption(of, sent));
    expect([status, json["token_type"]]).toEqual([200, "DPoP"]);
    // Nor does anybody else end what it gave.
    const isActive = async () => (await introspect(json["access_token"]))["active"];
    expect(await askForTokens(service, redemption(of, sent))).toMatchObject(invalid);
    expect([(await ask(redemption(of, sent), {}, otherKey)).error, await isActive()]).toEqual([
      invalid.error,
      true,
    ]);
    expect([(await ask(redemption(of, sent))).error, await isActive()]).toEqual([invalid.error, false]);
  });

  test("needs a thumbprint", async () => {
    for (const wrong of ["short", `${key.jkt}=`, `${key.jkt.slice(1)}+`]) {
      const { back } = await authorize(service, application, { browser, parameters: { dpop_jkt: wrong } });
      expect(back).toMatchObject({ error: "invalid_request" });
    }
  });
});

describe("a pushed request (RFC 9449 §10.1)", () => {
  const path = "/oauth/v2/par";
  const codeOf = async (requestUri: string) => {
    const { headers } = await browse(service, broughtPath(application, requestUri), {
      cookie: browser.cookie,
    });
    return new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
  };

  test.each(["by its proof", "by its name", "by both"])("binds the code to a key %s", async (how) => {
    const named = how === "by its proof" ? {} : { dpop_jkt: key.jkt };
    const headers: Record<string, string> =
      how === "by its name" ? {} : { dpop: await proofFor(service, key, { path }) };
    const { status, requestUri } = await push(service, application, named, headers);
    expect(status).toBe(201);
    const sent = await codeOf(requestUri);
    const invalid = { status: 400, error: "invalid_grant" };
    expect(await askForTokens(service, redemption(application, sent))).toMatchObject(invalid);
    expect(await ask(redemption(application, sent), {}, otherKey)).toMatchObject(invalid);
    expect(await ask(redemption(application, sent))).toMatchObject({ status: 200 });
  });

  test("is refused with a proof of another key than it names, for another endpoint, or that was used", async () => {
    const dpop = await proofFor(service, key, { path });
    const named = { dpop_jkt: otherKey.jkt };
    expect(await push(service, application, named, { dpop })).toMatchObject({ error: "invalid_request" });
    expect(await push(service, application, {}, { dpop })).toMatchObject({ status: 201 });
    expect(await push(service, application, {}, { dpop })).toMatchObject(refused);
    const other = { dpop: await proofFor(service, key) };
    expect(await push(service, application, {}, other)).toMatchObject(refused);
  });
});

test("a device gets tokens that are bound, and refresh tokens too if it does not authenticate (RFC 8628)", async () => {
  const tv = await createDeviceApplication(service, world);
  const device = await beginDevice(service, tv);
  await allowDevice(service, device, browser.userId);
  const form = { grant_type: deviceGrant, device_code: device.deviceCode, ...credentialsOf(tv) };
  const { status, json } = await ask(form);
  expect([status, json["token_type"]]).toEqual([200, "DPoP"]);
  const token = String(json["refresh_token"]);
  const invalid = { status: 400, error: "invalid_grant" };
  expect(await refresh(service, tv, token)).toMatchObject(invalid);
  expect(await refreshWithProof(tv, token, otherKey)).toMatchObject(invalid);
  expect(await refreshWithProof(tv, token)).toMatchObject({ status: 200, json: { token_type: "DPoP" } });
});

test("a token that is bound is exchanged for whoever holds its key, and the new one is bound to it (RFC 8693)", async () => {
  const gateway = await createGateway(service, world.organizationId);
  const scope = `openid ${scopeFor(gateway)}`;
  const bound = String((await ask({ ...bySecret(machine), scope })).json["access_token"]);
  const { json: plain } = await askForTokens(service, { ...bySecret(machine), scope });
  const exchangeOf = (subject: unknown) => ({
    grant_type: tokenExchange,
    subject_token: String(subject),
    subject_token_type: `${tokenTypes}access_token`,
    ...credentialsOf(gateway),
  });
  const invalid = { status: 400, error: "invalid_request" };
  expect(await askForTokens(service, exchangeOf(bound))).toMatchObject(invalid);
  expect(await ask(exchangeOf(bound), {}, otherKey)).toMatchObject(invalid);
  const acting = { actor_token: bound, actor_token_type: `${tokenTypes}access_token` };
  expect(await askForTokens(service, { ...exchangeOf(plain["access_token"]), ...acting })).toMatchObject(
    invalid,
  );
  const stale = { path: "/oauth/v2/introspect" };
  expect(await ask(exchangeOf(bound), stale)).toMatchObject(refused);
  for (const subject of [bound, plain["access_token"]]) {
    const headers = { dpop: await proofFor(service, key) };
    const { status, json } = await askForTokens(service, exchangeOf(subject), headers);
    expect([status, json["token_type"]]).toEqual([200, "DPoP"]);
    expect(await askForTokens(service, exchangeOf(subject), headers)).toMatchObject(refused);
    expect(await askForTokens(service, exchangeOf(json["access_token"]))).toMatchObject(invalid); // bound, too
    const form = { token: String(json["access_token"]), ...credentialsOf(gateway) };
    const { text } = await postForm(service, "/oauth/v2/introspect", form);
    expect(JSON.parse(text)).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: key.jkt } });
  }
});

describe.each(["opaque", "JWT"])("userinfo with a token that is bound (RFC 9449 §7), %s", (form) => {
  const path = "/oidc/v1/userinfo";
  const of = () => (form === "JWT" ? publicApplication : application);
  const getBound = async () => String((await redeem(of())).json["access_token"]);
  const send = async (headers: Readonly<Record<string, string>>, method = "GET") => {
    const answer = await service.http.send({ method, path, headers });
    const challenge = answer.headers.get("www-authenticate") ?? "";
    const [, error] = /error="([a-z_]+)"/.exec(challenge) ?? [];
    return { status: answer.status, scheme: challenge.split(" ")[0], error, text: answer.text };
  };
  const sign = (accessToken: string, wrong: WrongRequestProof = {}, by = key) =>
    boundTo(service, by, { verb: "GET", path, ...wrong, accessToken });

  test("answers to whoever proves to hold the key, by each method", async () => {
    const token = await getBound();
    for (const verb of ["GET", "POST", "HEAD"])
      expect(await send(await sign(token, { verb }), verb)).toMatchObject({ status: 200 });
    const { text } = await send(await sign(token));
    expect(JSON.parse(text)).toEqual({ sub: browser.userId });
  });

  test("refuses it as a Bearer token, and another token as one that is bound", async () => {
    const bearer = await send({ authorization: `Bearer ${await getBound()}` });
    expect(bearer).toMatchObject({ status: 401, error: "invalid_token", scheme: "Bearer" });
    const { accessToken } = await getTokens(service, of(), { browser });
    const unbound = { status: 401, error: "invalid_token", scheme: "DPoP" };
    expect(await send(await sign(accessToken))).toMatchObject(unbound);
    expect(await send(await sign("nothing"))).toMatchObject(unbound);
  });

  test("refuses a proof of another key, for another request, and one that was used", async () => {
    const token = await getBound();
    const invalid = { status: 401, error: "invalid_dpop_proof", scheme: "DPoP" };
    expect(await send(await sign(token, {}, otherKey))).toMatchObject({ ...invalid, error: "invalid_token" });
    for (const wrong of [
      { verb: "POST" },
      { path: "/oauth/v2/token" },
      { claims: { ath: undefined } },
      { claims: { ath: "A".repeat(43) } },
      { claims: { iat: 1 } },
      { claims: at(-61) },
      { claims: at(61) },
    ])
      expect(await send(await sign(token, wrong))).toMatchObject(invalid);
    expect(await send({ authorization: `DPoP ${token}` })).toMatchObject(invalid);
    expect(await send(await sign(token, { claims: at(-59) }))).toMatchObject({ status: 200 });
    const headers = await sign(token, { claims: at(60) });
    expect(await send(headers)).toMatchObject({ status: 200 });
    expect(await send(headers)).toMatchObject(invalid);
  });

  test("answers to one of eight requests with the same proof at once", async () => {
    const headers = await sign(await getBound());
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(headers)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === "invalid_dpop_proof")).toHaveLength(7);
  });
});

test("a proof that is refused at userinfo can still be sent: only a token that holds uses it up", async () => {
  const { accessToken } = await getTokens(service, application, { browser });
  const headers = await boundTo(service, key, { verb: "GET", path: "/oidc/v1/userinfo", accessToken });
  const before = await service.place.raw.peek("SELECT COUNT(*) AS n FROM used_assertions");
  const { status } = await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers });
  expect(status).toBe(401);
  expect(await service.place.raw.peek("SELECT COUNT(*) AS n FROM used_assertions")).toEqual(before);
});

test("userinfo says which schemes there are, and discovery which algorithms (RFC 9449 §5.1, §7.1)", async () => {
  const missing = await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers: {} });
  const challenge = missing.headers.get("www-authenticate");
  expect(challenge).toMatch(/^Bearer realm="gatehouse", DPoP realm="gatehouse", algs="RS256 [A-Za-z0-9 ]+"$/);
  const path = "/.well-known/openid-configuration";
  const { text } = await service.http.send({ method: "GET", path, headers: {} });
  const { dpop_signing_alg_values_supported: algorithms } = JSON.parse(text) as Record<string, string[]>;
  expect(challenge).toContain(`algs="${algorithms?.join(" ")}"`);
});
