import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { PageBrowser } from "../../login/support/browser.ts";
import { createCaller } from "../../../support/world.ts";
import type { TokenDraft } from "./support/gateway.ts";
import { type GatewayTrip, handleUrlOf, headerName, startJwtStage } from "./support/jwt-stage.ts";

let browser: PageBrowser;
let trip: GatewayTrip;
const stage = await startJwtStage();
beforeEach(async () => {
  browser = stage.browser();
  trip = await stage.begin(browser);
});
afterAll(() => stage.stop());

/** Sends what a gateway would, past the gateway, without any cookie. */
async function forward(headers: Readonly<Record<string, string>>, path = trip.path, method = "GET") {
  const answer = await stage.service.http.send({
    method,
    path,
    headers: { host: "gateway.example", ...headers },
  });
  return { ...answer, location: answer.headers.get("location") ?? "" };
}

/** Forwards a JWT that is good but for what the test says. */
async function forwardToken(draft: TokenDraft = {}, path = trip.path) {
  return await forward({ [headerName]: await stage.gateway.sign("ada", draft) }, path);
}

const pem = generateKeyPairSync("ec", { namedCurve: "P-256" });
const nowSeconds = () => Math.floor(stage.service.clock.nowMs() / 1000);

describe("the way to the gateway", () => {
  test("keeps the query of its URL, and adds who comes", () => {
    const url = new URL(trip.url);
    expect(`${url.origin}${url.pathname}`).toBe(`${stage.gateway.issuer}/sso`);
    expect([...url.searchParams.keys()]).toEqual(["tenant", "authRequestID", "userAgentID"]);
    expect(url.searchParams.get("tenant")).toBe("7");
    expect(url.searchParams.get("authRequestID")).toBe(trip.id);
    expect(url.searchParams.get("userAgentID")).toMatch(/^[\w-]{43}$/);
  });

  test("is never one without https but on this machine", async () => {
    const providerId = await stage.addProvider({ jwtEndpoint: "http://gateway.example/sso" });
    await expect(stage.begin(stage.browser(), providerId)).rejects.toThrow(/does not answer/);
  });

  test("is for the last time the only one: an earlier one of the same login is worth nothing", async () => {
    await stage.goAgain(browser, trip.id);
    expect((await forwardToken()).status).toBe(400);
  });

  test("calls nobody: Gatehouse never opens the gateway's URL", () => {
    expect(stage.gateway.lastForwarded().path).toBe("");
  });
});

