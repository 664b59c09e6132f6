// Applications of the FAPI 2.0 Security Profile (Final), and what of it can be chosen alone.
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader } from "jose";
import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcSecurityProfile,
  OidcTokenType,
} from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { makeProofKey, type ProofKey } from "../../support/proofs.ts";
import { startService } from "../../support/service.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { boundTo, proofFor, type WrongRequestProof } from "./support/dpop.ts";
import { addApplicationKey } from "./support/login-place.ts";
import {
  apiScope,
  askForTokens,
  clientAssertionType,
  type Fields,
  issuerOf,
  keyPairs,
  type Machine,
  postForm,
  signAssertion,
} from "./support/machine.ts";
import { broughtPath, push, pushPath } from "./support/pushed.ts";
import { authorize, browse, pkce, signIn } from "./support/signed-in.ts";

const service = await startService();
const world = await createWorld(service);
const userId = await createHumanUser(service, world.organizationId);
const openBrowser = () => signIn(service, userId); // sessions end while the clock is turned
afterAll(() => service.stop());

const fapi = {
  securityProfile: OidcSecurityProfile.FAPI_2,
  authMethodType: OidcAuthMethodType.PRIVATE_KEY_JWT,
  grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN, OidcGrantType.TOKEN_EXCHANGE],
};
const application = await createApplication(service, world, {
  ...fapi,
  apiAccess: true,
  accessTokenType: OidcTokenType.JWT,
});
const key = makeProofKey();
const rsaKey: ProofKey = makeProofKey("RS256");
const signers = {
  ES256: await signerOf("ES256"),
  EdDSA: await signerOf("EdDSA"),
  RS256: await signerOf("RS256"),
};
const issuer = issuerOf(service);

/** Gives the application a key, and returns what signs its assertions. */
async function signerOf(algorithm: "ES256" | "EdDSA" | "RS256"): Promise<Machine> {
  const { clientId, projectId } = application;
  const { organizationId } = world;
  const place = { organizationId, projectId, appId: clientId, clientId, secret: undefined };
  const keyId = await addApplicationKey(service, place, algorithm);
  return {
    userId: clientId,
    secret: "",
    key: { keyId, algorithm, privateKey: keyPairs[algorithm].privateKey },
  };
}

type WrongAssertion = NonNullable<Parameters<typeof signAssertion>[2]>;

/** What authenticates the application, good but for what the test says. */
async function authenticated(wrong: WrongAssertion = {}, by: keyof typeof signers = "ES256") {
  return {
    client_assertion_type: clientAssertionType,
    client_assertion: await signAssertion(service, signers[by], wrong),
  };
}

const pushAuthenticated = async (
  fields: Fields = {},
  wrong: WrongAssertion = {},
  by: keyof typeof signers = "ES256",
) =>
  await push(service, application, {
    ...(await authenticated(wrong, by)),
    client_secret: undefined,
    ...fields,
  });

/** Gets a code as the profile has it. */
async function getPushedCode(fields: Fields = {}): Promise<string> {
  const { requestUri } = await pushAuthenticated({ scope: `openid offline_access ${apiScope}`, ...fields });
  const { cookie } = await openBrowser();
  const answer = await browse(service, broughtPath(application, requestUri), { cookie });
  const back = new URL(answer.headers.get("location") ?? "");
  expect([answer.status, back.searchParams.get("iss")]).toEqual([303, issuer]);
  return back.searchParams.get("code") ?? "";
}

/** Asks for tokens with a proof, or without one if `wrong` is "no proof". */
async function ask(form: Fields, wrong: WrongRequestProof | "no proof" = {}, by = key) {
  const asked = { ...(await authenticated()), ...form };
  if (wrong === "no proof") return await askForTokens(service, asked);
  return await askForTokens(service, asked, { dpop: await proofFor(service, by, wrong) });
}

const redeemed = (code: string): Fields => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: application.redirectUri,
  code_verifier: pkce.verifier,
});

async function getTokens() {
  const { status, json } = await ask(redeemed(await getPushedCode()));
  expect(status).toBe(200);
  return { access: String(json["access_token"]), refresh: String(json["refresh_token"]), json };
}

