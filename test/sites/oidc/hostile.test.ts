import { afterAll, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { startService } from "../../support/service.ts";
import { createWorld } from "../../support/world.ts";
import {
  addKey,
  askForTokens,
  basic,
  byAssertion,
  bySecret,
  clientAssertionType,
  createMachine,
  issuerOf,
  jwtBearer,
  keyPairs,
  postForm,
  signAssertion,
} from "./support/machine.ts";

const service = await startService({ "trusted-proxies": "127.0.0.1" });
const world = await createWorld(service);
const machine = await createMachine(service, world.organizationId);
afterAll(() => service.stop());

const ask = (form: Parameters<typeof askForTokens>[1], headers?: Readonly<Record<string, string>>) =>
  askForTokens(service, form, headers);
const now = () => Math.floor(service.clock.nowMs() / 1000);

describe("an assertion is refused", () => {
  const wrongs: readonly (readonly [string, () => object, string])[] = [
    ["with the audience of another host", () => ({ aud: "https://evil.example" }), "aud"],
    ["with our path on another host", () => ({ aud: "https://evil.example/oauth/v2/token" }), "aud"],
    ["without audience", () => ({ aud: undefined }), "aud"],
    [
      "with an audience that only begins as ours",
      () => ({ aud: `${issuerOf(service)}.evil.example` }),
      "aud",
    ],
    ["with an audience that is no text", () => ({ aud: [issuerOf(service), 1] }), "aud"],
    ["of another issuer", () => ({ iss: "1" }), "iss"],
    ["without issuer", () => ({ iss: undefined }), "iss"],
    ["without subject", () => ({ iss: "", sub: "" }), "sub"],
    ["that has expired", () => ({ iat: now() - 100, exp: now() - 31 }), "exp"],
    ["without exp", () => ({ exp: undefined }), "exp"],
    ["with exp as a text", () => ({ exp: String(now() + 60) }), "exp"],
    ["with iat as a text", () => ({ iat: String(now()) }), "iat"],
    ["from the future", () => ({ iat: now() + 31, exp: now() + 60 }), "iat"],
    ["that is not valid yet", () => ({ nbf: now() + 31 }), "nbf"],
    ["that lives for more than an hour", () => ({ exp: now() + 3601 }), "exp"],
    ["without iat, for more than an hour", () => ({ iat: undefined, exp: now() + 3631 }), "exp"],
    ["with a jti that is no text", () => ({ jti: 1 }), "jti"],
  ];

  test.each(wrongs)("%s, on both grants (RFC 7523 §3)", async (_name, toClaims, claim) => {
    const assertion = await signAssertion(service, machine, { claims: toClaims() });
    const said = { error_description: expect.stringMatching(new RegExp(`\\b${claim}\\b`)) };
    const client = await ask(byAssertion(assertion));
    expect(client).toMatchObject({ status: 401, error: "invalid_client", json: said });
    const grant = await ask({ grant_type: jwtBearer, assertion });
    expect(grant).toMatchObject({ status: 400, error: "invalid_grant", json: said });
    expect(JSON.stringify([client.json, grant.json])).not.toMatch(/evil|[0-9]{9}/); // nothing that was sent
  });

  test("unless it is at the edge of its time, give or take 30 seconds", async () => {
    const edges = [
      { iat: now() - 100, exp: now() - 29 },
      { iat: now() + 29, exp: now() + 60 },
      { exp: now() + 3600 },
      { iat: undefined, exp: now() + 3600 },
      { iat: undefined, jti: undefined },
      { aud: ["https://other.example", `${issuerOf(service)}/oauth/v2/token`] },
    ];
    for (const claims of edges) {
      const assertion = await signAssertion(service, machine, { claims });
      expect(await ask(byAssertion(assertion))).toMatchObject({ status: 200 });
    }
    for (const typ of ["JWT", "client-authentication+jwt"]) {
      const assertion = await signAssertion(service, machine, { header: { typ } });
      expect(await ask(byAssertion(assertion))).toMatchObject({ status: 200 });
    }
  });

  test("signed by nobody, by another key, by the public key as HMAC, with an extension or another type (RFC 8725 §2.1)", async () => {
    const good = await signAssertion(service, machine);
    const [, payload = ""] = good.split(".");
    const encode = (header: object) => Buffer.from(JSON.stringify(header)).toString("base64url");
    const hmac = `${encode({ alg: "HS256", kid: machine.key.keyId })}.${payload}`;
    const pem = keyPairs.ES256.publicKey.export({ format: "pem", type: "spki" });
    const forged = [
      `${encode({ alg: "none" })}.${payload}.`,
      `${hmac}.${createHmac("sha256", pem).update(hmac).digest("base64url")}`,
      `${good.slice(0, -4)}AAAA`,
      await signAssertion(service, machine, {
        header: { alg: "EdDSA" },
        privateKey: keyPairs.EdDSA.privateKey,
      }),
      await signAssertion(service, machine, { header: { kid: "1" } }),
      await signAssertion(service, machine, { header: { crit: ["b64"], b64: true } }),
      await signAssertion(service, machine, { header: { typ: "oauth-authz-req+jwt" } }),
      await signAssertion(service, machine, {
        header: { alg: "EdDSA", kid: undefined, jwk: keyPairs.EdDSA.publicKey.export({ format: "jwk" }) },
        privateKey: keyPairs.EdDSA.privateKey,
      }),
      "",
      "../..",
      "e30.e30.e30",
    ];
    for (const assertion of forged)
      expect(await ask(byAssertion(assertion))).toMatchObject({ error: "invalid_client" });
  });

  test("by the key of another user, and found without kid among all keys of its own", async () => {
    const other = await createMachine(service, world.organizationId, { algorithm: "RS256" });
    const crossed = await signAssertion(service, { ...other, key: machine.key });
    expect(await ask(byAssertion(crossed))).toMatchObject({ error: "invalid_client" });
    const second = { ...other, key: await addKey(service, other.userId, "ES384") };
    const unnamed = await signAssertion(service, second, { header: { kid: undefined } });
    expect(await ask(byAssertion(unnamed))).toMatchObject({ status: 200 });
  });

  test("when it is sent again, one of eight at once is accepted", async () => {
    for (const jti of ["same", undefined]) {
      const assertion = await signAssertion(service, machine, { claims: { jti } });
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(byAssertion(assertion))));
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
        200, 401, 401, 401, 401, 401, 401, 401,
      ]);
      expect(await ask(byAssertion(assertion))).toMatchObject({ error: "invalid_client" });
    }
  });

  test("when it is sent again, although the first request was refused, one of eight at once", async () => {
    const assertion = await signAssertion(service, machine);
    const wrong = { ...byAssertion(assertion), scope: 'a"b' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(wrong)));
    expect(answers.map(({ error }) => String(error)).toSorted()).toEqual([
      ...Array<string>(7).fill("invalid_client"),
      "invalid_scope",
    ]);
    expect(await ask(byAssertion(assertion))).toMatchObject({ error: "invalid_client" });
  });

  test("whatever host the request names", async () => {
    const hosts = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    };
    const evil = await signAssertion(service, machine, {
      claims: { aud: "http://evil.example/oauth/v2/token" },
    });
    expect(await ask(byAssertion(evil), hosts)).toMatchObject({ error: "invalid_client" });
    const good = await signAssertion(service, machine);
    expect(await ask(byAssertion(good), hosts)).toMatchObject({ status: 200 });
  });
});

