// What providers do that no standard asks for, and that costs nobody a login.
import { randomUUID } from "node:crypto";
import { type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { createCaller, uniqueName } from "../../support/world.ts";
import {
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  openBrowser,
  titleOf,
} from "./support/place.ts";
import {
  type ProviderTricks,
  type SecretReading,
  sendJson,
  startProvider,
  type TestProvider,
} from "./support/provider.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
const clientSecret = `s~cret+%2F ü! ${uniqueName("odd")}`;
/** Its client has a name and a secret that an encoding changes. */
const odd = await startProvider(service.clock, { clientId: "gate house/1", clientSecret });
afterEach(() => {
  provider.play({});
  odd.play({});
});
afterAll(async () => {
  provider.stop();
  odd.stop();
  await service.stop();
});

/** Makes an organization in which somebody is linked to who logs in at the provider. */
async function addPlace(at: TestProvider, subject = at.subject): Promise<FederationPlace> {
  const place = await createFederationPlace(service, at);
  const { userId } = await createPerson(service, place.organizationId);
  await link(place, userId, subject);
  return place;
}

async function link(place: FederationPlace, userId: string, externalUserId: string) {
  const call = createCaller(service, place.organizationId);
  await call(UserService.method.addIdpLink, { userId, idpId: place.idpId, externalUserId });
}

/** Logs in with what is played. Returns `in`, or the status and title of the page at the end. */
async function logIn(place: FederationPlace, at: TestProvider, as?: string) {
  const browser = openBrowser(service);
  const url = await leaveForProvider(service, place, browser);
  const ended = await browser.open(at.logIn(url, as).href);
  if (ended.page !== undefined) return titleOf(ended);
  canaries.add("code", ended.url.searchParams.get("code") ?? "");
  return ended.url.searchParams.has("code") ? "in" : ended.url.href;
}

const countTries = (at: TestProvider) => at.asked.filter(({ path }) => path === "/token").length;
const notIn = [400, "You are not signed in"];

describe("a provider that knows its client by another spelling of the secret", () => {
  const both = ["client_secret_basic", "client_secret_post"];

  test.each<[string, SecretReading, readonly string[] | undefined, number]>([
    ["decodes it", { as: "decoded" }, undefined, 1],
    ["does not decode it", { as: "raw" }, undefined, 2],
    ["reads the form alone, and says that it may stand there", { as: "form" }, both, 3],
    ["says invalid_client by 400", { as: "raw", refusal: [400, { error: "invalid_client" }] }, undefined, 2],
    ["says nothing but 401", { as: "raw", refusal: [401, {}] }, both, 2],
  ])("%s: somebody comes in, the next time at the first try", async (_name, secret, methods, tries) => {
    odd.play({ secret, metadata: { token_endpoint_auth_methods_supported: methods ?? null } });
    const place = await addPlace(odd);
    const before = countTries(odd);
    expect(await logIn(place, odd)).toBe("in");
    expect(countTries(odd) - before).toBe(tries);
    expect(await logIn(place, odd)).toBe("in");
    expect(countTries(odd) - before).toBe(tries + 1);
  });

  test("uses the code up at the first try: the next login is right at once", async () => {
    odd.play({ secret: { as: "raw", spendsCodes: true } });
    const place = await addPlace(odd);
    const before = countTries(odd);
    expect(await logIn(place, odd)).toEqual(notIn);
    expect(await logIn(place, odd)).toBe("in");
    expect(countTries(odd) - before).toBe(3);
  });

  test("is asked in the first way again after its configuration was changed, and in the others if that fails", async () => {
    odd.play({ secret: { as: "raw" } });
    const place = await addPlace(odd);
    expect(await logIn(place, odd)).toBe("in");
    const call = createCaller(service, place.organizationId);
    const { issuer, clientId } = odd;
    await call(IdentityProviderService.method.updateIdentityProvider, {
      idpId: place.idpId,
      name: uniqueName("Renamed"),
      config: { case: "oidc", value: { issuer, clientId } },
    });
    const before = countTries(odd);
    expect(await logIn(place, odd)).toBe("in");
    expect(countTries(odd) - before).toBe(2);
    odd.play({ secret: { as: "decoded" } });
    expect(await logIn(place, odd)).toBe("in");
    expect(countTries(odd) - before).toBe(4);
  });

  test.each<[string, SecretReading, readonly string[] | undefined, number]>([
    ["knows it by none", { as: "raw", refusal: [400, { error: "invalid_grant" }] }, both, 1],
    ["reads a form, and does not say so", { as: "form" }, undefined, 2],
  ])("%s: nobody comes in", async (_name, secret, methods, tries) => {
    odd.play({ secret, metadata: { token_endpoint_auth_methods_supported: methods } });
    const place = await addPlace(odd);
    const before = countTries(odd);
    expect(await logIn(place, odd)).toEqual(notIn);
    expect(countTries(odd) - before).toBe(tries);
  });

  test("gets a plain secret once, because every spelling of it is the same", async () => {
    const plain = await startProvider(service.clock, { clientId: "a.b-c_d*e", clientSecret: randomUUID() });
    const refusal = [401, { error: "invalid_client" }] as const;
    plain.play({
      secret: { as: "form", refusal },
      metadata: { token_endpoint_auth_methods_supported: both },
    });
    expect(await logIn(await addPlace(plain), plain)).toEqual(notIn);
    expect(countTries(plain)).toBe(1);
    plain.play({ secret: { as: "raw" } });
    expect(await logIn(await addPlace(plain), plain)).toBe("in");
    plain.stop();
  });
});

describe("a provider whose userinfo", () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    "is forbidden": (response) => sendJson(response, { error: "insufficient_scope" }, 403),
    fails: (response) => sendJson(response, {}, 500),
    "is not found": (response) => sendJson(response, {}, 404),
    "asks for patience": (response) => sendJson(response, {}, 429),
    "is signed": (response) => {
      response.writeHead(200, { "content-type": "application/jwt" }).end("e30.e30.c2ln");
    },
    "is a page": (response) => void response.end("<html>"),
    "is elsewhere": (response) => void response.writeHead(302, { location: "/" }).end(),
    "hangs up": (response) => void response.destroy(),
    "names nobody": (response) => sendJson(response, { sub: null, email: "x@y.example" }),
  };

  let place: FederationPlace;
  beforeAll(async () => {
    place = await addPlace(provider);
  });

  test.each(Object.keys(answers))("%s: who is linked comes in", async (name) => {
    const before = service.log().length;
    provider.play({ answers: { "/userinfo": answers[name] ?? (() => undefined) } });
    expect(await logIn(place, provider)).toBe("in");
    expect(service.log().slice(before)).toContain("provider_login.userinfo_left_out");
  });

  test("fails: what a new account needs is asked for, unless the ID token has it", async () => {
    const open = await createFederationPlace(service, provider, { autoRegister: true });
    const tricks: ProviderTricks = { answers: { "/userinfo": (response) => sendJson(response, {}, 403) } };
    provider.play(tricks);
    expect(await logIn(open, provider)).toEqual([200, "Do you have an account here?"]);
    const person = { given_name: "Ada", family_name: "L", email: "ada@x.example" };
    provider.play({ ...tricks, claims: { ...person, preferred_username: uniqueName("ada") } });
    expect(await logIn(open, provider)).toBe("in");
  });
});