describe("a request for a login", () => {
  test("is refused unless it was pushed (§5.3.2.2)", async () => {
    const { back, status } = await authorize(service, application, { browser: await openBrowser() });
    expect([status, back["error"], back["iss"], back["code"]]).toEqual([
      303,
      "invalid_request",
      issuer,
      undefined,
    ]);
  });

  test("is pushed by an application that authenticates (§5.3.2.2)", async () => {
    const bare = await push(service, application, { client_secret: undefined });
    expect([bare.status, bare.error]).toEqual([401, "invalid_client"]);
    const { status, json } = await pushAuthenticated();
    expect([status, json["expires_in"]]).toEqual([201, 60]);
  });

  test.each<[string, Fields]>([
    ["PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
    ["S256", { code_challenge_method: "plain" }],
    ["redirect_uri", { redirect_uri: undefined }],
  ])("is refused without %s (§5.3.2.2)", async (_name, fields) => {
    expect(await pushAuthenticated(fields)).toMatchObject({ status: 400, error: "invalid_request" });
  });

  test("may have a nonce of 64 characters (§5.3.2.2)", async () => {
    expect((await pushAuthenticated({ nonce: "n".repeat(64) })).status).toBe(201);
  });

  test("binds its code to the key that it was pushed with (§5.3.2.1)", async () => {
    const code = await getPushedCode({ dpop_jkt: key.jkt });
    const other = await ask(redeemed(code), {}, makeProofKey());
    expect([other.status, other.error]).toEqual([400, "invalid_grant"]);
    expect((await ask(redeemed(code))).status).toBe(200);
  });

  test("has a code for 60 seconds, and for one use (§5.3.2.1, §5.3.2.2)", async () => {
    const late = await getPushedCode();
    service.clock.turn(60_000);
    expect((await ask(redeemed(late))).error).toBe("invalid_grant");
    const code = await getPushedCode();
    expect((await ask(redeemed(code))).status).toBe(200);
    expect((await ask(redeemed(code))).error).toBe("invalid_grant");
  });
});

describe("an assertion", () => {
  test("names the issuer alone, as a text (§5.3.2.1)", async () => {
    for (const aud of [[issuer], `${issuer}/oauth/v2/token`, `${issuer}${pushPath}`, [issuer, "other"]])
      expect(await pushAuthenticated({}, { claims: { aud } })).toMatchObject({
        status: 401,
        json: { error: "invalid_client", error_description: expect.stringContaining(issuer) },
      });
  });

  test("is signed with PS256, ES256 or EdDSA (§5.4.1)", async () => {
    for (const alg of ["RS256", "PS384", "RS512"])
      expect(await pushAuthenticated({}, { header: { alg } }, "RS256")).toMatchObject({
        status: 401,
        json: { error_description: "the assertion must have alg PS256, ES256, EdDSA, Ed25519" },
      });
    expect((await pushAuthenticated({}, { header: { alg: "PS256" } }, "RS256")).status).toBe(201);
    expect((await pushAuthenticated({}, {}, "EdDSA")).status).toBe(201);
  });

  test.each([
    [10, 201],
    [61, 401],
  ])("may have been made %d seconds from now: %d (§5.3.2.1)", async (seconds, status) => {
    const iat = Math.floor(service.clock.nowMs() / 1000) + seconds;
    expect((await pushAuthenticated({}, { claims: { iat, nbf: iat, exp: iat + 60 } })).status).toBe(status);
  });
});

describe("tokens", () => {
  test("are given with a proof only, and bound to its key (§5.3.2.1)", async () => {
    const code = await getPushedCode();
    const bare = await ask(redeemed(code), "no proof");
    expect([bare.status, bare.error]).toEqual([400, "invalid_dpop_proof"]);
    const { status, json } = await ask(redeemed(code));
    expect([status, json["token_type"]]).toEqual([200, "DPoP"]);
    for (const name of ["access_token", "id_token"])
      expect(decodeProtectedHeader(String(json[name])).alg).toBe("ES256");
  });

  test("keep their refresh token, which is good again and again (§5.3.2.1)", async () => {
    const { refresh } = await getTokens();
    const form = { grant_type: "refresh_token", refresh_token: refresh };
    expect((await ask(form, "no proof")).error).toBe("invalid_dpop_proof");
    service.clock.turn(13 * 86_400_000);
    for (const by of [key, makeProofKey("EdDSA")]) {
      const { status, json } = await ask(form, {}, by);
      expect([status, json["refresh_token"], json["token_type"]]).toEqual([200, refresh, "DPoP"]);
    }
    service.clock.turn(13 * 86_400_000); // it was used, so that its two weeks have begun again
    expect((await ask(form)).status).toBe(200);
    service.clock.turn(14 * 86_400_000);
    expect((await ask(form)).error).toBe("invalid_grant");
  });

  test("are exchanged with a proof only", async () => {
    const { access } = await getTokens();
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: access,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    };
    expect((await ask(form, "no proof")).error).toBe("invalid_dpop_proof");
    expect((await ask(form)).json).toMatchObject({ token_type: "DPoP" });
  });
});

