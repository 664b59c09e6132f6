// Apache with mod_auth_openidc, as many put it before a page: somebody logs in, sees the page, and logs out.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestPerson,
} from "../sites/oidc/support/login-place.ts";
import { logIn, openUserAgent, type UserAgent } from "../sites/oidc/support/user-agent.ts";
import { findFreeOrigin } from "../support/free-origin.ts";
import { createHttpClient, type HttpClient } from "../support/http-client.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Apache, requireApache, startApache } from "./support/apache.ts";

test("a missing Apache is an error that says what to install", () => {
  expect(() => requireApache("auth_openidc", "/nowhere")).toThrow(
    "install the packages apache2-bin and libapache2-mod-auth-openidc",
  );
});

describe("mod_auth_openidc", () => {
  let service: TestService;
  let apache: Apache;
  let site: HttpClient;
  let person: TestPerson;
  /** One browser, which has cookies of both. */
  let atSite: UserAgent;
  let atIssuer: UserAgent;

  beforeAll(async () => {
    service = await startService();
    const place = await createLoginPlace(service);
    person = await createPerson(service, place.organizationId);
    const origin = await findFreeOrigin();
    const application = await createOidcApplication(service, place, {
      redirectUris: [`${origin}/protected/callback`],
      postLogoutRedirectUris: [`${origin}/`],
      devMode: true, // for http
    });
    const issuer = `http://localhost:${service.port}`;
    apache = await startApache({
      origin,
      guard: "auth_openidc",
      lines: [
        `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
        `OIDCClientID ${application.clientId}`,
        `OIDCClientSecret ${application.secret}`,
        `OIDCRedirectURI ${origin}/protected/callback`,
        "OIDCCryptoPassphrase a-passphrase-of-the-test",
        'OIDCScope "openid profile email"',
        "OIDCPKCEMethod S256",
        "OIDCRemoteUserClaim preferred_username",
      ],
    });
    site = createHttpClient(origin.replace("localhost", "127.0.0.1"));
    const host = new URL(origin).host;
    atSite = openUserAgent({
      origin,
      send: ({ headers, ...request }) => site.send({ ...request, headers: { ...headers, host } }),
    });
    atIssuer = openUserAgent({ origin: issuer, send: (request) => service.http.send(request) });
  });

  afterAll(async () => {
    site?.close();
    await apache?.stop();
    await service?.stop();
  });

  test("lets somebody in who logs in, and knows who it is", async () => {
    const { url: authorize } = await atSite.open(`${apache.origin}/protected/`);
    const back = await logIn(atIssuer, await atIssuer.open(authorize.href), person);
    const { page } = await atSite.open(back.href);
    expect(page).toMatchObject({ status: 200, text: "the page protected" });
    expect(page?.headers.get("x-remote-user")).toBe(person.username);
  });

  test("logs out here and there, and asks for the password then", async () => {
    const goodbye = encodeURIComponent(`${apache.origin}/`);
    const { url: endSession } = await atSite.open(`${apache.origin}/protected/callback?logout=${goodbye}`);
    expect(endSession.pathname).toBe("/oidc/v1/end_session");
    const { url: back } = await atIssuer.open(endSession.href);
    expect(`${back.origin}${back.pathname}`).toBe(`${apache.origin}/`);
    const { url: authorize } = await atSite.open(`${apache.origin}/protected/`);
    const { page } = await atIssuer.open(authorize.href);
    expect(page?.text).toContain('type="password"');
  });
});
