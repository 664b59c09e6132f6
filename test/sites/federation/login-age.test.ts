// When a login at a provider was: by what the provider says, whatever the browser did with the request for a new one.
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { askForTokens } from "../oidc/support/machine.ts";
import { authorizePath, redemption } from "../oidc/support/signed-in.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { uniqueName } from "../../support/world.ts";
import { startJwtStage } from "./jwt/support/jwt-stage.ts";
import { beginLogin, createFederationPlace, openBrowser, titleOf } from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

type Parameters = Readonly<Record<string, string>>;

const tooOld = [403, "A new sign-in is needed"];

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
const stage = await startJwtStage();
await stage.linkPerson("ada");
afterEach(() => provider.play({}));
afterAll(async () => {
  provider.stop();
  await service.stop();
  await stage.stop();
});

describe("at a provider of OpenID Connect", () => {
  const nowSeconds = () => Math.floor(service.clock.nowMs() / 1000);

  /** Logs in, at a provider that says so of the time of the login, and returns the page at the end or the age in the ID token. */
  async function logIn(parameters: Parameters, authTime: unknown) {
    const place = await createFederationPlace(service, provider, { autoRegister: true });
    const browser = openBrowser(service);
    const page = await beginLogin(service, place, browser, parameters);
    const { url } = await browser.submit(page, { provider: place.idpId });
    url.searchParams.delete("prompt"); // as whoever holds the browser may
    url.searchParams.delete("max_age");
    provider.play({ claims: { auth_time: authTime }, userinfo: { preferred_username: uniqueName("ada") } });
    const ended = await browser.open(provider.logIn(url).href);
    if (ended.page !== undefined) return titleOf(ended);
    const code = ended.url.searchParams.get("code") ?? "";
    canaries.add("code", code);
    const { json } = await askForTokens(service, redemption(place.application, code));
    const age = nowSeconds() - Number(decodeJwt(String(json["id_token"]))["auth_time"]);
    // The session has the same time: what was stored is read again.
    const again = await beginLogin(service, place, browser, { max_age: String(Math.max(age - 5, 1)) });
    return { age, isEnough: again.url.searchParams.has("code") };
  }

  test.each<[string, Parameters, number]>([
    ["a new login", { prompt: "login" }, 31],
    ["a login of no age", { max_age: "0" }, 31],
    ["a login of the last ten minutes", { max_age: "600" }, 631],
    ["a new login of the last ten minutes", { prompt: "login", max_age: "600" }, 31],
  ])("%s is not an older one", async (_what, parameters, age) => {
    expect(await logIn(parameters, nowSeconds() - age)).toEqual(tooOld);
    expect(await logIn(parameters, nowSeconds() - age + 1)).toEqual({ age: age - 1, isEnough: false });
  });

  test.each([undefined, 0])("a new login is none at %j", async (authTime) => {
    expect(await logIn({ prompt: "login" }, authTime)).toEqual(tooOld);
  });

  test("a login is as old as the provider says, and never to come", async () => {
    expect(await logIn({}, nowSeconds() - 7200)).toEqual({ age: 7200, isEnough: false });
    expect(await logIn({}, nowSeconds() + 7200)).toEqual({ age: 0, isEnough: true });
  });

  test("a login is of now if the provider does not say when it was", async () => {
    expect(await logIn({}, undefined)).toEqual({ age: 0, isEnough: true });
  });
});

describe("at a gateway", () => {
  const nowSeconds = () => Math.floor(stage.service.clock.nowMs() / 1000);

  async function logIn(parameters: Parameters, claims: object) {
    const browser = stage.browser();
    const first = await browser.open(authorizePath(stage.application, parameters));
    const trip = await stage.goAgain(browser, first.path.replace("/login/", ""));
    const page = await stage.comeBack(browser, trip, stage.gateway.logIn("ada", claims));
    if (page.location === undefined) return [page.status, /<h1[^>]*>([^<]*)</.exec(page.text)?.[1]];
    return nowSeconds() - Number((await stage.redeem(page))["auth_time"]);
  }

  test("a new login is none by an older JWT", async () => {
    const of = (age: number) => ({ iat: nowSeconds() - age });
    expect(await logIn({ prompt: "login" }, of(31))).toEqual(tooOld);
    expect(await logIn({ prompt: "login" }, of(30))).toBe(30);
    expect(await logIn({ max_age: "60" }, of(91))).toEqual(tooOld);
    expect(await logIn({ max_age: "60" }, of(90))).toBe(90);
  });

  test("a login is as old as the JWT says, or as the JWT is", async () => {
    expect(await logIn({}, { iat: nowSeconds() - 7200 })).toBe(7200);
    expect(await logIn({}, { auth_time: nowSeconds() - 9000 })).toBe(9000);
    expect(await logIn({}, { iat: nowSeconds() + 20 })).toBe(0);
    expect(await logIn({ prompt: "login" }, { auth_time: nowSeconds() - 9000 })).toEqual(tooOld);
  });
});