describe("a request is refused", () => {
  const form = () => new URLSearchParams(bySecret(machine)).toString();

  test.each([
    ["with a repeated parameter", () => `${form()}&client_id=${machine.userId}`, {}],
    ["with a repeated parameter without value", () => `${form()}&scope=&scope=`, {}],
    ["as JSON", () => JSON.stringify(bySecret(machine)), { "content-type": "application/json" }],
    ["without content type", form, { "content-type": "" }],
    ["as parts", form, { "content-type": "multipart/form-data; boundary=a" }],
    ["as what only begins as a form", form, { "content-type": "application/x-www-form-urlencoded-x" }],
    ["with a broken percent sign", () => `${form()}&a=%zz`, {}],
    ["with bytes that are not UTF-8", () => `${form()}&a=%ff%fe`, {}],
    [
      "with bytes that are not UTF-8, whatever charset it says",
      () => `${form()}&a=%fc`,
      { "content-type": "application/x-www-form-urlencoded; charset=ISO-8859-1" },
    ],
    ["without grant_type", () => form().replace("grant_type", "grant"), {}],
    ["with another client_id beside", form, () => basic("1", "x")],
  ] as const)("%s: invalid_request (RFC 6749 §3.2)", async (_name, toForm, given) => {
    const headers = typeof given === "function" ? given() : given;
    const answer = await ask(toForm(), headers);
    expect(answer).toMatchObject({ status: 400, error: "invalid_request" });
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("with more than 64 KiB: 413, and with just as much: not", async () => {
    const fill = (bytes: number) => `${form()}&a=${"x".repeat(bytes - form().length - 3)}`;
    expect(await ask(fill(65_536))).toMatchObject({ status: 200 });
    expect(await ask(fill(65_537))).toMatchObject({ status: 413, error: "invalid_request" });
  });

  test("for a grant that there is not", async () => {
    const answer = await ask({ ...bySecret(machine), grant_type: "password" });
    expect(answer).toMatchObject({ status: 400, error: "unsupported_grant_type" });
  });

  test("with credentials in two ways, or in a way that there is not", async () => {
    const { userId, secret } = machine;
    expect(await ask(bySecret(machine), basic(userId, secret))).toMatchObject({ error: "invalid_request" });
    const bearer = await ask({ grant_type: "client_credentials" }, { authorization: `Bearer ${secret}` });
    expect(bearer).toMatchObject({ status: 401, error: "invalid_client" });
    expect(bearer.headers.get("www-authenticate")).toBe('Basic realm="gatehouse"');
    const typed = { ...byAssertion(await signAssertion(service, machine)), client_assertion_type: "other" };
    expect(await ask(typed)).toMatchObject({ status: 400, error: "invalid_request" });
    expect(clientAssertionType).not.toBe("other");
  });

  test("for a wrong secret and for an unknown client in the same words", async () => {
    const wrong = await postForm(service, "/oauth/v2/token", { ...bySecret(machine), client_secret: "x" });
    const unknown = await postForm(service, "/oauth/v2/token", { ...bySecret(machine), client_id: "1" });
    const human = await postForm(service, "/oauth/v2/token", {
      ...bySecret(machine),
      client_id: world.userId,
    });
    expect(wrong.status).toBe(401);
    expect([unknown.text, human.text]).toEqual([wrong.text, wrong.text]);
  });

  test("without a server error, whatever the parameters are", async () => {
    for (const text of [
      "__proto__=1",
      "constructor[prototype]=1",
      "=",
      "&&&",
      "a",
      "%00=%00",
      "grant_type=%00",
    ])
      expect((await ask(text)).status).toBe(400);
  });
});

describe("wrong credentials", () => {
  test("are refused with 429 after 100 in a minute, per client and address; right ones pass", async () => {
    const other = await createMachine(service, world.organizationId);
    const from = (address: string) => ({ "x-forwarded-for": address });
    const wrong = (address: string) => ask({ ...bySecret(other), client_secret: "wrong" }, from(address));
    const answers = await Promise.all(Array.from({ length: 100 }, () => wrong("2001:db8::1")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const refused = await wrong("2001:db8::ffff");
    expect(refused).toMatchObject({ status: 429, error: "invalid_client" });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await ask(bySecret(other), from("2001:db8::1"))).toMatchObject({ status: 200 });
    expect(await wrong("2001:db8:0:1::1")).toMatchObject({ status: 401 });
    service.clock.turn(60_000);
    expect(await wrong("2001:db8::1")).toMatchObject({ status: 401 });
  });
});