describe("a proof", () => {
  const rs256 = { header: { alg: "RS256" } };
  const ps256 = { header: { alg: "PS256" } };

  test("is signed with PS256, ES256 or EdDSA (§5.4.1), wherever it is sent", async () => {
    const dpop = await proofFor(service, rsaKey, { path: pushPath });
    const pushed = await push(
      service,
      application,
      { ...(await authenticated()), client_secret: undefined },
      { dpop },
    );
    expect([pushed.status, pushed.error]).toEqual([400, "invalid_dpop_proof"]);
    const code = await getPushedCode();
    expect((await ask(redeemed(code), rs256, rsaKey)).error).toBe("invalid_dpop_proof");
    const { json } = await ask(redeemed(code), ps256, rsaKey);
    const accessToken = String(json["access_token"]);
    for (const path of ["/oidc/v1/userinfo", "/v1/users/me"]) {
      const read = async (wrong: WrongRequestProof) => {
        const headers = await boundTo(service, rsaKey, { verb: "GET", path, accessToken, ...wrong });
        return await browse(service, path, headers);
      };
      const refused = await read(rs256);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringContaining('DPoP realm="gatehouse", error="invalid_dpop_proof"'),
      ]);
      expect((await read(ps256)).status).toBe(200);
    }
  });
});

describe("alone", () => {
  const make = (settings: Parameters<typeof createApplication>[2]): Promise<TestApplication> =>
    createApplication(service, world, settings);

  test("require_par refuses what was not pushed, of a public application too", async () => {
    const pushing = await make({
      requirePar: true,
      appType: OidcAppType.USER_AGENT,
      authMethodType: OidcAuthMethodType.NONE,
    });
    const browser = await openBrowser();
    expect((await authorize(service, pushing, { browser })).back["error"]).toBe("invalid_request");
    const { requestUri } = await push(service, pushing);
    const { headers } = await browse(service, broughtPath(pushing, requestUri), { cookie: browser.cookie });
    const back = new URL(headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    const form = { ...redeemed(code), redirect_uri: pushing.redirectUri, client_id: pushing.clientId };
    expect((await askForTokens(service, form)).json).toMatchObject({ token_type: "Bearer" });
  });

  test("require_dpop gives tokens with a proof only, by any algorithm", async () => {
    const proving = await make({ requireDpop: true });
    const { back } = await authorize(service, proving, { browser: await openBrowser() });
    const { clientId: client_id, secret: client_secret } = proving;
    const form = {
      ...redeemed(back["code"] ?? ""),
      redirect_uri: proving.redirectUri,
      client_id,
      client_secret,
    };
    expect((await askForTokens(service, form)).error).toBe("invalid_dpop_proof");
    const dpop = await proofFor(service, rsaKey);
    expect((await askForTokens(service, form, { dpop })).json).toMatchObject({ token_type: "DPoP" });
    expect((await postForm(service, pushPath, { client_id, client_secret })).status).toBe(400);
  });
});
