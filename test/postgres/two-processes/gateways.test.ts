import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type Gateway, startGateway } from "../../sites/federation/jwt/support/gateway.ts";
import { createPageBrowser, formsOf, type PageBrowser } from "../../sites/login/support/browser.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
} from "../../sites/oidc/support/login-place.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { createCaller, idOf } from "../../support/world.ts";
import { type Pair, type Process, startPair } from "./support/pair.ts";

const issuer = "http://localhost:4321";
const redirectUri = "https://app.example/callback";

let pair: Pair;
let gateway: Gateway;
let idpId: string;
let clientId: string;
let session: string;
const browsers: PageBrowser[] = [];
beforeAll(async () => {
  pair = await startPair({ issuer });
  gateway = await startGateway(pair.other.url, { clock: { nowMs: () => Date.now() }, headerName: "x-token" });
  const place = await createLoginPlace(pair.one);
  ({ clientId } = await createOidcApplication(pair.one, place, { redirectUris: [redirectUri] }));
  const { jwtEndpoint, keysEndpoint } = gateway;
  const value = { jwtEndpoint, keysEndpoint, issuer: gateway.issuer, headerName: "x-token" };
  const call = createCaller(pair.one, place.organizationId);
  const made = await call(IdentityProviderService.method.createIdentityProvider, {
    name: "Gateway",
    config: { case: "jwt", value },
  });
  idpId = idOf(made, "idpId");
  const { userId } = await createPerson(pair.one, place.organizationId);
  const identity = { externalUserId: "ada", externalUsername: "ada" };
  await pair.one.call(UserService.method.addIdpLink, { userId, idpId, ...identity });
  session = gateway.logIn("ada");
});
afterAll(async () => {
  for (const browser of browsers) browser.close();
  gateway.stop();
  await pair.close();
});

function open({ url }: Process, cookies: ReadonlyMap<string, string> = new Map()): PageBrowser {
  const browser = createPageBrowser(url, issuer);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  browsers.push(browser);
  return browser;
}

/** Begins a login at a process, and returns where the browser is sent to. */
async function begin(browser: PageBrowser): Promise<string> {
  const request = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
    nonce: "a nonce",
    code_challenge: "A".repeat(43),
    code_challenge_method: "S256",
  };
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(request).toString()}`);
  const index = formsOf(page.text).findIndex(({ action }) => action.endsWith("/idp"));
  return (await page.submit({ provider: idpId }, { index })).location ?? "";
}

test("a login that one process has begun goes on at the other, and ends at one of them", async () => {
  for (let round = 0; round < 3; round++) {
    const browser = open(pair.one);
    const { location } = await gateway.visit(await begin(browser), session);
    const tabs = Array.from({ length: 8 }, (_, index) =>
      open(index % 2 === 0 ? pair.one : pair.other, browser.cookies),
    );
    const pages = await Promise.all(tabs.map((tab) => tab.open(location)));
    const codes = pages.filter((page) => page.location?.startsWith(redirectUri));
    expect(codes).toHaveLength(1);
  }
});

test("a JWT that comes to both processes at once makes one handle", async () => {
  for (let round = 0; round < 3; round++) {
    const { search } = new URL(await begin(open(pair.other)));
    const token = await gateway.sign("ada");
    const forward = async ({ url }: Process) => {
      const http = createHttpClient(url);
      const path = `/ui/login/login/jwt/authorize${search}`;
      const { status } = await http.send({
        method: "GET",
        path,
        headers: { host: "gateway", "x-token": token },
      });
      http.close();
      return status;
    };
    const processes = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? pair.one : pair.other));
    const statuses = await Promise.all(processes.map(forward));
    expect(statuses.toSorted((left, right) => left - right)).toEqual([
      303, 400, 400, 400, 400, 400, 400, 400,
    ]);
  }
});