describe("a provider", () => {
  test("may name people by 255 characters", async () => {
    const subject = "ü".repeat(254) + uniqueName("").slice(-1);
    provider.play({ userinfo: { sub: subject } });
    const place = await createFederationPlace(service, provider);
    const { userId } = await createPerson(service, place.organizationId);
    await expect(link(place, userId, `${subject}x`)).rejects.toThrow();
    await link(place, userId, subject);
    expect(await logIn(place, provider, subject)).toBe("in");
    const call = createCaller(service, place.organizationId);
    const { links } = await call(UserService.method.listIdpLinks, { userId });
    expect(links).toMatchObject([{ externalUserId: subject }]);
    await call(UserService.method.removeIdpLink, { userId, idpId: place.idpId, externalUserId: subject });
    expect(await logIn(place, provider, subject)).toEqual([200, "Do you have an account here?"]);
  });

  test("may write null for what it does not have", async () => {
    const place = await addPlace(provider);
    provider.play({
      metadata: {
        userinfo_endpoint: null,
        id_token_signing_alg_values_supported: null,
        token_endpoint_auth_methods_supported: null,
        authorization_response_iss_parameter_supported: null,
        end_session_endpoint: null,
      },
      key: { alg: null, key_ops: null, x5c: null },
      tokens: { expires_in: null, refresh_token: null, scope: null },
      claims: { azp: null, nbf: null, auth_time: null, acr: null, amr: null, email: null, at_hash: null },
      returned: { iss: undefined },
    });
    expect(await logIn(place, provider)).toBe("in");
  });

  test("may write what is not used as it likes", async () => {
    const place = await addPlace(provider);
    provider.play({
      tokens: { expires_in: "soon", refresh_token: 1, scope: ["openid"], token_type: "bearer" },
      claims: { auth_time: "yesterday" },
    });
    expect(await logIn(place, provider)).toBe("in");
  });

  test("gets the login_hint of the application", async () => {
    const place = await addPlace(provider);
    const parameters = { login_hint: "ada@x.example & co" };
    const url = await leaveForProvider(service, place, openBrowser(service), parameters);
    expect(url.searchParams.get("login_hint")).toBe(parameters.login_hint);
  });
});