describe("what a gateway forwards", () => {
  test("is answered with a handle, without the cookie of the login, whatever the host", async () => {
    expect(handleUrlOf(await forwardToken())).toMatch(`${stage.issuer}/login/${trip.id}/idp?h=`);
  });

  test("may be a form that the browser posts to the gateway", async () => {
    const token = await stage.gateway.sign("ada");
    const answer = await forward({ [headerName]: token, "content-length": "0" }, trip.path, "POST");
    expect(handleUrlOf(answer)).toContain(trip.id);
  });

  test("is neither put nor deleted", async () => {
    const answer = await forward({}, trip.path, "PUT");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  test.each<readonly [string, () => TokenDraft]>([
    ["of another issuer", () => ({ claims: { iss: "https://gateway.example" } })],
    ["that has expired", () => ({ claims: { exp: nowSeconds() - 30 } })],
    ["that a foreign key has signed", () => ({ key: pem.privateKey })],
    ["of an unknown key", () => ({ header: { kid: "nobody's" }, key: pem.privateKey })],
    ["with a key id that is no text", () => ({ header: { kid: 1 } })],
    ["signed with HMAC", () => ({ header: { alg: "HS256" }, key: Buffer.alloc(64, "public") })],
  ])("is refused: a JWT %s", async (_name, draft) => {
    const answer = await forwardToken(draft());
    expect([answer.status, answer.location]).toEqual([400, ""]);
    expect(answer.text).toContain("The answer of the other service cannot be used.");
    handleUrlOf(await forwardToken()); // nothing was used up
  });

  test("is refused without a signature", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const iat = nowSeconds();
    const claims = { iss: stage.gateway.issuer, sub: "ada", iat, exp: iat + 60 };
    for (const signature of ["", "c2ln"])
      for (const alg of ["none", "ES256"]) {
        const token = `${part({ alg })}.${part(claims)}.${signature}`;
        expect((await forward({ [headerName]: token })).status).toBe(400);
      }
  });

  test("is refused without the header, and with another one", async () => {
    const token = await stage.gateway.sign("ada");
    expect((await forward({})).status).toBe(400);
    expect((await forward({ authorization: `Bearer ${token}` })).status).toBe(400);
    expect((await forward({ [headerName]: `${token}, ${token}` })).status).toBe(400);
    expect((await forward({ [headerName]: `${token}\u00e9` })).status).toBe(400);
    handleUrlOf(await forward({ [headerName]: token }));
  });

  test("is judged by the audiences that are configured", async () => {
    const providerId = await stage.addProvider({ audiences: ["gatehouse", "portal"] });
    const { path } = await stage.begin(stage.browser(), providerId);
    for (const aud of [undefined, "other", ["other", ""]])
      expect((await forwardToken({ claims: { aud } }, path)).status).toBe(400);
    handleUrlOf(await forwardToken({ claims: { aud: ["other", "portal"] } }, path));
  });

  test("is not judged while nobody can read the keys: the page says that it may be tried later", async () => {
    for (const answer of [{ status: 500 }, { body: "no keys" }, { body: '{"keys":1}' }]) {
      stage.gateway.publish(answer);
      const { path } = await stage.begin(stage.browser(), await stage.addProvider());
      const refused = await forwardToken({}, path);
      stage.gateway.publish(undefined);
      expect([refused.status, refused.location]).toEqual([503, ""]);
    }
  });

  test("makes nothing be read for a login that was not sent there", async () => {
    const before = stage.gateway.keyReads();
    const { path } = await stage.begin(stage.browser(), await stage.addProvider());
    const guessed = `userAgentID=${"A".repeat(43)}`;
    const wrong = path.replace(/userAgentID=.*/, guessed);
    expect((await forwardToken({}, wrong)).status).toBe(400);
    expect(stage.gateway.keyReads()).toBe(before);
  });

  test.each([
    ["no login", (path: string) => path.replace(/authRequestID=\d+/, "authRequestID=")],
    ["two logins", (path: string) => `${path}&authRequestID=1`],
    ["a login that is no number", (path: string) => path.replace(/authRequestID=/, "authRequestID=x")],
    ["another login", (path: string) => path.replace(/authRequestID=\d+/, "authRequestID=1")],
    ["no userAgentID", (path: string) => path.replace(/&userAgentID=.*/, "")],
    ["two of them", (path: string) => `${path}&userAgentID=${"A".repeat(43)}`],
    ["one that is cut", (path: string) => path.slice(0, -1)],
    ["nothing at all", (path: string) => path.replace(/\?.*/, "")],
  ])("is refused with %s", async (_name, change) => {
    expect((await forwardToken({}, change(trip.path))).status).toBe(400);
    handleUrlOf(await forwardToken());
  });

  test("is refused once the provider is switched off, and its keys are not read", async () => {
    const providerId = await stage.addProvider();
    const { path } = await stage.begin(stage.browser(), providerId);
    const call = createCaller(stage.service, stage.place.organizationId);
    await call(IdentityProviderService.method.deactivateIdentityProvider, { idpId: providerId });
    const before = stage.gateway.keyReads();
    expect((await forwardToken({}, path)).status).toBe(403);
    expect(stage.gateway.keyReads()).toBe(before);
    await call(IdentityProviderService.method.removeIdentityProvider, { idpId: providerId });
    expect((await forwardToken({}, path)).status).toBe(400);
  });

  test("is taken once", async () => {
    const token = await stage.gateway.sign("ada");
    handleUrlOf(await forward({ [headerName]: token }));
    expect((await forward({ [headerName]: token })).status).toBe(400);
    expect((await forwardToken()).status).toBe(400);
  });

  test("is taken once of many at the same time", async () => {
    await forwardToken({ key: pem.privateKey }); // the keys have been read, so that nobody waits for them
    const drafts = Array.from({ length: 50 }, (_, index) => ({ claims: { jti: String(index) } }));
    const answers = await Promise.all(drafts.map((draft) => forwardToken(draft)));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49);
    handleUrlOf(answers.find(({ status }) => status === 303) ?? answers[0] ?? never());
  });

  test("is not taken again when the user goes to the gateway a second time in the same login", async () => {
    const token = await stage.gateway.sign("ada");
    handleUrlOf(await forward({ [headerName]: token }));
    const { path } = await stage.goAgain(browser, trip.id);
    expect((await forward({ [headerName]: token }, path)).status).toBe(400);
    handleUrlOf(await forwardToken({ claims: { jti: "another" } }, path));
  });

  test("may be sent again in another login: gateways send theirs for as long as it is good", async () => {
    const token = await stage.gateway.sign("ada");
    handleUrlOf(await forward({ [headerName]: token }));
    const other = await stage.begin(stage.browser());
    expect(handleUrlOf(await forward({ [headerName]: token }, other.path))).toContain(other.id);
  });

  test("is too late when the login is over", async () => {
    const { path } = await stage.begin(stage.browser());
    const token = await stage.gateway.sign("ada", { claims: { exp: nowSeconds() + 3600 } });
    stage.service.clock.turn(900_000);
    expect((await forward({ [headerName]: token }, path)).status).toBe(400);
  });
});

function never(): never {
  throw new Error("no answer");
}
