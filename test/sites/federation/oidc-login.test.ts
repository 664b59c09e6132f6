import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import { StylingType } from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { startService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";
import {
  addProvider,
  beginLogin,
  createFederationPlace,
  leaveForProvider,
  openBrowser,
  titleOf,
} from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
afterAll(async () => {
  provider.stop();
  await service.stop();
});

const scopeOf = (idpId: string) => `openid urn:zitadel:iam:org:idp:id:${idpId}`;

describe("the request to a provider", () => {
  test("asks for a code with PKCE, state and nonce, and keeps the query of the endpoint", async () => {
    const place = await createFederationPlace(service, provider);
    const url = await leaveForProvider(service, place, openBrowser(service));
    const { state, nonce, code_challenge, ...parameters } = Object.fromEntries(url.searchParams);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    expect(parameters).toEqual({
      tenant: "1",
      client_id: provider.clientId,
      response_type: "code",
      redirect_uri: `http://localhost:${service.port}/idps/callback`,
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    for (const value of [state, nonce, code_challenge]) expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test.each([
    [["email", "offline"], "openid email offline"],
    [["profile", "openid"], "profile openid"],
  ])(
    "has the scopes %j in their order, and openid in front where it is missing",
    async (scopes, expected) => {
      const place = await createFederationPlace(service, provider, { scopes });
      const url = await leaveForProvider(service, place, openBrowser(service));
      expect(url.searchParams.get("scope")).toBe(expected);
    },
  );

  test.each([
    ["for a new login", { prompt: "login" }, ["login", "0"]],
    ["how old a login may be", { max_age: "600" }, [null, "600"]],
  ])("says %s if the application does", async (_what, parameters, asked) => {
    const place = await createFederationPlace(service, provider);
    const { searchParams } = await leaveForProvider(service, place, openBrowser(service), parameters);
    expect(["prompt", "max_age"].map((name) => searchParams.get(name))).toEqual(asked);
  });

  test("has other values each time, and is sent from the browser that holds the form only", async () => {
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const first = await leaveForProvider(service, place, browser);
    const second = await leaveForProvider(service, place, browser);
    for (const name of ["state", "nonce", "code_challenge"])
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
    const page = await beginLogin(service, place, browser);
    browser.cookies.clear();
    expect((await browser.submit(page, { provider: place.idpId })).page?.status).toBe(400);
  });
});

describe("the exchange of the code", () => {
  async function exchange(metadata: object = {}) {
    provider.play({ metadata: { ...metadata } });
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const url = await leaveForProvider(service, place, browser);
    provider.asked.length = 0;
    await browser.open(provider.logIn(url).href);
    provider.play({});
    const asked = provider.asked.find(({ path }) => path === "/token");
    return { url, form: asked?.form, authorization: asked?.authorization };
  }

  const escaped = () => [provider.clientId, provider.clientSecret].map((part) => part.replaceAll(" ", "+"));

  test("authenticates by the header, and proves that the browser was sent by us", async () => {
    const { url, form, authorization } = await exchange();
    expect(authorization).toBe(`Basic ${Buffer.from(escaped().join(":")).toString("base64")}`);
    const verifier = form?.get("code_verifier") ?? "";
    expect(createHash("sha256").update(verifier).digest("base64url")).toBe(
      url.searchParams.get("code_challenge"),
    );
    expect(form?.has("client_secret")).toBe(false);
  });

  test("authenticates by the form where the provider offers only that", async () => {
    const methods = { token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt"] };
    const { form, authorization } = await exchange(methods);
    expect(authorization).toBeUndefined();
    expect([form?.get("client_id"), form?.get("client_secret")]).toEqual([
      provider.clientId,
      provider.clientSecret,
    ]);
  });
});

describe("the buttons", () => {
  const buttonsOf = (html: string) =>
    [...html.matchAll(/<button[^>]*class="([^"]*)" name="provider" value="([^"]*)">([^]*?)<\/button>/g)].map(
      ([, style, id, content = ""]) => [style, id, content.replaceAll(/<svg[^]*<\/svg>/g, "<svg>")],
    );

  test("name all active providers of the organization that logs in, oldest first and escaped", async () => {
    const place = await createFederationPlace(service, provider, { name: '"Quotes" & <b>' });
    const google = await addProvider(service, place.organizationId, provider, {
      name: "Google at work",
      stylingType: StylingType.GOOGLE,
    });
    const off = await addProvider(service, place.organizationId, provider);
    const call = createCaller(service, place.organizationId);
    await call(IdentityProviderService.method.deactivateIdentityProvider, { idpId: off });
    await createFederationPlace(service, provider); // of somebody else
    const { page } = await beginLogin(service, place, openBrowser(service));
    expect(buttonsOf(page?.text ?? "")).toEqual([
      ["second provider", place.idpId, "<bdi>&quot;Quotes&quot; &amp; &lt;b&gt;</bdi>"],
      ["second provider idp-google", google, "<svg><bdi>Google at work</bdi>"],
    ]);
  });

  test("are none where the policy allows no provider, and nobody is sent there by a form", async () => {
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const before = await beginLogin(service, place, browser);
    const call = createCaller(service, place.organizationId);
    await call(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true });
    const { page } = await beginLogin(service, place, browser);
    expect(buttonsOf(page?.text ?? "")).toEqual([]);
    expect((await browser.submit(before, { provider: place.idpId })).page?.status).toBe(403);
  });
});

describe("the scope of a provider", () => {
  test("sends the browser there at once, and only once", async () => {
    const place = await createFederationPlace(service, provider);
    const browser = openBrowser(service);
    const left = await beginLogin(service, place, browser, { scope: scopeOf(place.idpId) });
    expect(left.url.origin).toBe(provider.issuer);
    const back = new URL(left.url.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("state", left.url.searchParams.get("state") ?? "");
    back.searchParams.set("iss", provider.issuer);
    back.searchParams.set("error", "access_denied");
    const denied = await browser.open(back.href);
    expect(denied.page?.status).toBe(403);
    const [, path] = /href="(\/login\/[0-9]+\/another-way)"/.exec(denied.page?.text ?? "") ?? [];
    const first = await browser.open(`http://localhost:${service.port}${path}`);
    expect(first.page?.text).toContain('name="username"');
  });

  test("does not send users there again for whom an account there is not enough", async () => {
    const place = await createFederationPlace(service, provider);
    const { userId, username, password } = await createPerson(service, place.organizationId);
    const { idpId } = place;
    await service.call(UserService.method.addIdpLink, { userId, idpId, externalUserId: provider.subject });
    const scope = { case: "instance", value: true } as const;
    await service.call(MembershipService.method.addMembership, { userId, scope, roles: ["INSTANCE_VIEWER"] });
    const browser = openBrowser(service);
    const left = await beginLogin(service, place, browser, { scope: scopeOf(idpId) });
    const back = await browser.open(provider.logIn(left.url).href);
    expect(titleOf(back)).toEqual([403, "This is not enough to sign in"]);
    const another = await browser.submit(back, {});
    expect(another.page?.text).toContain('name="username"');
    expect((await browser.submit(another, { username, password })).url.searchParams.has("code")).toBe(true);
  });

  test.each(["of another organization", "that there is not"])(
    "means nothing for a provider %s",
    async (which) => {
      const place = await createFederationPlace(service, provider);
      const other = await createFederationPlace(service, provider);
      const id = which === "that there is not" ? "1" : other.idpId;
      const { page } = await beginLogin(service, place, openBrowser(service), { scope: scopeOf(id) });
      expect(page?.text).toContain('name="username"');
    },
  );
});
