// Providers that are known beforehand: each speaks in its own way, and each says in its own way who somebody is.
import { afterAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { createCaller, uniqueName } from "../../../support/world.ts";
import type { Visited } from "../../oidc/support/user-agent.ts";
import {
  addProvider,
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  listUsers,
  openBrowser,
  titleOf,
} from "../support/place.ts";
import { type ProviderTricks, startProvider } from "../support/provider.ts";
import { startGithub } from "./support/github.ts";
import { createTemplatePlace, entraOf, livingAt, startBeside, tenants } from "./support/template-place.ts";

const google = "https://accounts.google.com";
const service = await startBeside(google, () => provider.issuer);
const provider = await startProvider(service.clock);
const github = await startGithub();
afterAll(async () => {
  provider.stop();
  github.stop();
  await service.stop();
});

const { clientId, clientSecret } = provider;
const callback = `http://localhost:${service.port}/idps/callback`;
const refused = [400, "You are not signed in"];
const isIn = ({ page, url }: Visited) => page === undefined && url.searchParams.has("code");
const named = { given_name: "Ada", family_name: "Lovelace" };
const newAddress = () => `${uniqueName("ada").replaceAll(" ", "-")}@users.example`;

async function logIn(place: FederationPlace, tricks: ProviderTricks = {}): Promise<Visited> {
  provider.play(tricks);
  const browser = openBrowser(service);
  const left = await leaveForProvider(service, place, browser);
  return await browser.open(provider.logIn(left).href);
}

async function readLinks(place: FederationPlace): Promise<readonly unknown[]> {
  const users = (await listUsers(service, place)) as readonly { readonly id: string }[];
  const call = createCaller(service, place.organizationId);
  const listed = await Promise.all(
    users.map(({ id: userId }) => call(UserService.method.listIdpLinks, { userId })),
  );
  return listed.map(({ links }) => links);
}

describe("Google", () => {
  const place = () => createTemplatePlace(service, { case: "google", value: { clientId, clientSecret } });

  test("is asked at its own address, for what it knows", async () => {
    provider.play(livingAt(google));
    const request = { prompt: "login", login_hint: "ada" };
    const left = await leaveForProvider(service, await place(), openBrowser(service), request);
    expect(left.origin + left.pathname).toBe(`${google}/authorize`);
    const { state, nonce, code_challenge, ...parameters } = Object.fromEntries(left.searchParams);
    expect([state, nonce, code_challenge].every((value) => value?.length === 43)).toBe(true);
    expect(parameters).toEqual({
      client_id: clientId,
      response_type: "code",
      redirect_uri: callback,
      scope: "openid profile email",
      code_challenge_method: "S256",
      prompt: "select_account",
      login_hint: "ada",
    });
  });

  test.each([[true], [false], ["true"]])("vouches for an address by the claim: %j", async (claim) => {
    const ground = await place();
    const living = livingAt(google);
    const email = newAddress();
    const userinfo = { preferred_username: email };
    const claims = { iss: "accounts.google.com", email, email_verified: claim };
    expect(isIn(await logIn(ground, { ...living, claims, userinfo }))).toBe(true);
    const [user] = await listUsers(service, ground);
    expect(user).toMatchObject({ human: { email, isEmailVerified: claim === true } });
    expect(await readLinks(ground)).toMatchObject([[{ externalUserId: provider.subject }]]);
  });

  test("is no other issuer", async () => {
    const ground = await place();
    for (const iss of ["https://accounts.google.example", "google.com"])
      expect(titleOf(await logIn(ground, { ...livingAt(google), claims: { iss } }))).toEqual(refused);
  });
});

describe("Entra", () => {
  const base = provider.issuer;
  const answers = entraOf(provider);
  const place = (listed: readonly string[], how?: { readonly autoRegister: boolean }) =>
    createTemplatePlace(
      service,
      { case: "entra", value: { clientId, clientSecret, baseUrl: base, tenants: [...listed] } },
      how,
    );
  const of = (tid: string, claims: object = {}): ProviderTricks => ({
    answers,
    claims: {
      iss: `${base}/${tid}/v2.0`,
      tid,
      preferred_username: newAddress(),
      email: "ada@tenant.example",
      ...named,
      ...claims,
    },
    returned: { iss: undefined },
  });

  test.each([
    ["one tenant", [tenants.one]],
    ["several", [tenants.one, tenants.two]],
  ])("lets people of %s in, known by tenant and sub", async (_name, listed) => {
    const ground = await place(listed);
    for (const tid of listed) {
      const own = of(tid, { email: `ada@${tid}.example`, sub: "same" });
      expect(isIn(await logIn(ground, own))).toBe(true);
      expect(isIn(await logIn(ground, own))).toBe(true);
    }
    const ids = listed.map((tid) => [expect.objectContaining({ externalUserId: `${tid}/same` })]);
    expect(await readLinks(ground)).toEqual(ids);
  });

  test.each<[string, ProviderTricks]>([
    ["of a tenant that is not listed", of(tenants.other)],
    ["with the issuer of another tenant", of(tenants.one, { iss: `${base}/${tenants.two}/v2.0` })],
    ["with the issuer of all tenants", of(tenants.one, { iss: `${base}/{tenantid}/v2.0` })],
    ["that claims to be of any tenant", of("*")],
    ["without a tenant", of(tenants.one, { tid: undefined })],
  ])("lets nobody in by an ID token %s", async (_name, tricks) => {
    const ground = await place([tenants.one, tenants.two]);
    expect(titleOf(await logIn(ground, tricks))).toEqual(refused);
    expect(await listUsers(service, ground)).toEqual([]);
  });

  test.each([
    ["of the tenant", tenants.one, true],
    ["of all tenants", "{tenantid}", true],
    ["of another tenant, such as that of personal accounts", tenants.two, false],
  ])("takes a signature by a key that is listed for the issuer %s: %s", async (_name, tenant, isTaken) => {
    const ground = await place([tenants.one, tenants.two]);
    const issuer = `${base}/${tenant}/v2.0`;
    expect(isIn(await logIn(ground, { ...of(tenants.one), key: { issuer } }))).toBe(isTaken);
  });

  test("with * makes no account, whatever tenant somebody is of, and takes no text for a tenant", async () => {
    const ground = await place(["*"], { autoRegister: false });
    const visited = await logIn(ground, of(tenants.other));
    expect(visited.page?.status).toBe(200);
    expect(isIn(visited)).toBe(false);
    expect(titleOf(await logIn(ground, of("evil/..")))).toEqual(refused);
    expect(titleOf(await logIn(ground, of("*")))).toEqual(refused);
    expect(await listUsers(service, ground)).toEqual([]);
  });

  test.each([
    [{ email_verified: true }, false],
    [{ xms_edov: true }, true],
    [{ xms_edov: "true", email_verified: true }, false],
    [{ xms_edov: false, email_verified: true }, false],
  ])("vouches for an address with %j: %j", async (claims, isEmailVerified) => {
    const ground = await place([tenants.one]);
    const email = "ada@contoso.example";
    expect(isIn(await logIn(ground, of(tenants.one, { ...claims, email })))).toBe(true);
    expect(await listUsers(service, ground)).toMatchObject([{ human: { email, isEmailVerified } }]);
  });

  test("lets nobody go on whose tenant is not listed any more", async () => {
    const ground = await place([tenants.one], { autoRegister: false });
    provider.play(of(tenants.one));
    const browser = openBrowser(service);
    const asked = await browser.open(provider.logIn(await leaveForProvider(service, ground, browser)).href);
    expect(asked.page?.status).toBe(200);
    const value = { clientId, baseUrl: base, tenants: [tenants.two] };
    await createCaller(service, ground.organizationId)(
      IdentityProviderService.method.updateIdentityProvider,
      {
        idpId: ground.idpId,
        name: "Entra",
        config: { case: "entra", value },
      },
    );
    expect((await browser.open(asked.url.href)).page?.status).toBe(403);
  });
});

describe("GitHub", () => {
  const address = { email: "ada@users.example", primary: true, verified: true };
  const user = { id: 583231, login: "ada", name: "Ada Lovelace", email: "shown@users.example" };
  const account = (emails: readonly object[] | number) => ({
    user: { ...user, login: newAddress() },
    emails,
  });
  const place = () =>
    createTemplatePlace(service, {
      case: "github",
      value: { clientId: "Iv1.gatehouse", clientSecret: github.clientSecret, baseUrl: github.baseUrl },
    });
  const leave = async (ground: FederationPlace) => {
    const browser = openBrowser(service);
    return { browser, left: await leaveForProvider(service, ground, browser) };
  };
  const come = async (ground: FederationPlace) => {
    const { browser, left } = await leave(ground);
    return { browser, visited: await browser.open(github.logIn(left).href) };
  };
  const register = async (ground: FederationPlace) => {
    const { browser, visited } = await come(ground);
    const values = { given_name: "Ada", family_name: "Lovelace", email: "typed@users.example" };
    const asked = Object.entries(values).filter(([name]) => visited.page?.text.includes(`name="${name}"`));
    return await browser.submit(visited, Object.fromEntries(asked));
  };

  test("is asked for a code with PKCE, without what only OpenID Connect has", async () => {
    const { left } = await leave(await place());
    expect(left.origin + left.pathname).toBe(`${github.baseUrl}/login/oauth/authorize`);
    const common = ["client_id", "response_type", "redirect_uri", "scope", "state"];
    expect([...left.searchParams.keys()]).toEqual([...common, "code_challenge", "code_challenge_method"]);
    expect(left.searchParams.get("scope")).toBe("read:user user:email");
  });

  test("knows people by the number of their account, whatever name it has meanwhile", async () => {
    const ground = await place();
    github.play(account([{ ...address, primary: false }, address]));
    expect(isIn(await register(ground))).toBe(true);
    github.play({ user: { ...user, login: "countess" }, emails: [] });
    expect(isIn((await come(ground)).visited)).toBe(true);
    expect(await readLinks(ground)).toMatchObject([[{ externalUserId: "583231" }]]);
    github.play({ user: { ...user, id: 2 }, emails: [address] });
    expect(isIn((await come(ground)).visited)).toBe(false);
  });

  test.each<[string, readonly object[] | number, object]>([
    ["its primary one, if it is verified", [address], { email: address.email, isEmailVerified: true }],
    [
      "not as verified if the primary one is not",
      [
        { ...address, verified: false },
        { ...address, primary: false, email: "other@users.example" },
      ],
      { email: address.email, isEmailVerified: false },
    ],
    ["none that is only shown", 404, { email: "typed@users.example", isEmailVerified: false }],
  ])("tells an address: %s", async (_name, emails, human) => {
    const ground = await place();
    github.play(account(emails));
    expect(isIn(await register(ground))).toBe(true);
    expect(await listUsers(service, ground)).toMatchObject([{ human }]);
  });

  test.each([{}, { id: "583231" }, { id: 0 }, { id: 1.5 }, { id: 2 ** 53 }])(
    "lets nobody in as the user %j",
    async (odd) => {
      const ground = await place();
      github.play({ user: odd, emails: [] });
      expect(titleOf((await come(ground)).visited)).toEqual(refused);
    },
  );

  test("redeems a code of another login for nobody", async () => {
    const ground = await place();
    github.play({ user, emails: [address] });
    const [one, two] = [await leave(ground), await leave(ground)];
    const brought = github.logIn(one.left);
    brought.searchParams.set("state", two.left.searchParams.get("state") ?? "");
    expect(titleOf(await two.browser.open(brought.href))).toEqual(refused);
  });
});

test("GitLab is a provider of OpenID Connect at an address of its own", async () => {
  const ground = await createTemplatePlace(service, {
    case: "gitlab",
    value: { clientId, clientSecret, baseUrl: provider.issuer },
  });
  expect(isIn(await logIn(ground, { userinfo: { preferred_username: newAddress() } }))).toBe(true);
  expect(await listUsers(service, ground)).toMatchObject([{ human: { isEmailVerified: true } }]);
});

test("a code of one provider is brought to no other: they share the address that browsers come back to", async () => {
  const ground = await createFederationPlace(service, provider, { autoRegister: true });
  const call = await addProvider(service, ground.organizationId, provider);
  const [one, two] = [openBrowser(service), openBrowser(service)];
  provider.play({});
  const left = await leaveForProvider(service, ground, one);
  const other = await leaveForProvider(service, { ...ground, idpId: call }, two);
  const brought = provider.logIn(left);
  await one.open(brought.href);
  brought.searchParams.set("state", other.searchParams.get("state") ?? "");
  expect(titleOf(await two.open(brought.href))).toEqual(refused);
});
